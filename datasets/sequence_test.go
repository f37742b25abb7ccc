package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// The hypnograms are known: 20 nights of 21,039 epochs after trimming and without movement time (counted by other means, too), and a stage stays as it is with probability 0.857, the mean over
// stages.
func TestRealHypnograms(t *testing.T) {
	nights, err := ReadHypnograms(testdata.Shared(t, "data", "sleep", "sleep_edf_hypnograms20.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	n, stays, leaves := 0, map[string]float64{}, map[string]float64{}
	for _, night := range nights {
		n += len(night.Labels)
		for i, stage := range night.Labels[1:] {
			leaves[night.Labels[i]]++
			if night.Labels[i] == stage {
				stays[stage]++
			}
		}
	}
	if len(nights) != 20 || n != 21039 {
		t.Errorf("%d nights, %d epochs: want 20, 21039", len(nights), n)
	}
	diagonal := 0.0
	for _, stage := range []string{"W", "N1", "N2", "N3", "R"} {
		diagonal += stays[stage] / leaves[stage] / 5
	}
	near(t, diagonal, 0.857, 0.0005, "mean diagonal")
}

func TestHAPTSequences(t *testing.T) {
	got, err := haptSequences(strings.NewReader("1 1 5 250 1232\n1 1 7 1233 1279\n2 1 1 100 300\n"), 100)
	if err != nil {
		t.Fatal(err)
	}
	want := "[{exp01_user01 " + fmt.Sprint(slices.Repeat([]string{"standing"}, 10)) + "} {exp02_user01 [walking walking walking]}]"
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for _, bad := range []string{"1 1 5 250\n", "1 1 13 1 2\n", "1 1 1 5 2\n", "1 1 1 0 2\n", "a 1 1 1 2\n", "1 1 1 1 99999999999\n", "1 1 1 1 2000000000\n"} {
		if _, err := haptSequences(strings.NewReader(bad), 1); err == nil {
			t.Errorf("%q passed", bad)
		}
	}
}

func TestRealHAPT(t *testing.T) {
	recordings, err := ReadHAPTSequences(testdata.Shared(t, "data", "motion", "hapt_rawdata_acc.tar.gz"), 64)
	if err != nil {
		t.Fatal(err)
	}
	people := map[string]bool{}
	for _, r := range recordings {
		people[r.Stream[6:]] = true
		if len(r.Labels) < 50 {
			t.Errorf("%s has %d labels", r.Stream, len(r.Labels))
		}
	}
	if len(recordings) != 61 || len(people) != 30 {
		t.Errorf("%d recordings of %d people: want 61, 30", len(recordings), len(people))
	}
}

func TestCCTSequence(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cam.csv")
	if err := os.WriteFile(name, []byte("id,category\n1,deer\n2,\"a,b\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := ReadCCTSequence(name)
	if err != nil || s.Stream != "cam" || !slices.Equal(s.Labels, []string{"deer", "a,b"}) {
		t.Errorf("%v, %v", s, err)
	}
	for _, bad := range []string{"", "id,label\n1,deer\n", "id,category\n1\n"} {
		if _, err := readColumn("bad.csv", strings.NewReader(bad), "category"); err == nil {
			t.Errorf("%q passed", bad)
		}
	}
}

// P(same as before) of the real camera is known, too.
func TestRealCCTSequence(t *testing.T) {
	s, err := ReadCCTSequence(testdata.Shared(t, "data", "cameratrap", "iwildcam2019_cct_loc46_labels.csv"))
	if err != nil {
		t.Fatal(err)
	}
	same := 0.0
	for i, label := range s.Labels[1:] {
		if s.Labels[i] == label {
			same++
		}
	}
	if len(s.Labels) != 6145 {
		t.Errorf("%d labels: want 6145", len(s.Labels))
	}
	near(t, same/float64(len(s.Labels)-1), 0.84, 0.005, "P(same)")
}
