package hypnogram_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
)

func TestPairs(t *testing.T) {
	pairs, rest, unclear := hypnogram.Pairs([]string{"a/SC4002E0-PSG.edf", "b/SC4001EC-Hypnogram.edf", "a/SC4001E0-PSG.EDF", "a/SC4011EH-Hypnogram.edf", "x.edf"})
	if d := cmp.Diff([]hypnogram.Pair{{Key: "SC4001E", Recording: "a/SC4001E0-PSG.EDF", Hypnogram: "b/SC4001EC-Hypnogram.edf"}}, pairs); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"a/SC4002E0-PSG.edf", "a/SC4011EH-Hypnogram.edf"}, rest); d != "" || unclear != nil {
		t.Error(d, unclear)
	}
}

// TestPairsByStem lays out folders; a name that begins with a star holds annotations alone, one with a plus is other XML.
func TestPairsByStem(t *testing.T) {
	for names, want := range map[string]string{
		"sub1-PSG.edf sub2-Hypnogram.edf":                          "",
		"sub1-PSG.edf sub1-Hypnogram.edf":                          "sub1-PSG.edf=sub1-Hypnogram.edf",
		"sub1.edf sub1_hypnogram.edf sub11.edf":                    "sub1.edf=sub1_hypnogram.edf",
		"Night.rec night.annot":                                    "Night.rec=night.annot",
		"edfs/shhs1-200001.edf nsrr/shhs1-200001-nsrr.xml":         "edfs/shhs1-200001.edf=nsrr/shhs1-200001-nsrr.xml",
		"a.edf +a.xml":                                             "",
		"a.edf +a.xml a.annot":                                     "a.edf=a.annot",
		"a.edf a-nsrr.xml a-profusion.xml":                         "unclear",
		"a.edf a_scored.edf":                                       "", // it holds signals: a recording of its own
		"a.edf *a_scored.edf":                                      "a.edf=*a_scored.edf",
		"rec/a.edf ann/*a.edf":                                     "rec/a.edf=ann/*a.edf",
		"x/a.edf x/a-hyp.edf y/a.edf y/a-hyp.edf":                  "x/a.edf=x/a-hyp.edf y/a.edf=y/a-hyp.edf",
		"x/a.edf y/a.edf z/a-hyp.edf":                              "unclear",
		"SC4001E0-PSG.edf SC4001EC-Hypnogram.edf SC4001F0-PSG.edf": "SC4001E0-PSG.edf=SC4001EC-Hypnogram.edf",
		"SC4001E0.edf SC4001EC.annot":                              "",
	} {
		dir := t.TempDir()
		var paths []string
		for _, name := range strings.Fields(names) {
			path := filepath.Join(dir, strings.ReplaceAll(strings.ReplaceAll(name, "*", ""), "+", ""))
			paths = append(paths, path)
			writePaired(t, path, name)
		}
		pairs, _, unclear := hypnogram.Pairs(paths)
		var got []string
		for _, p := range pairs {
			got = append(got, strings.ReplaceAll(filepath.ToSlash(p.Recording+"="+p.Hypnogram), filepath.ToSlash(dir)+"/", ""))
		}
		if unclear != nil {
			got = append(got, "unclear")
		}
		if s := strings.Join(got, " "); s != strings.ReplaceAll(want, "*", "") {
			t.Errorf("%s: %q, want %q", names, s, want)
		}
	}
}

func writePaired(t *testing.T, path, name string) {
	t.Helper()
	var b strings.Builder
	switch {
	case strings.Contains(name, "+"):
		b.WriteString("<settings/>")
	case strings.Contains(name, ".xml"):
		b.WriteString("<PSGAnnotation/>")
	case strings.Contains(name, "*"):
		if err := hypnogram.WriteEDF(&b, "", time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), 0, sequence("W1")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
