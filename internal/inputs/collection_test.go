package inputs

import (
	"errors"
	"testing"
)

// The path goes, and nothing that only looks like it.
func TestWithoutPath(t *testing.T) {
	for _, test := range []struct{ path, text, want string }{
		{"/data/a.csv", "motion: /data/a.csv: line 3: no time", "motion: line 3: no time"},
		{"/data/a.csv", `open "/data/a.csv" twice`, `open "the file" twice`},
		{"/data/a.csv", "open /data/a.csv", "open the file"},
		{"/data", "motion: /data/RawData/x.txt: cut short", "motion: the file/RawData/x.txt: cut short"},
		{".", "motion: acc_exp02.txt:1: 0.5 is no number", "motion: acc_exp02.txt:1: 0.5 is no number"},
		{".", "motion: .: want labels.txt", "motion: want labels.txt"},
		{"t", "motion: t: at it", "motion: at it"},
		{"", "as it is", "as it is"},
	} {
		if got := withoutPath(errors.New(test.text), test.path).Error(); got != test.want {
			t.Errorf("%q without %q: %q, want %q", test.text, test.path, got, test.want)
		}
	}
}
