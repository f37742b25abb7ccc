package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// neighbourCases are of the same kinds as the cases, and nobody had them yet.
var neighbourCases = []indexed{
	{of: "recordings/filter-t_iso.csv", made: timesAs("2015/02/24"), args: "filter %t.csv --output %out", err: gap},
	{of: "recordings/filter-t_iso.csv", made: timesAs("20150224T"), args: "filter %t.csv --output %out", err: gap},
	{of: "recordings/filter-q21_comma.csv", made: posts("q.csv", "stream,p:W,p:N,p:R", `a,"0,8","0,1","0,1"`), args: "filter %q.csv --output %out", err: "1 item in 1 stream: 0 failed", out: `a,"0,8","0,1","0,1",W`},
	{of: "recordings/filter-q21_comma.csv", made: posts("q.csv", "stream\tp:W\tp:N\tp:R", "a\t0,1\t0,8\t0,1"), args: "filter %q.csv --output %out", err: "1 item in 1 stream: 0 failed", out: "0,1\t0,8\t0,1\tN"},
	{of: "recordings/filter-q22_round.csv", made: posts("q.csv", "stream,p:W,p:N,p:R", "a,79.0,11.0,10.0"), args: "filter %q.csv --output %out", code: 2, err: "probabilities sum to 100: want 1"},
	{
		of: "recordings/labels-as-indices-yasa.csv", made: stagesAs("W", "1", "2", "3"), args: stagesRead,
		out: "200 items scored of 200; accuracy %   85.00", not: "none of the 5 classes",
	},
	{of: "recordings/labels-as-indices-yasa.csv", made: stagesAs("Wake", "S1", "S2", "S3"), args: stagesRead, out: "200 items scored of 200; accuracy %   85.00"},
	{of: "recordings/labels-as-indices-yasa.csv", made: stagesAs("0.0", "1.0", "2.0", "3.0"), args: stagesRead, out: "200 items scored of 200; accuracy %   85.00", err: "YASA's codes of sleep"},
	{of: "recordings/labels-as-indices-yasa.csv", made: stagesAs("1", "2", "3", "4"), args: stagesRead, code: 1, err: "nothing is scored: true labels are numbers that can mean several things: 1, 2, 3, 4"},
	{
		of: "recordings/motion-m25_noheader.csv", made: semicolons,
		args: "run motion %semi.csv --model =tcn", err: "10 windows in 1 stream: 0 failed; there is no header",
	},
	{of: "recordings/sleep-e08_rem.edf", made: listed("night.eannot", "wake", "W", "NREM1", "N2", "N3", "N4", "REM", "W", "N2", "?"), args: nightsRead, scored: "W 3, N1 1, N2 2, N3 2, R 1"},
	{of: "recordings/sleep-e08_rem.edf", made: listed("night.txt", "0", "0", "1", "2", "3", "3", "4", "-1", "-2", "2"), args: nightsRead, scored: "W 2, N1 1, N2 2, N3 2, R 1", err: "its codes are read as YASA's"},
	{of: "recordings/sleep-e08_rem.edf", made: listed("night_hypno.txt", "Night of X", "W", "W", "N1", "N2", "N3", "N3", "R", "W", "N2", "N2"), args: nightsRead, scored: usualNight, err: "is taken for a title"},
	{of: "recordings/sleep-e08_rem.edf", made: listed("night_events.tsv", "onset\tduration\ttrial_type", "0\t60\tsleep_stage_W", "60\t30\tstage_N1", "65\t3\tarousal", "90\t210\tREM"), args: nightsRead, scored: "W 2, N1 1, R 7"},
	{of: "recordings/sleep-e06_20s.edf", made: listed("night_stages.txt", strings.Split(strings.Repeat("W N2 R ", 5), " ")[:15]...), args: nightsRead, code: 2, err: "15 stages, and the recording has 10 epochs of 30 seconds (and as many pages of 20)"},
	{of: "recordings/sleep-e06_20s.edf", made: listed("night_stages.txt", "W", "N2", "R"), args: nightsRead, scored: "W 1, N2 1, R 1", err: "it lists 3 stages for 10 epochs"},
	{of: "recordings/sleep-f04_Volts.edf", made: copied("recordings/sleep-f04_Volts.edf", "wrong.edf", "Volts", "mV   "), args: "run sleep %wrong.edf --model =num --unit mV=V", not: "channel", err: "10 epochs in 1 stream: 0 failed", check: asMicrovolts("num")},
	{of: "pictures/clock_reset/", made: folded, args: "run images --dry-run %cam", err: "the camera's clock falls back by 55m0s, from 2021-10-31 02:55:00 to 2021-10-31 02:00:00, at IMG_0012.JPG, as at the end of summer time: 11 pictures before it by name and 11 pictures from it on lie in the time that it showed twice"},
	{of: "recordings/text-labels-minus1-0-1.csv", made: posts("l.csv", "user,time,text,label", "a,2020-01-01,x,-1.0", "a,2020-01-02,y,0.0", "a,2020-01-03,z,1.0"), args: "eval text %l.csv --model =s3 --format json", scored: "negative 1, neutral 1, positive 1", err: "read as signs"},
	{of: "recordings/text-labels-minus1-0-1.csv", made: posts("l.csv", "user,time,text,label", "a,2020-01-01,x,1", "a,2020-01-02,y,2", "a,2020-01-03,z,3"), args: "eval text %l.csv --model =s3 --format json", code: 2, err: "--label-index 1 for positions counted from 1"},
}

const (
	stagesRead = "filter %s.csv --columns N1,N2,N3,R,W --stream n --truth-field stage --output %out"
	nightsRead = "eval sleep --trim -1 --format json --model =sleep %"
)

// timesAs writes times of the cases with another date.
func timesAs(date string) func(t *testing.T, dir string) {
	return rewritten("recordings/filter-t_iso.csv", "t.csv", func(row []string) {
		day, clock, _ := strings.Cut(row[2], " ")
		switch {
		case strings.Contains(date, "/"):
			row[2] = strings.ReplaceAll(day, "-", "/") + " " + clock
		default:
			row[2] = strings.ReplaceAll(day, "-", "") + "T" + strings.ReplaceAll(clock, ":", "") + "Z"
		}
	})
}

// stagesAs writes other words for the codes 0 to 3.
func stagesAs(words ...string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		text := readFile(t, filepath.Join(casesFolder(t), "recordings", "labels-as-indices-yasa.csv"))
		header, _, _ := strings.Cut(text, "\n")
		at := -1
		for i, name := range strings.Split(strings.TrimSpace(header), ",") {
			if name == "stage" {
				at = i
			}
		}
		rewritten("recordings/labels-as-indices-yasa.csv", "s.csv", func(row []string) { row[at] = words[row[at][0]-'0'] })(t, dir)
	}
}

// listed puts a text beside a recording of ten epochs that nobody scored.
func listed(as string, lines ...string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		copied("recordings/sleep-f04_Volts.edf", "night.edf")(t, dir)
		posts(as, lines...)(t, dir)
	}
}

// semicolons is the table without a header as German programs write it.
func semicolons(t *testing.T, dir string) {
	t.Helper()
	text := readFile(t, filepath.Join(casesFolder(t), "recordings", "motion-m25_noheader.csv"))
	first, rest := strings.NewReplacer(",", ";"), strings.NewReplacer(".", ",")
	var out strings.Builder
	for line := range strings.Lines(text) {
		at, values, _ := strings.Cut(first.Replace(line), ";")
		out.WriteString(at + ";" + rest.Replace(values))
	}
	writeFile(t, filepath.Join(dir, "semi.csv"), out.String())
}

// folded is pictures every five minutes over the end of summer time.
func folded(t *testing.T, dir string) {
	t.Helper()
	picture := readFile(t, filepath.Join(casesFolder(t), "pictures", "exif_24h.jpg"))
	if err := os.Mkdir(filepath.Join(dir, "cam"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 24 {
		stamp := strings.NewReplacer("2024:05:01 24:00:05", fmt.Sprintf("2021:10:31 02:%02d:00", 5*(i%12)))
		name := fmt.Sprintf("IMG_%04d.JPG", i)
		writeFile(t, filepath.Join(dir, "cam", name), stamp.Replace(picture))
	}
}
