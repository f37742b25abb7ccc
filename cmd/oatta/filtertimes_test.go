package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/cli/console"
)

// timed writes one stream with an item every ten seconds, two of which are missing, then a long gap, an item twice and one late.
func timed(t *testing.T) (path string, q [][]float64) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "in.jsonl")
	var text strings.Builder
	add := func(i, seconds int) {
		p := 0.5 + float64(i%7-3)/10
		q = append(q, []float64{p, 1 - p})
		fmt.Fprintf(&text, `{"stream":"s","id":%d,"time":"2024-05-01T%02d:%02d:%02dZ","probs":[%g,%g]}`+"\n", i, seconds/3600, seconds/60%60, seconds%60, p, 1-p)
	}
	for i := range 20 {
		add(i, 10*i)
	}
	for i := range 10 {
		add(20+i, 10*(22+i))
	}
	for i := range 10 {
		add(30+i, 7200+10*i)
	}
	add(39, 7290)
	add(41, 7201)
	writeFile(t, path, text.String())
	return path, q
}

// The filter is told of gaps, and what is late or double is treated as asked for.
func TestFilterTimes(t *testing.T) {
	in, q := timed(t)
	const gaps = "times: 1 gap of 2 missed steps, 1 long gap"
	for _, tc := range []struct {
		args    []string
		summary string
		last    int // item of the last line that is filtered
		restart bool
	}{
		{nil, gaps + ", 1 late item (kept), 1 duplicate (kept)", 41, false},
		{[]string{"--late", "drop"}, gaps + ", 1 late item (left out), 1 duplicate (left out)", 39, false},
		{[]string{"--late", "restart"}, gaps + ", 1 late item (each a new start), 1 duplicate (left out)", 41, true},
	} {
		out, errOut := mustOatta(t, console.Fine, append([]string{"filter", in}, tc.args...)...)
		if !strings.Contains(errOut, tc.summary+"\n") {
			t.Errorf("%v: %s, want %s", tc.args, errOut, tc.summary)
		}
		got := filterLines(t, out)
		f, err := adapt.New(2, adapt.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, 2)
		for i := range got {
			switch {
			case i == 20:
				f.Skip(2)
			case i == 30:
				f.Break()
			case i == 41 && tc.restart:
				f.Reset()
			}
			if out := i >= 40 && tc.args != nil && !(i == 41 && tc.restart); out != (got[i].Adapted == nil) {
				t.Fatalf("%v: item %d: %v", tc.args, i, got[i])
			} else if out {
				continue
			}
			f.Step(dst, q[i])
			if !slices.Equal(got[i].Adapted, dst) {
				t.Fatalf("%v: item %d: %v, want %v", tc.args, i, got[i].Adapted, dst)
			}
		}
	}
	_, errOut := mustOatta(t, console.Unfinished, "filter", in, "--late", "error")
	if !strings.Contains(errOut, ":41: stream \"s\": timeline: item \"39\"") || !strings.Contains(errOut, "there twice") {
		t.Error(errOut)
	}
}

// In order, without a clock, or with one that nobody listens to: the same.
func TestFilterTimesOff(t *testing.T) {
	in, _ := timed(t)
	want := ""
	for l := range strings.Lines(readFile(t, in)) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(l), &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, "time")
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		want += string(text) + "\n"
	}
	plain := filepath.Join(t.TempDir(), "plain.jsonl")
	writeFile(t, plain, want)
	without, errOut := mustOatta(t, console.Fine, "filter", plain)
	if strings.Contains(errOut, "times:") {
		t.Error(errOut)
	}
	off, _ := mustOatta(t, console.Fine, "filter", in, "--gaps", "off")
	a, b := filterLines(t, without), filterLines(t, off)
	for i := range a {
		if !slices.Equal(a[i].Adapted, b[i].Adapted) {
			t.Fatalf("item %d: %v, want %v", i, b[i].Adapted, a[i].Adapted)
		}
	}
	if len(a) != 42 || len(b) != 42 {
		t.Errorf("%d and %d lines", len(a), len(b))
	}
}

func TestFilterReorders(t *testing.T) {
	in, _ := timed(t)
	lines := strings.SplitAfter(strings.TrimSpace(readFile(t, in))+"\n", "\n")[:40]
	sorted, mixed := filepath.Join(t.TempDir(), "a.jsonl"), filepath.Join(t.TempDir(), "b.jsonl")
	writeFile(t, sorted, strings.Join(lines, ""))
	for i := 0; i+4 < len(lines); i += 5 {
		slices.Reverse(lines[i : i+4])
	}
	writeFile(t, mixed, strings.Join(lines, ""))
	want, _ := mustOatta(t, console.Fine, "filter", sorted)
	got, errOut := mustOatta(t, console.Fine, "filter", mixed, "--late", "reorder", "--within", "4")
	if got != want || !strings.Contains(errOut, "24 items put in order") {
		t.Errorf("%s\n%s\nwant\n%s", errOut, got, want)
	}
	for _, args := range [][]string{{"--late", "soon"}, {"--rhythm", "-3s"}, {"--long-gap", "0.5x"}, {"--long-gap", "x"}, {"--gaps", "some"}, {"--within", "3"}, {"--late", "reorder", "--state", "x"}} {
		mustOatta(t, console.Nothing, append([]string{"filter", mixed}, args...)...)
	}
}

// Clocks are part of the memory: the gap between two runs is one.
func TestStateKeepsClocks(t *testing.T) {
	in, _ := timed(t)
	want, _ := mustOatta(t, console.Fine, "filter", in, "--late", "drop")
	store := filepath.Join(t.TempDir(), "s.state")
	for _, cut := range []int{20, 30, 40} {
		a, b := split(t, in, cut)
		store += "x"
		first, _ := mustOatta(t, console.Fine, "filter", a, "--state", store, "--late", "drop")
		second, _ := mustOatta(t, console.Fine, "filter", b, "--state", store, "--late", "drop")
		if first+second != want {
			t.Errorf("in two parts at %d\n%s%s\nin one\n%s", cut, first, second, want)
		}
	}
}

// Crops of one picture have its name and time: they are no duplicates, and the rhythm is that of the pictures.
func TestFilterTimesOfCrops(t *testing.T) {
	var images []string
	for i := range 40 {
		at := 10 * i
		if i >= 20 {
			at += 7200
		}
		images = append(images, fmt.Sprintf(`{"file": "cam/%02d.jpg", "datetime": "2024:05:01 %02d:%02d:%02d", "detections": [
			{"conf": 1, "classifications": [["0", 0.75], ["1", 0.25]]}, {"conf": 1, "classifications": [["0", 0.5], ["1", 0.5]]}]}`, i, at/3600, at/60%60, at%60))
	}
	doc := filepath.Join(t.TempDir(), "in.json")
	writeFile(t, doc, `{"classification_categories": {"0": "deer", "1": "fox"}, "images": [`+strings.Join(images, ",")+`]}`)
	for _, late := range []string{"keep", "drop", "error"} {
		out, errOut := mustOatta(t, console.Fine, "filter", doc, "--late", late)
		if !strings.Contains(errOut, "times: 1 long gap\n") || strings.Count(out, `"adapted_mode"`) != 80 {
			t.Errorf("%s: %s", late, errOut)
		}
	}
	// lines of crops with one name: kept, of the same moment
	var text strings.Builder
	for i := range 40 {
		for range 2 {
			fmt.Fprintf(&text, `{"stream":"s","id":"%d.jpg","time":%d,"probs":[0.75,0.25]}`+"\n", i, 1_700_000_000+10*i+7200*(i/20))
		}
	}
	lines := filepath.Join(t.TempDir(), "in.jsonl")
	writeFile(t, lines, text.String())
	if _, errOut := mustOatta(t, console.Fine, "filter", lines); !strings.Contains(errOut, "times: 1 long gap, 40 duplicates (kept)\n") {
		t.Error(errOut)
	}
}

// Times as other programs and people write them: with a gap of two hours in the middle, which is found, or all of them are told to be unreadable.
func TestFilterTimesOfUsers(t *testing.T) {
	const unread = `the times of 60 items cannot be read, the first "`
	for layout, tc := range map[string]struct {
		flags []string
		want  string
	}{
		"2006-01-02 15:04:05":                      {nil, "times: 1 gap of 240 missed steps\n"},
		"2006-01-02 15:04:05 -0700":                {nil, "times: 1 gap of 240 missed steps\n"},
		"2006-01-02 15:04:05-0700 [Europe/London]": {nil, "times: 1 gap of 240 missed steps\n"},
		"2006-01-02 03:04:05 PM":                   {nil, "times: 1 gap of 240 missed steps\n"},
		"Mon, 02 Jan 2006 15:04:05 -0700":          {nil, "times: 1 gap of 240 missed steps\n"},
		"20060102150405":                           {nil, "times: 1 gap of 240 missed steps\n"},
		"01/02/2006 15:04:05":                      {nil, unread + "02/24/2015 22:00:00"},
		"02.01.2006 15:04:05":                      {nil, unread + "24.02.2015 22:00:00"},
		"15:04:05":                                 {nil, unread + "22:00:00"},
		"1/2/2006 15:04:05":                        {[]string{"--time-layout", "%m/%d/%Y %H:%M:%S"}, "times: 1 gap of 240 missed steps\n"},
		"2.1.2006 15:04:05":                        {[]string{"--time-layout", "2.1.2006 15:04:05"}, "times: 1 gap of 240 missed steps\n"},
	} {
		var text strings.Builder
		text.WriteString("stream;time;p:a;p:b\n") // decimal commas beside semicolons, as Excel has them
		at := time.Date(2015, 2, 24, 22, 0, 0, 0, time.UTC)
		for i := range 60 {
			if i == 30 {
				at = at.Add(2 * time.Hour)
			}
			fmt.Fprintf(&text, "s;%s;0,75;0,25\n", at.Add(time.Duration(i)*30*time.Second).Format(layout))
		}
		in := filepath.Join(t.TempDir(), "in.csv")
		writeFile(t, in, text.String())
		out, errOut := mustOatta(t, console.Fine, append([]string{"filter", in}, tc.flags...)...)
		if !strings.Contains(errOut, tc.want) || strings.Contains(tc.want, "gap") && strings.Contains(errOut, "cannot be read") || !strings.Contains(out, ";0,75;0,25;a;") {
			t.Errorf("%s: %s", layout, errOut)
		}
		if _, errOut = mustOatta(t, console.Fine, append([]string{"filter", in, "--time-field", "-"}, tc.flags...)...); strings.Contains(errOut, "times") {
			t.Errorf("%s without times: %s", layout, errOut)
		}
	}
}

// Times go by instants where all of a stream have a zone, else by the clock on the wall; where both come together that is told, in one run or in two.
func TestFilterZones(t *testing.T) {
	const mixed = "times with a zone among some without in 1 stream"
	instants := func(i int) string { // each a minute later, in zones that take turns
		zone := time.FixedZone("", 3600*(i%3-1))
		return time.Date(2026, 5, 1, 10, i, 0, 0, time.UTC).In(zone).Format(time.RFC3339)
	}
	wall := func(i int) string { return fmt.Sprintf("2026-05-01 10:%02d:00", i) }
	for name, tc := range map[string]struct {
		time  func(i int) string
		mixed bool
	}{
		"instants": {instants, false},
		"wall":     {wall, false},
		"mixed": {func(i int) string {
			if i < 25 {
				return wall(i) + "+05:00"
			}
			return wall(i)
		}, true},
	} {
		var text strings.Builder
		for i := range 40 {
			fmt.Fprintf(&text, `{"stream":"s","id":%d,"time":"%s","probs":[0.7,0.3]}`+"\n", i, tc.time(i))
		}
		dir := t.TempDir()
		in := writeText(t, filepath.Join(dir, "in.jsonl"), text.String())
		_, errOut := mustOatta(t, console.Fine, "filter", in, "--late", "error")
		if strings.Contains(errOut, mixed) != tc.mixed || strings.Contains(errOut, "times: ") && !tc.mixed {
			t.Errorf("%s: %s", name, errOut)
		}
		a, b := split(t, in, 25)
		told := ""
		for _, part := range []string{a, b} {
			_, errOut := mustOatta(t, console.Fine, "filter", part, "--late", "error", "--state", filepath.Join(dir, "s.state"))
			told += errOut
		}
		if strings.Contains(told, mixed) != tc.mixed || strings.Contains(told, "gap") || strings.Contains(told, "late") {
			t.Errorf("%s in two runs: %s", name, told)
		}
	}
}

// A document's order is that of instants where all of a stream have a zone, and that of the clock on the wall where only some have.
func TestFilterZonesOfDocuments(t *testing.T) {
	for zone, told := range map[string]bool{"+03:00": false, "": true} {
		in := writeText(t, filepath.Join(t.TempDir(), "in.json"), `{"info":{"format_version":"1.5"},"classification_categories":{"0":"deer","1":"fox"},"images":[
			{"file":"c/1.jpg","datetime":"2026-05-01 10:00:00+00:00","detections":[{"conf":1,"classifications":[["0",0.9],["1",0.1]]}]},
			{"file":"c/2.jpg","datetime":"2026-05-01 11:00:00`+zone+`","detections":[{"conf":1,"classifications":[["1",0.9],["0",0.1]]}]}]}`)
		_, errOut := mustOatta(t, console.Fine, "filter", in, "--late", "error")
		if got := strings.Contains(errOut, `in 1 stream, ordered by the clock on the wall; the first is c`); got != told {
			t.Errorf("%q: %s", zone, errOut)
		}
	}
}
