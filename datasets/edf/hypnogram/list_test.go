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

// TestOpenLists reads stages without times, one a line, and events in tables.
func TestOpenLists(t *testing.T) {
	const codes = "its codes are read as "
	for name, tt := range map[string]struct {
		file, text, want, warning, err string
	}{
		"Luna":                  {file: "a.eannot", text: "wake\nW\nN1\nNREM2\nN3\nN4\nREM\n?\nR\n", want: "WW1233R?R"},
		"Luna, others":          {file: "a.eannot", text: "W\r\nlights\r\nN2\r\n\r\n", want: "W?2", warning: `1 lines of a list of stages cannot be read, the first "lights"`},
		"YASA's codes":          {file: "a.txt", text: "0\n0\n1\n2\n3\n4\n-1\n-2\n4", want: "WW123R??R", warning: codes + "YASA's: -2 ?, -1 ?, 0 W, 1 N1, 2 N2, 3 N3, 4 R"},
		"YASA's, by NumPy":      {file: "a.txt", text: "0.000000000000000000e+00\n4.000000000000000000e+00\n-1.000000000000000000e+00\n", want: "WR?", warning: "YASA's"},
		"YASA's letters":        {file: "a.txt", text: "W\nN1\nN2\nN3\nR\nArt\nUns\n", want: "W123R??"},
		"YASA's words":          {file: "a.csv", text: "Epoch,Stage\n0,WAKE\n1,N1\n2,N2\n3,REM\n4,UNS\n5,ART\n", want: "W12R??"},
		"letters and digits":    {file: "a.txt", text: "W\n1\n2\n3\n4\nR\n-1\nM\n", want: "W1233R??"},
		"the NSRR's codes":      {file: "a.txt", text: "0\n1\n2\n4\n5\n9\n6\n", want: "W123R??", warning: codes + "the NSRR's: 0 W, 1 N1, 2 N2, 4 N3, 5 R, 6 ?, 9 ?"},
		"no wakefulness":        {file: "a.txt", text: "1\n2\n3\n", err: "codes that can mean several things: [1 2 3]; want"},
		"other codes":           {file: "a.txt", text: "0\n1\n17\n", err: "numbers that are no codes of stages: [0 1 17]"},
		"numbered":              {file: "a.txt", text: "1\tW\n2\tN1\n3\tR\n", want: "W1R"},
		"our own":               {file: "a.csv", text: "epoch,onset,stage\n0,60,W\n1,90,N2\n2,120,?\n", want: "??W2?"},
		"UTF-16":                {file: "a.txt", text: utf16("W\nN2\n"), want: "W2"},
		"old Mac":               {file: "a.txt", text: "W\rN2\r", want: "W2"},
		"header":                {file: "a.tsv", text: "Sleep_Stage\nW\nN2\n", want: "W2"},
		"BIDS":                  {file: "a.tsv", text: "onset\tduration\ttrial_type\n0\t60\tSleep stage W\n60.0\t30\tN1\n65\t10\tapnea\n90\t30\tn/a\n120\t30\tSleep stage R\n", want: "WW1?R"},
		"BIDS, lasting":         {file: "a.tsv", text: "onset\tduration\ttrial_type\n0\tn/a\tW\n60\tn/a\tREM\n", want: "WWR"},
		"BIDS, codes":           {file: "a.tsv", text: "onset\tduration\tbegsample\tstage_hum\tstage_ai\n0\t30\t1\t0\t0\n30\t30\t7681\t2\t1\n60\t30\t15361\t4\t4\n90\t30\t23041\t8\t8\n", want: "W2R?", warning: codes + "YASA's: 0 W, 2 N2, 4 R, 8 ?"},
		"BIDS, another column":  {file: "a.tsv", text: "onset\tduration\ttrial_type\tvalue\n0\t30\tstaging\tW\n30\t30\tstaging\tN3\n", want: "W3"},
		"BIDS, damage":          {file: "a.tsv", text: "onset\tduration\ttrial_type\n0\t30\tW\nsoon\t30\tN1\n60\t30\tR\n", want: "W?R", warning: `1 events of stages cannot be read, the first "soon 30 N1"`},
		"BIDS, none":            {file: "a.tsv", text: "onset\tduration\ttrial_type\n0\t1\tleft\n", err: "no annotation of a sleep stage"},
		"a title":               {file: "a.txt", text: "Night of X\nW\nN2\nR\n", want: "W2R", warning: `the first line "Night of X" is taken for a title`},
		"a title of codes":      {file: "a.txt", text: "hyp30\n0\n4\n", want: "WR", warning: `the first line "hyp30" is taken for a title`},
		"lights first":          {file: "a.txt", text: "L\nL\nW\n", want: "??W", warning: `2 lines of a list of stages cannot be read, the first "L"`},
		"comments":              {file: "a.txt", text: "# scorer: X, Y\n% 30 s\nW\n// break\nN2\n", want: "W2"},
		"comments alone":        {file: "a.txt", text: "# scorer: X\n", err: "no annotation of a sleep stage"},
		"Stage before each":     {file: "a.txt", text: "Stage W\nStage 1\nstage_N2\nStage 4\nStage R\n", want: "W123R"},
		"one line":              {file: "a.txt", text: "[0, 0, 1, 2, 3, 4]\n", want: "WW123R", warning: "YASA's"},
		"one line of words":     {file: "a.txt", text: "W W N1 R\n", want: "WW1R"},
		"numbered, spaces":      {file: "a.txt", text: "0 W\n1 N1\n2 R\n", want: "W1R"},
		"U-Sleep":               {file: "a.tsv", text: "initial\tduration\tstage\n0\t60\tWake\n60\t30\tREM\n", want: "WWR"},
		"no onsets":             {file: "a.tsv", text: "duration\tstage\n60\tWake\n", err: "a column of durations and none of onsets"},
		"MNE's times":           {file: "a.csv", text: "onset,duration,description\n2020-01-01 22:30:30,30.0,Sleep stage 1\n2020-01-01 22:31:00.000000,60.0,Sleep stage R\n", want: "?1RR"},
		"BIDS, words of others": {file: "a.tsv", text: "onset\tduration\tevent_type\n0\t30\tstage_W\n30\t30\tStage N1\n", want: "W1"},
		"several columns":       {file: "a.txt", text: "a,b,c\nW,1,2\n", err: "3 columns: want one stage a line"},
		"no stages":             {file: "a.txt", text: "dear reader\nthis is no list\n", err: "no annotation of a sleep stage"},
		"nothing":               {file: "a.txt", text: "\n", err: "empty"},
	} {
		path := filepath.Join(t.TempDir(), tt.file)
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := hypnogram.Options{}.Open(path, time.Date(2020, 1, 1, 22, 30, 0, 0, time.UTC))
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: error %v, want %q", name, err, tt.err)
		}
		if err != nil {
			continue
		}
		warnings := strings.Join(h.Warnings, "\n")
		if d := cmp.Diff(sequence(tt.want), h.Stages); d != "" || (warnings == "") != (tt.warning == "") || !strings.Contains(warnings, tt.warning) {
			t.Errorf("%s: %s warnings %q", name, d, h.Warnings)
		}
	}
}

// TestListsTakeWords: a laboratory's own codes count before all others.
func TestListsTakeWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("1\n2\n5\nx\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := hypnogram.Options{Words: map[string]hypnogram.Stage{"1": hypnogram.W, "2": hypnogram.N1, "5": hypnogram.R, "x": hypnogram.Unscored}}
	h, err := o.Open(path, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(sequence("W1R?"), h.Stages); d != "" || h.Warnings != nil {
		t.Error(d, h.Warnings)
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		lines     int
		recording float64
		note, err string
	}{
		{0, 1e6, "", ""},
		{960, 28800, "", ""},
		{959, 28800, "", ""},
		{961, 28815, "", ""},
		{900, 28800, "it lists 900 stages for 960 epochs: those behind them are not scored", ""},
		{1440, 28800, "", "it lists 1440 stages, and the recording has 960 epochs of 30 seconds (and as many pages of 20): it is of another night, or of pages of another length"},
		{480, 28800, "", "(and as many pages of 60)"},
		{28800, 28800, "", "(and as many pages of 1)"},
		{1000, 28800, "", "960 epochs of 30 seconds: it is of another night"},
	} {
		note, err := (&hypnogram.Hypnogram{Lines: c.lines}).Fits(c.recording)
		if note != c.note || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%d stages for %g seconds: %q, %v", c.lines, c.recording, note, err)
		}
	}
}

// TestPairsOfText: text is a hypnogram by its name or by what it holds. A name that begins with a star holds stages, one with a plus codes that
// nobody knows.
func TestPairsOfText(t *testing.T) {
	for names, want := range map[string]string{
		"a.edf a.eannot":                   "a.edf=a.eannot",
		"a.edf *a.txt":                     "a.edf=a.txt",
		"a.edf a.txt":                      "",
		"a.edf a_hypno.txt":                "a.edf=a_hypno.txt",
		"a-PSG.edf *a-stages.csv notes.md": "a-PSG.edf=a-stages.csv",
		"sub-01_task-sleep_eeg.edf *sub-01_task-sleep_events.tsv": "sub-01_task-sleep_eeg.edf=sub-01_task-sleep_events.tsv",
		"sub-01_task-sleep_eeg.edf sub-01_task-sleep_events.tsv":  "",
		"sub-01_task-sleep.edf *sub-01_task-sleep_events.tsv":     "sub-01_task-sleep.edf=sub-01_task-sleep_events.tsv",
		"a.edf +a.txt":          "a.edf=a.txt",
		"a.edf *a.txt a.eannot": "unclear",
	} {
		dir := t.TempDir()
		var paths []string
		for _, name := range strings.Fields(names) {
			text := "nothing of the kind\n"
			if strings.HasPrefix(name, "*") {
				text = "W\nN2\n"
			}
			if strings.HasPrefix(name, "+") {
				text = "1\n2\n5\n" // which says what it wants
			}
			path := filepath.Join(dir, strings.TrimLeft(name, "*+"))
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		pairs, _, unclear := hypnogram.Pairs(paths)
		got := ""
		for _, p := range pairs {
			got += strings.ReplaceAll(filepath.ToSlash(p.Recording+"="+p.Hypnogram), filepath.ToSlash(dir)+"/", "")
		}
		if unclear != nil {
			got = "unclear"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", names, got, want)
		}
	}
}

func TestIsScores(t *testing.T) {
	for name, want := range map[string]bool{
		"a.xml": true, "a.ANNOT": true, "a.eannot": true, "a.txt": true, "a_hypno.csv": true, "a_events.tsv": true,
		"a.csv": false, "predictions.tsv": false, "a.hypnogram.csv": false, "a.hypnogram.tsv": false, "a.edf": false, "a.jsonl": false,
	} {
		if got := hypnogram.IsScores(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
