package motion

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestTablesOfUsers reads tables as programs and people write them, each of the form of the file that its name tells.
func TestTablesOfUsers(t *testing.T) {
	start := time.Date(2019, 1, 12, 10, 0, 0, 0, time.UTC)
	rows := func(n int, row func(i int, at time.Time) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(row(i, start.Add(time.Duration(i)*20*time.Millisecond)) + "\n")
		}
		return b.String()
	}
	stamped := func(layout, tail string) string {
		return rows(200, func(i int, at time.Time) string { return at.Format(layout) + fmt.Sprintf(",0,%d.5,1", i) + tail })
	}
	iso, dashes := stamped("2006-01-02 15:04:05.000", ""), strings.Repeat("-", 40)
	for name, tt := range map[string]struct {
		text     string
		o        Options
		zoned    bool
		warnings []string
	}{
		"CR":            {strings.ReplaceAll("time,x,y,z\n"+iso, "\n", "\r"), Options{}, false, nil},
		"UTC behind":    {"time,x,y,z\n" + stamped("2006-01-02 15:04:05.000 UTC", ""), Options{}, true, nil},
		"Oxford":        {"time,x,y,z\n" + stamped("2006-01-02 15:04:05.000+0000 [Europe/London]", ""), Options{}, true, nil},
		"AM and PM":     {"Timestamp,x,y,z\n" + stamped("1/2/2006 3:04:05.000 PM", ""), Options{TimeLayout: "%m/%d/%Y %I:%M:%S.%f %p"}, false, nil},
		"German":        {strings.NewReplacer(",", ";", ".000", ".000").Replace("time,x,y,z\n" + stamped("02.01.2006 15:04:05.000", "")), Options{TimeLayout: "2.1.2006 15:04:05"}, false, nil},
		"no header":     {iso, Options{}, false, []string{"t.csv: the first row is one of samples: there is no header, and the columns are taken for time, x, y, z"}},
		"no header set": {iso, Options{NoHeader: true}, false, nil},
		"lines before":  {"made by me\nwith \"care\n" + "time,x,y,z\n" + iso, Options{SkipLines: 2}, false, nil},
		"ActiLife, times": {
			dashes + " Data File Created By ActiGraph GT3X+ ActiLife v6.13.3 date format M/d/yyyy at 50 Hz " + dashes + "\nSerial Number: T\n" + dashes + "\nTimestamp,Accelerometer X,Accelerometer Y,Accelerometer Z\n" +
				stamped("1/2/2006 3:04:05.000 PM", ""), Options{}, false, nil,
		},
		"ActiLife": {
			dashes + " Data File Created By ActiGraph GT3X+ ActiLife v6.13.3 date format dd.MM.yyyy at 50 Hz " + dashes + "\nStart Time 10:00:00\nStart Date 12.01.2019\n" + dashes + "\nAccelerometer X,Accelerometer Y,Accelerometer Z\n" +
				rows(200, func(i int, _ time.Time) string { return fmt.Sprintf("0,%d.5,1", i) }), Options{}, false, nil,
		},
		"quotes":     {"time,x,y,z,note\n" + stamped("2006-01-02 15:04:05.000", ",\"5"), Options{Quote: "none", Channels: []string{"x", "y", "z"}}, false, nil},
		"one stream": {"time,x,y,z,subject\n" + stamped("2006-01-02 15:04:05.000", ",A") + stamped("2006-01-02 15:04:05.000", ",B"), Options{Stream: "subject", Only: "B"}, false, nil},
	} {
		if strings.HasPrefix(name, "one stream") {
			tt.o.Channels = []string{"x", "y", "z"}
		}
		r, err := newCSV("t.csv", strings.NewReader(tt.text), tt.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := mustRead(t, r, nil)
		h := r.Header()
		if !h.Start.Equal(start) || h.Zoned != tt.zoned || h.Rate != 50 || len(got.times) != 200 || len(h.Channels) != 3 {
			t.Errorf("%s: start %v, zoned %v, rate %v, %d samples of %q", name, h.Start, h.Zoned, h.Rate, len(got.times), h.Names())
			continue
		}
		if at := got.times[150]; math.Abs(at-3) > 1e-9 || got.values[150][1] != 150.5 {
			t.Errorf("%s: sample 150: %v at %v", name, got.values[150], at)
		}
		if d := cmp.Diff(tt.warnings, unitless(r.Warnings())); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// unitless leaves out what is told of the unit of these values, which count up.
func unitless(warnings []string) (out []string) {
	for _, w := range warnings {
		if !strings.Contains(w, "where rest is 1 g") {
			out = append(out, w)
		}
	}
	return out
}

// TestClocksOfUsers: one that is set back, or ahead for a moment, takes no other sample with it.
func TestClocksOfUsers(t *testing.T) {
	at := func(text string) time.Time {
		v, err := time.Parse(time.DateTime, text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	run := func(from string, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(at(from).Add(time.Duration(i)*20*time.Millisecond).Format("2006-01-02 15:04:05.000") + ",1\n")
		}
		return b.String()
	}
	for name, tt := range map[string]struct {
		text    string
		samples int
		last    float64
		warning string
	}{
		"summer time ends": {run("2019-10-27 02:59:58", 100) + run("2019-10-27 02:00:00", 100), 200, 3.98, "clock set back an hour, as at the end of summer time; the times behind it are an hour later than the file has them: 1, the first at t.csv:102"},
		"reset":            {run("2019-10-27 02:59:58", 100) + run("2000-01-01 00:00:00", 100), 200, 1.98 + 60 + 1.98, "clock set back; the times behind it go on a minute after the sample before: 1, the first at t.csv:102"},
		"ahead once":       {run("2019-10-27 02:59:58", 100) + run("2035-01-01 00:00:00", 1) + run("2019-10-27 03:00:00", 100), 200, 3.98, "samples whose clock was ahead for a moment left out: 1, the first at t.csv:102"},
		"a gap":            {run("2019-10-27 02:59:58", 100) + run("2019-10-28 03:00:00", 100), 200, 86400 + 3.98, ""},
	} {
		r, err := newCSV("t.csv", strings.NewReader("time,x\n"+tt.text), Options{})
		got := mustRead(t, r, err)
		if n := len(got.times); n != tt.samples || math.Abs(got.times[n-1]-tt.last) > 1e-6 {
			t.Errorf("%s: %d samples to %v, want %d to %v", name, n, got.times[n-1], tt.samples, tt.last)
		}
		if w := strings.Join(r.Warnings(), "\n"); !strings.Contains(w, tt.warning) || tt.warning == "" && w != "" {
			t.Errorf("%s: %s", name, w)
		}
	}
}

// TestUnitsOfUsers: an unnamed unit that cannot be g is told.
func TestUnitsOfUsers(t *testing.T) {
	for length, want := range map[float64]string{1: "", 9.8: "--unit m/s2", 1000: "--unit mg", 256: "--unit names the unit"} {
		var b strings.Builder
		b.WriteString("time,x,y,z\n")
		for i := range 200 {
			fmt.Fprintf(&b, "%.2f,0,%g,%g\n", float64(i)/50, 0.6*length, 0.8*length)
		}
		for unit, told := range map[string]string{"": want, "m/s2": ""} {
			r, err := newCSV("t.csv", strings.NewReader(b.String()), Options{Unit: unit})
			mustRead(t, r, err)
			if w := strings.Join(r.Warnings(), "\n"); !strings.Contains(w, told) || told == "" && w != "" {
				t.Errorf("%g, unit %q: %q, want %q", length, unit, w, told)
			}
		}
	}
}

// TestHARTHWithOptions: neither options of tables nor a column more make other labels of HARTH's codes, and words are no codes.
func TestHARTHWithOptions(t *testing.T) {
	table := func(label, more string) string {
		var b strings.Builder
		b.WriteString("timestamp," + strings.Join(harthChannels, ",") + ",label,subject_id\n")
		for i := range 20 {
			fmt.Fprintf(&b, "2019-01-12 10:00:00.%03d,0,0,1,0,0,1,%s,%s\n", 20*i, label, more)
		}
		return b.String()
	}
	for _, tt := range []struct {
		label string
		o     Options
		want  []string
	}{
		{"1", Options{}, harthGroups},
		{"1.0", Options{}, harthGroups},
		{"1", Options{Rate: 50}, harthGroups},
		{"1", Options{Unit: "g"}, harthGroups},
		{"1", Options{Label: "label"}, harthGroups},
		{"walk", Options{}, []string{"walk"}},
		{"1", Options{Label: "subject_id"}, []string{"6"}},
	} {
		path := filepath.Join(t.TempDir(), "S006.csv")
		if err := os.WriteFile(path, []byte(table(tt.label, "6")), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path, tt.o)
		got := mustRead(t, r, err)
		if d := cmp.Diff(tt.want, r.Labels()); d != "" || got.labels[0] != 0 {
			t.Errorf("%s, %+v: %s, label %d", tt.label, tt.o, d, got.labels[0])
		}
	}
}

func TestStreams(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	text := "subject,time,x\n"
	for i := range 200 {
		text += fmt.Sprintf("%c,%.2f,1\n", 'A'+i/100, float64(i%100)/50)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	names, err := Streams(path, Options{Stream: "Subject"})
	if d := cmp.Diff([]string{"A", "B"}, names); d != "" || err != nil {
		t.Errorf("%s, %v", d, err)
	}
	if _, err := Streams(path, Options{Stream: "who"}); err == nil || !strings.Contains(err.Error(), "no column who for the stream; columns are subject, time, x") {
		t.Errorf("%v", err)
	}
	r, err := Open(path, Options{})
	mustRead(t, r, err)
	if w := r.Warnings(); len(w) == 0 || w[0] != "changes of subject within one stream (--stream-column subject makes a stream of each): 1, the first at "+path+":102" {
		t.Errorf("%q", w)
	}
}
