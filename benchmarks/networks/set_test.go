package networks

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/testdata"
)

// A folder of pictures is the set that its strip is: the same classes, and the same pixels.
func TestReadFolder(t *testing.T) {
	labels, err := datasets.ReadCIFARLabels(testdata.Shared(t, "data", "cifar10", "test_labels.u8"))
	if err != nil {
		t.Fatal(err)
	}
	strip, dir := testdata.Shared(t, "data", "cifar10c", "fog.png"), filepath.Join(t.TempDir(), "fog")
	if _, err := datasets.UnpackCIFAR(context.Background(), datasets.CIFARStrips{Strips: []string{strip}, Labels: labels, Names: datasets.CIFARNames()}, dir); err != nil {
		t.Fatal(err)
	}
	net, err := ResNet20()
	if err != nil {
		t.Fatal(err)
	}
	want, err := ReadSet("fog", strip, 0, 0, labels)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadFolder(net, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	same := slices.EqualFunc(got.Pictures, want.Pictures, func(a, b Picture) bool { return a.key == b.key })
	if got.Name != "fog" || !same || !slices.Equal(got.Labels, want.Labels) {
		t.Errorf("%s: %d pictures, the same: %t, classes %v", got.Name, len(got.Pictures), same, got.Labels[:10])
	}
	if _, err := ReadFolder(net, t.TempDir(), ""); err == nil {
		t.Error("a folder without labels passed")
	}
	if _, err := ReadSet("fog", strip, 990, 20, labels); err == nil || !strings.Contains(err.Error(), "want 1010") {
		t.Errorf("past the end: %v", err)
	}
}
