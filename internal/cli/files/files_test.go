package files

import (
	"path/filepath"
	"testing"
)

func TestSameName(t *testing.T) {
	for _, test := range []struct {
		a, b string
		goos string
		want bool
	}{
		{`C:\a\Out.csv`, `c:\A\out.CSV`, "windows", true},
		{"/a/Out.csv", "/a/out.csv", "darwin", true},
		{"/a/Out.csv", "/a/out.csv", "linux", false},
		{"/a/out.csv", "/a/out.csv", "linux", true},
		{`C:\a\out.csv`, `D:\a\out.csv`, "windows", false},
	} {
		if got := sameName(test.a, test.b, foldsCase(test.goos)); got != test.want {
			t.Errorf("%s and %s on %s: %v", test.a, test.b, test.goos, got)
		}
	}
}

// Neither is there yet, so that the names tell.
func TestOutputsAreKeptApart(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "a.csv"), filepath.Join(dir, ".", "b", "..", "a.csv")
	if err := KeepApart(nil, []Place{At("the output", one), At("the metrics", two)}); err == nil {
		t.Error("two outputs in one file")
	}
	if err := KeepApart([]Place{At("an input", filepath.Join(dir, "b.csv"))}, []Place{At("the output", one)}); err != nil {
		t.Error(err)
	}
}
