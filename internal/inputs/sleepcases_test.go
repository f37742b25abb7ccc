package inputs

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/testdata"
)

// sleepCase is what becomes of some files of testdata/sleep.
type sleepCase struct {
	files   string // names, of which a new one may stand after =
	channel string // "": EEG Fpz-Cz
	options SleepOptions
	labels  string  // of all epochs if they are evaluated, "" if nothing can be; - for one that was not scored
	offset  float64 // second of the first of them
	epochs  int     // if they are classified; 0: 10
	gaps    int     // of those, how many cannot be loaded
	warning string  // the only one of either way, "" for none
	why     string  // of the error of evaluation, or the failure of the recording
	failed  bool    // it is the recording's, in either way
}

// usual is the labels of most files: W W N1 N2 N3 N3 R W N2 N2.
const usual = "WW1233RW22"

var sleepCases = []sleepCase{
	{files: "e01_plain_ann.edf", labels: usual, warning: "not marked as EDF+"},
	{files: "e02_lying_C_gap.edf", labels: "WW123--3RW22", epochs: 12, gaps: 2, warning: "gaps of 60 seconds in all"},
	{files: "e06_20s.edf", labels: "WW-22-3-R-", warning: "4 of 10 epochs of 30 seconds lie across two stages"},
	{files: "e07_dur0.edf", labels: usual},
	{files: "e08_n4.edf", labels: usual},
	{files: "e08_nrem.edf", labels: usual},
	{files: "e08_rem.edf", labels: usual},
	{files: "e09_off12.edf", labels: "WW1233RW2", offset: 12, warning: "begins within an epoch"},
	{files: "e16_sjis.edf", warning: "not ASCII", why: "nobody scored it"},
	{files: "e19_ver0nul.edf", why: "no annotation of a sleep stage"},
	{files: "e21_negstage.edf", labels: usual, warning: "begin before the start"},
	{files: "e22_comma.edf", labels: usual, warning: "a comma for the point (10 times"},
	{files: "f01_flat.edf", warning: "no signal (it does not move) in 10 of 10 epochs", why: "nobody scored it"},
	{files: "f02_sat.edf", warning: "saturated in 10 of 10 epochs", why: "nobody scored it"},
	{files: "f04_Volts.edf", why: "nobody scored it"},
	{files: "g01_C4.edf", channel: "C4-M1", warning: `"C4" is taken, of which the reference is not known`, why: "nobody scored it"},
	{files: "g02_C4M1diff.edf", channel: "C4-M1", warning: `"C4-Ref" - "M1-Ref" is taken`, why: "nobody scored it"},
	{files: "pairs2_sub1-PSG.edf pairs2_sub2-Hypnogram.edf", warning: "sub2-Hypnogram.edf: it holds annotations and no signals", why: "nobody scored it"},
	{files: "pairs2_sub1-PSG.edf=night.rec pairs2_sub2-Hypnogram.edf=night_scored.edf", labels: "RRRRRRRRRR"},
	{files: "pairs2_sub1-PSG.edf pairs2_sub2-Hypnogram.edf", options: SleepOptions{Hypnogram: "pairs2_sub2-Hypnogram.edf"}, labels: "RRRRRRRRRR"},
	{files: "pairs2_sub1-PSG.edf pairs2_sub2-Hypnogram.edf map.csv", options: SleepOptions{Hypnogram: "map.csv"}, labels: "RRRRRRRRRR"},
	{files: "pairs2_sub1-PSG.edf map.csv", options: SleepOptions{Hypnogram: "map.csv"}, why: "no such file"},
	{files: "pairs2_sub1-PSG.edf=a.edf f04_Volts.edf=b.edf pairs2_sub2-Hypnogram.edf", options: SleepOptions{Hypnogram: "pairs2_sub2-Hypnogram.edf"}, why: "one file for 2 recordings"},
	{files: "blank-reserved-pair_SC9001E0-PSG.edf=SC9001E0-PSG.edf blank-reserved-pair_SC9001EC-Hypnogram.edf=SC9001EC-Hypnogram.edf", labels: usual, warning: "not marked as EDF+"},
	{files: "f04_Volts.edf=night.edf night.annot", labels: "WW2-------"},
	{files: "f04_Volts.edf=night.edf night-nsrr.xml", labels: "W3"},
	{files: "f04_Volts.edf=night.edf other.annot other.xml", warning: "other.annot: no recording of its name", why: "nobody scored it"},
	{files: "f04_Volts.edf=night.edf own.annot=night.annot", options: SleepOptions{Words: map[string]hypnogram.Stage{"tief": hypnogram.N3}}, labels: "33"},
	{files: "f04_Volts.edf=night.edf list=night.eannot", labels: "WW2-RR3321"},
	{files: "f04_Volts.edf=night.edf codes=night.txt notes.txt", labels: "WW2--RWWWW", warning: "YASA's"},
	{files: "f04_Volts.edf=night_eeg.edf bids=night_events.tsv participants.tsv", labels: "-W33"},
	{files: "f04_Volts.edf=night.edf short=night_hypno.txt", labels: "WW2R", warning: "it lists 4 stages for 10 epochs"},
	{files: "f04_Volts.edf=night.edf pages20=night_hypno.txt", why: "it lists 15 stages, and the recording has 10 epochs of 30 seconds (and as many pages of 20)", failed: true},
	{files: "f04_Volts.edf=night.edf pages60=night.csv", options: SleepOptions{Hypnogram: "night.csv"}, why: "(and as many pages of 60)", failed: true},
	{files: "f04_Volts.edf=night.edf list=scores.csv", options: SleepOptions{Hypnogram: "scores.csv"}, labels: "WW2-RR3321"},
	{files: "f04_Volts.edf=night.edf notes.txt=scores.csv", options: SleepOptions{Hypnogram: "scores.csv"}, why: "no columns recording and hypnogram"},
	{files: "f04_Volts.edf=night.edf list=other_hypno.txt", warning: "other_hypno.txt: no recording of its name", why: "nobody scored it"},
	{files: "f04_Volts.edf", channel: "EEG", options: SleepOptions{Channels: []string{"fpz-cz"}}, why: "nobody scored it"},
	{files: "f04_Volts.edf", options: SleepOptions{Channels: []string{"a", "b"}}, why: "2 channels: the model takes 1"},
	{files: "f04_Volts.edf", options: SleepOptions{Unit: "furlong"}, why: "want uV, mV, V or nV"},
	{files: "record_duration_99999999.edf", epochs: -1, why: "3e-05 Hz, and the network takes 100"},
	{files: "5000_channels_one_label.edf", epochs: -1, why: `channel "EEG Fpz-Cz": not among "EEG", "EEG"`},
	{files: "5000_channels_one_label.edf", channel: "EEG", epochs: -1, why: `"EEG#1" is the first of them`},
}

// texts are the files of the cases that are not in testdata.
var sleepCaseTexts = map[string]string{
	"map.csv":          "subject,recording,hypnogram\n1,pairs2_sub1-PSG.edf,pairs2_sub2-Hypnogram.edf\n",
	"night.annot":      "class\tinstance\tchannel\tstart\tstop\tmeta\nW\t.\t.\t16:13:00\t16:14:00\t.\nN2\t.\t.\t60\t+30\t.\narousal\t.\t.\t70\t300\t.\n?\t.\t.\t90\t300\t.\n",
	"other.annot":      "W\t0\t30\n",
	"other.xml":        "<settings/>",
	"list":             "W\nwake\nNREM2\n?\nR\nREM\nN3\nN4\nN2\nN1\n",
	"codes":            "0\n0\n2\n-1\n-2\n4\n0\n0\n0\n0\n",
	"bids":             "onset\tduration\ttrial_type\n30\t30\tSleep stage W\n60\t60\tSleep stage N3\n70\t10\tapnea\n",
	"short":            "W\nW\nN2\nR\n",
	"pages20":          strings.Repeat("W\nN2\nR\n", 5),
	"pages60":          strings.Repeat("W\n", 5),
	"notes.txt":        "The patient slept well.\n",
	"participants.tsv": "participant_id\tage\nsub-01\t30\n",
	"own.annot":        "Tief\t0\t60\n",
	"night-nsrr.xml":   "<PSGAnnotation><ScoredEvent><EventType>Stages|Stages</EventType><EventConcept>Wake|0</EventConcept><Start>0</Start><Duration>30</Duration></ScoredEvent><ScoredEvent><EventType>Stages|Stages</EventType><EventConcept>Stage 4 sleep|4</EventConcept><Start>30</Start><Duration>30</Duration></ScoredEvent></PSGAnnotation>",
}

// TestSleepCases tells of recordings as users have them what they are taken for, in both ways in which they are read.
func TestSleepCases(t *testing.T) {
	for _, c := range sleepCases {
		t.Run(c.files, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range strings.Fields(c.files) {
				unpackCase(t, dir, name)
			}
			if c.options.Hypnogram != "" {
				c.options.Hypnogram = filepath.Join(dir, c.options.Hypnogram)
			}
			if c.channel == "" {
				c.channel = "EEG Fpz-Cz"
			}
			c.classified(t, dir)
			c.evaluated(t, dir)
		})
	}
}

func unpackCase(t *testing.T, dir, name string) {
	t.Helper()
	from, to, renamed := strings.Cut(name, "=")
	if !renamed {
		to = from
	}
	data := []byte(sleepCaseTexts[from])
	if len(data) == 0 {
		f, err := os.Open(filepath.Join("testdata", "sleep", from+".gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, to), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// classified takes all epochs, as run does. The reasons of recordings that nobody scored are none here.
func (c sleepCase) classified(t *testing.T, dir string) {
	s, err := OpenSleep(context.Background(), []string{dir}, sleepModel(c.channel, 100), c.options)
	if err != nil {
		if c.why == "" || !strings.Contains(testdata.Plain(err.Error()), c.why) {
			t.Errorf("classified: %v", err)
		}
		return
	}
	if c.failed {
		c.epochs = -1
	}
	if c.epochs < 0 {
		if _, why, n := s.Unread(); n != 1 || len(s.Items()) != 1 || !strings.Contains(why, c.why) || len(why) > 1000 {
			t.Errorf("classified: %d items, %d failures: %s", len(s.Items()), n, why)
		}
		return
	}
	if c.epochs == 0 {
		c.epochs = 10
	}
	gaps, dst := 0, make([]float32, 3000)
	for i := range s.Items() {
		if s.load(dst, i) != nil {
			gaps++
		} else if top := slices.Max(dst); !(top > 10 && top < 4000) && !strings.Contains(c.warning, "no signal") {
			t.Errorf("epoch %d reaches %g microvolts", i, top)
		}
	}
	if len(s.Items()) != c.epochs || gaps != c.gaps {
		t.Errorf("classified: %d epochs, %d of them cannot be loaded", len(s.Items()), gaps)
	}
	c.warned(t, s)
}

// evaluated takes the epochs that were scored, as eval does.
func (c sleepCase) evaluated(t *testing.T, dir string) {
	c.options.Scored, c.options.Trim = true, -1
	s, err := OpenSleep(context.Background(), []string{dir}, sleepModel(c.channel, 100), c.options)
	if c.labels == "" {
		why := fmt.Sprint(err)
		if err == nil {
			_, why, _ = s.Unread()
		}
		if !strings.Contains(testdata.Plain(why), c.why) {
			t.Errorf("evaluated: %s, want %q", why, c.why)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for i := range s.Items() {
		got.WriteString(map[string]string{"W": "W", "N1": "1", "N2": "2", "N3": "3", "R": "R", "": "-"}[s.Label(i)])
	}
	if got.String() != c.labels || s.Items()[0].Offset != c.offset {
		t.Errorf("labels %s from second %g, want %s", got.String(), s.Items()[0].Offset, c.labels)
	}
	if c.offset == 0 {
		c.warned(t, s)
	}
}

func (c sleepCase) warned(t *testing.T, s *Sleep) {
	t.Helper()
	want := 1
	if c.warning == "" {
		want = 0
	}
	if w := s.Warnings(); len(w) != want || want > 0 && !strings.Contains(w[0], c.warning) {
		t.Errorf("warnings %q, want %q", w, c.warning)
	}
}

// TestSleepDoubtsUnits: a header that says uV of volts is told, and set right by the option that the warning names.
func TestSleepDoubtsUnits(t *testing.T) {
	dir := t.TempDir()
	unpackCase(t, dir, "f04_Volts.edf")
	path := filepath.Join(dir, "f04_Volts.edf")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), "Volts", "uV   ", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	const warning = `channel "EEG Fpz-Cz": its typical amplitude is under 0.5 microvolts by the unit "uV", which is no sleeper's: if it is V, --unit uV=V says so, in 1 recording, the first f04_Volts.edf`
	for unit, want := range map[string][]string{"": {warning}, "uV=V": nil} {
		s, err := OpenSleep(context.Background(), []string{dir}, sleepModel("EEG Fpz-Cz", 100), SleepOptions{Unit: unit})
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]float32, 3000)
		for i := range s.Items() {
			if err := s.load(dst, i); err != nil {
				t.Fatal(err)
			}
		}
		if top := slices.Max(dst); (top > 10 && top < 4000) != (unit != "") {
			t.Errorf("--unit %q: %g microvolts", unit, top)
		}
		if w := s.Warnings(); !slices.Equal(w, want) {
			t.Errorf("--unit %q: %q, want %q", unit, w, want)
		}
	}
}
