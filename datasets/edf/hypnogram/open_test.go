package hypnogram_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/testdata"
)

const nsrr = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<PSGAnnotation><SoftwareVersion>Compumedics</SoftwareVersion><EpochLength>30</EpochLength><ScoredEvents>
<ScoredEvent><EventType/><EventConcept>Recording Start Time</EventConcept><Start>0</Start><Duration>210.0</Duration><ClockTime>00.00.00 22.00.00</ClockTime></ScoredEvent>
<ScoredEvent><EventType>Respiratory|Respiratory</EventType><EventConcept>Hypopnea|Hypopnea</EventConcept><Start>40.1</Start><Duration>12.5</Duration></ScoredEvent>
<ScoredEvent><EventType>Stages|Stages</EventType><EventConcept>Wake|0</EventConcept><Start>0</Start><Duration>60.0</Duration></ScoredEvent>
<ScoredEvent><EventType>Stages|Stages</EventType><EventConcept>Stage 1 sleep|1</EventConcept><Start>60</Start><Duration>30.0</Duration></ScoredEvent>
<ScoredEvent><EventType>Stages|Stages</EventType><EventConcept>Stage 4 sleep|4</EventConcept><Start>90</Start><Duration>30.0</Duration></ScoredEvent>
<ScoredEvent><EventType>Stages|Stages</EventType><EventConcept>REM sleep|5</EventConcept><Start>120</Start><Duration>30.0</Duration></ScoredEvent>
<ScoredEvent><EventType>Stages|Stages</EventType><EventConcept>Unscored|9</EventConcept><Start>150</Start><Duration>30.0</Duration></ScoredEvent>
<ScoredEvent><EventType>Stages|Stages</EventType><EventConcept>Movement|6</EventConcept><Start>180</Start><Duration>30.0</Duration></ScoredEvent>
</ScoredEvents></PSGAnnotation>`

const profusion = `<?xml version="1.0"?><CMPStudyConfig><EpochLength>30</EpochLength><ScoredEvents><ScoredEvent><Name>Arousal</Name><Start>3</Start><Duration>4</Duration></ScoredEvent></ScoredEvents>
<SleepStages><SleepStage>0</SleepStage><SleepStage>1</SleepStage><SleepStage>2</SleepStage><SleepStage>4</SleepStage><SleepStage>5</SleepStage><SleepStage>9</SleepStage></SleepStages></CMPStudyConfig>`

// TestOpen reads the kinds of files that lie beside recordings; the recording begins at 22:30.
func TestOpen(t *testing.T) {
	for name, tt := range map[string]struct {
		file, text string
		want       string // stages
		offset     float64
		warning    string
		err        string
	}{
		"NSRR":            {file: "a.xml", text: nsrr, want: "WW13R??"},
		"NSRR, late":      {file: "a.xml", text: `<PSGAnnotation><ScoredEvent><EventType>Stages|Stages</EventType><EventConcept>Wake|0</EventConcept><Start>7,5</Start><Duration>60</Duration></ScoredEvent></PSGAnnotation>`, want: "WW", offset: 7.5},
		"NSRR, numbers":   {file: "a.xml", text: strings.Replace(nsrr, "<Start>60<", "<Start>soon<", 1), want: "WW?3R??", warning: `1 events of stages cannot be read, the first "soon 30.0"`},
		"NSRR, words":     {file: "a.xml", text: strings.Replace(nsrr, "Stage 1 sleep", "Stage I sleep", 1), want: "WW?3R??", warning: "stages that are not known"},
		"NSRR, none":      {file: "a.xml", text: "<PSGAnnotation></PSGAnnotation>", err: "no annotation of a sleep stage"},
		"NSRR, cut":       {file: "a.xml", text: nsrr[:900], err: "unexpected EOF"},
		"Profusion":       {file: "a.XML", text: profusion, want: "W123R?"},
		"Profusion, 20 s": {file: "a.xml", text: strings.Replace(profusion, ">30<", ">20<", 1), want: "????", warning: "3 of 4 epochs of 30 seconds lie across two stages"},
		"Profusion, long": {file: "a.xml", text: strings.Replace(profusion, ">30<", ">-1<", 1), err: "EpochLength"},
		"Profusion, none": {file: "a.xml", text: strings.Replace(profusion, "EpochLength", "Epoch", 2), err: "no EpochLength"},
		"Latin-1":         {file: "a.xml", text: strings.Replace(nsrr, "UTF-8", "iso-8859-1", 1), want: "WW13R??"},
		"UTF-16":          {file: "a.xml", text: utf16(strings.Replace(nsrr, "UTF-8", "UTF-16", 1)), want: "WW13R??"},
		"other encoding":  {file: "a.xml", text: strings.Replace(nsrr, "UTF-8", "klingon", 1), err: "klingon"},
		"other XML":       {file: "a.xml", text: "<note/>", err: `the XML is of "note"`},
		"no XML":          {file: "a.xml", text: "W\nN1\n", err: "EOF"},
		"annot of six":    {file: "a.annot", text: "# N1 | a stage\nclass\tinstance\tchannel\tstart\tstop\tmeta\nW\t.\t.\t0\t60\t.\nN1\t.\t.\t60\t+30\t.\narousal\t.\tC3\t65\t70\tx=1\nNREM4\t.\t.\t90\t120\t.\nREM\t.\t.\t120\t150\t.\n", want: "WW13R"},
		"annot of three":  {file: "a.annot", text: "W 0 30\r\nN2 30 ...\r\napnea 95 100\nsleep_stage_R 120 +30\n", want: "W22?R"},
		"annot of four":   {file: "a.annot", text: "class instance start stop\nN2 . e:2 e:3\nR . e:4 .\nW . e:7:20 .\n", want: "?22RW"},
		"annot, clocks":   {file: "a.annot", text: "W\t22:30:12\t22:31:12\nN1\t11:31:12pm\t23:31:42\nR\t00.30.12\t0+02:00:42\n", want: "WW" + strings.Repeat("?", 120) + "1" + strings.Repeat("?", 117) + "R", offset: 12},
		"annot, damage":   {file: "a.annot", text: "W 0 30\nN1 soon 60\nN2 60 30\nR 90\nR 90 120\n", want: "W??R", warning: `3 rows of stages cannot be read, the first "N1 soon 60"`},
		"annot, none":     {file: "a.annot", text: "arousal 0 30\nL 0 0\n", err: "no annotation of a sleep stage"},
		"not there":       {file: "b/a.annot", err: "no such file"},
	} {
		path := filepath.Join(t.TempDir(), tt.file)
		if tt.text != "" {
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		h, err := hypnogram.Options{}.Open(path, time.Date(2020, 1, 1, 22, 30, 0, 0, time.UTC))
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(testdata.Plain(err.Error()), tt.err) {
			t.Errorf("%s: error %v, want %q", name, err, tt.err)
		}
		if err != nil {
			continue
		}
		warnings := strings.Join(h.Warnings, "\n")
		if d := cmp.Diff(sequence(tt.want), h.Stages); d != "" || h.Offset != tt.offset || (warnings == "") != (tt.warning == "") || !strings.Contains(warnings, tt.warning) {
			t.Errorf("%s: %s offset %g, warnings %q", name, d, h.Offset, warnings)
		}
	}
}

// utf16 writes ASCII with its byte order mark.
func utf16(s string) string {
	var b strings.Builder
	b.WriteString("\xff\xfe")
	for i := range len(s) {
		b.WriteString(s[i:i+1] + "\x00")
	}
	return b.String()
}

func TestClocksNeedAStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.annot")
	if err := os.WriteFile(path, []byte("W 22:00:00 22:00:30\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (hypnogram.Options{}).Open(path, time.Time{}); err == nil || !strings.Contains(err.Error(), "1 rows of stages cannot be read") {
		t.Errorf("error %v", err)
	}
}

// TestWords: a laboratory's own words count before all others.
func TestWords(t *testing.T) {
	o := hypnogram.Options{Words: map[string]hypnogram.Stage{"schlaf 2": hypnogram.N2, "sleep stage 1": hypnogram.Unscored, "5": hypnogram.R}}
	path := filepath.Join(t.TempDir(), "a.annot")
	if err := os.WriteFile(path, []byte("Sleep stage 1\t0\t30\nSchlaf 2\t30\t60\n5\t60\t90\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := o.Open(path, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(sequence("?2R"), h.Stages); d != "" {
		t.Error(d)
	}
}
