package motion

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// table makes a CSV of 50 Hz with x and y; times come from at.
func csvTable(header string, n int, at func(i int) string) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range n {
		fmt.Fprintf(&b, "%s,%d.5,-%d\n", at(i), i, i)
	}
	return b.String()
}

func every20ms(layout string) func(i int) string {
	return func(i int) string {
		return time.Date(2024, 2, 28, 23, 59, 59, 0, time.UTC).Add(time.Duration(i) * 20 * time.Millisecond).Format(layout)
	}
}

// TestCSVTimes reads one recording with its times in many forms.
func TestCSVTimes(t *testing.T) {
	start := time.Date(2024, 2, 28, 23, 59, 59, 0, time.UTC)
	epoch := func(unit time.Duration) func(i int) string {
		return func(i int) string {
			return fmt.Sprint((start.UnixNano() + int64(i)*int64(20*time.Millisecond)) / int64(unit))
		}
	}
	for name, tt := range map[string]struct {
		text   string
		o      Options
		start  time.Time
		zoned  bool
		rate   float64
		accept float64 // of times, in seconds
	}{
		"seconds":         {csvTable("time,x,y", 100, func(i int) string { return fmt.Sprintf("%.2f", float64(i)/50) }), Options{}, time.Time{}, false, 50, 1e-9},
		"from 12 s":       {csvTable("time,x,y", 100, func(i int) string { return fmt.Sprintf("%.2f", 12+float64(i)/50) }), Options{}, time.Time{}, false, 50, 1e-9},
		"exponents":       {csvTable("time,x,y", 100, func(i int) string { return fmt.Sprintf("%e", float64(i)/50) }), Options{}, time.Time{}, false, 50, 1e-9},
		"milliseconds":    {csvTable("time_ms,x,y", 100, func(i int) string { return fmt.Sprint(20 * i) }), Options{}, time.Time{}, false, 50, 1e-9},
		"us in brackets":  {csvTable("t [us],x,y", 100, func(i int) string { return fmt.Sprint(20000 * i) }), Options{}, time.Time{}, false, 50, 1e-9},
		"epoch ms":        {csvTable("timestamp,x,y", 100, epoch(time.Millisecond)), Options{}, start, true, 50, 1e-9},
		"epoch ns":        {csvTable("timestamp,x,y", 100, epoch(time.Nanosecond)), Options{}, start, true, 50, 1e-9},
		"epoch seconds":   {csvTable("t,x,y", 100, func(i int) string { return fmt.Sprintf("%d.%02d", start.Unix()+int64(i/50), i%50*2) }), Options{}, start, true, 50, 1e-9},
		"ISO":             {csvTable("datetime,x,y", 100, every20ms("2006-01-02T15:04:05.000")), Options{}, start, false, 50, 1e-9},
		"ISO, ns":         {csvTable("datetime,x,y", 100, every20ms("2006-01-02 15:04:05.000000000")), Options{}, start, false, 50, 1e-9},
		"ISO, bare":       {csvTable("datetime,x,y", 100, every20ms("2006-01-02 15:04:05.999")), Options{}, start, false, 50, 1e-9},
		"ISO with zone":   {csvTable("datetime,x,y", 100, every20ms("2006-01-02T15:04:05.000Z07:00")), Options{}, start, true, 50, 1e-9},
		"EXIF":            {csvTable("datetime,x,y", 100, every20ms("2006:01:02 15:04:05.000")), Options{}, start, false, 50, 1e-9},
		"none":            {csvTable("n,x,y", 100, func(int) string { return "word" }), Options{Rate: 50}, time.Time{}, false, 50, 1e-9},
		"not asked for":   {csvTable("time,x,y", 100, func(int) string { return "word" }), Options{Time: "-", Rate: 50}, time.Time{}, false, 50, 1e-9},
		"semicolons":      {strings.ReplaceAll(csvTable("time,x,y", 100, func(i int) string { return fmt.Sprintf("%.2f", float64(i)/50) }), ",", ";"), Options{}, time.Time{}, false, 50, 1e-9},
		"tabs, mark":      {"\xef\xbb\xbf" + strings.ReplaceAll(csvTable("time,x,y", 100, func(i int) string { return fmt.Sprintf("%.2f", float64(i)/50) }), ",", "\t"), Options{}, time.Time{}, false, 50, 1e-9},
		"line ends":       {strings.ReplaceAll(csvTable("time,x,y", 100, func(i int) string { return fmt.Sprintf("%.2f", float64(i)/50) }), "\n", "\r\n"), Options{}, time.Time{}, false, 50, 1e-9},
		"60 Hz to the ms": {csvTable("time,x,y", 100, func(i int) string { return fmt.Sprintf("%.3f", float64(i)/60) }), Options{}, time.Time{}, false, 60, 1},
	} {
		r, err := newCSV("t.csv", strings.NewReader(tt.text), tt.o)
		got := mustRead(t, r, err)
		h := r.Header()
		if !h.Start.Equal(tt.start) || h.Zoned != tt.zoned || h.Rate != tt.rate || len(got.times) != 100 {
			t.Errorf("%s: start %v, zoned %v, rate %v, %d samples", name, h.Start, h.Zoned, h.Rate, len(got.times))
		}
		for i, at := range got.times {
			if math.Abs(at-float64(i)/50) > tt.accept || got.values[i][0] != float32(i)+0.5 || got.values[i][1] != -float32(i) {
				t.Fatalf("%s: sample %d: %v at %v", name, i, got.values[i], at)
			}
		}
		told := map[string][]string{
			"epoch ms": {"t.csv: times are taken for milliseconds since 1970"},
			"epoch ns": {"t.csv: times are taken for nanoseconds since 1970"},
		}
		if d := cmp.Diff(told[name], r.Warnings()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestDecimalCommas(t *testing.T) {
	r, err := newCSV("t.csv", strings.NewReader("time;x\n0;0,5\n1;-1,25\n2;3\n"), Options{})
	if d := cmp.Diff([][]float32{{0.5}, {-1.25}, {3}}, mustRead(t, r, err).values); d != "" {
		t.Error(d)
	}
}

func TestCSVColumns(t *testing.T) {
	text := "index,Timestamp,Acc_X (g),acc_y [m/s^2],word,Activity,gyro [dps]\n"
	for i := range 20 {
		text += fmt.Sprintf("%d,%.2f,%d,\"1.5\",w,%s,7\n", i, float64(i)/50, i, [...]string{"walk", "sit", ""}[i/7])
	}
	for _, tt := range []struct {
		o        Options
		channels []Channel
		labels   []string
	}{
		{Options{}, []Channel{{"Acc_X", "g"}, {"acc_y", "m/s2"}, {"gyro", "deg/s"}}, []string{"walk", "sit"}},
		{Options{Channels: []string{"gyro", "ACC_X"}, Label: "-"}, []Channel{{"gyro", "deg/s"}, {"Acc_X", "g"}}, nil},
		{Options{Channels: []string{"index"}, Unit: "mg", Label: "word", Time: "timestamp"}, []Channel{{"index", "mg"}}, []string{"w"}},
	} {
		r, err := newCSV("t.csv", strings.NewReader(text), tt.o)
		got := mustRead(t, r, err)
		if d := cmp.Diff(tt.channels, r.Header().Channels) + cmp.Diff(tt.labels, r.Labels()); d != "" {
			t.Error(d)
		}
		if len(got.times) != 20 {
			t.Errorf("%d samples", len(got.times))
		}
		if tt.o.Label == "" && (got.labels[0] != 0 || got.labels[7] != 1 || got.labels[14] != NoLabel) {
			t.Errorf("labels %v", got.labels)
		}
	}
}

// TestCSVDamage: what is usable is used, with a warning that names the place.
func TestCSVDamage(t *testing.T) {
	row := func(i int) string { return fmt.Sprintf("%.2f,%d,1,a", float64(i)/50, i) }
	for name, tt := range map[string]struct {
		change   map[int]string // of rows 0 to 99, which stand in lines 2 to 101
		samples  int
		warnings []string
	}{
		"short row":    {map[int]string{10: "0.20,10"}, 99, []string{"damaged rows left out: 1, the first at t.csv:12: 2 fields, want at least 3"}},
		"long row":     {map[int]string{10: "0.20,10,1,a,b,c"}, 100, nil},
		"no number":    {map[int]string{10: "0.20,1o,1,a", 12: "0.24,1,!,a"}, 98, []string{"damaged rows left out: 2, the first at t.csv:12: 1o is no number"}},
		"no time":      {map[int]string{10: "later,10,1,a"}, 99, []string{"damaged rows left out: 1, the first at t.csv:12: later is no time"}},
		"quotes":       {map[int]string{10: `0.20,1"0,1,a`}, 99, []string{`damaged rows left out: 1, the first at t.csv:12: bare " in non-quoted-field`}},
		"NaN run":      {map[int]string{10: "0.20,NaN,1,a", 11: "0.22,,1,a", 12: "0.24,inf,1,a", 13: "0.26,1e99,NA,a"}, 100, []string{"missing values: 5, the first at t.csv:12"}},
		"duplicate":    {map[int]string{10: row(9), 50: row(49)}, 98, []string{"samples at the time of their predecessor left out: 2, the first at t.csv:12"}},
		"unsorted":     {map[int]string{10: row(3), 11: row(4)}, 98, []string{"samples before their predecessor left out: 2, the first at t.csv:12"}},
		"label":        {map[int]string{10: "0.20,1,1,\xff\xfe"}, 99, []string{`damaged rows left out: 1, the first at t.csv:12: label is not UTF-8: "\xff\xfe"`}},
		"bytes":        {map[int]string{10: "0.20,\xff\x00,1,a"}, 99, []string{`damaged rows left out: 1, the first at t.csv:12: "\xff\x00" is no number`}},
		"empty rows":   {map[int]string{10: row(10) + "\n\n\n"}, 100, nil},
		"another rate": {map[int]string{99: row(99) + other(5000)}, 5100, []string{"stretches of 1024 samples that have not the 50 Hz of the recording: 5, the first at t.csv:2: 91 Hz"}},
	} {
		text := "time,x,y,label\n"
		for i := range 100 {
			if c, ok := tt.change[i]; ok {
				text += c + "\n"
			} else {
				text += row(i) + "\n"
			}
		}
		o := Options{Channels: []string{"x", "y"}, Rate: 50}
		r, err := newCSV("t.csv", strings.NewReader(text), o)
		got := mustRead(t, r, err)
		if len(got.times) != tt.samples {
			t.Errorf("%s: %d samples, want %d", name, len(got.times), tt.samples)
		}
		w := r.Warnings()
		if name == "another rate" { // the head says so, too
			w = w[len(w)-1:]
		}
		if d := cmp.Diff(tt.warnings, w); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// other is n rows of 100 Hz from second 2 on.
func other(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\n%.2f,1,1,b", 2+float64(i)/100)
	}
	return b.String()
}

func TestCSVErrors(t *testing.T) {
	good := "time,x\n0,1\n0.02,1\n"
	for want, tt := range map[string]struct {
		text string
		o    Options
	}{
		"t.csv: file is empty":                           {"", Options{}},
		"t.csv:1: no rows below the header":              {"time,x\n", Options{}},
		"t.csv:1: no column of times among x, y":         {"x,y\n1,2\n", Options{}},
		"t.csv:1: no column when for the time":           {good, Options{Time: "when"}},
		"t.csv:1: no column z; columns are time, x":      {good, Options{Channels: []string{"z"}}},
		"t.csv:1: no column of numbers":                  {"time,x\n0,a\n1,b\n", Options{}},
		"t.csv:2: column 1: monday is no time":           {"time,x\nmonday,1\n", Options{}},
		"t.csv:2: times repeat: too coarse":              {"time,x\n" + strings.Repeat("1,1\n", 50) + "2,1\n", Options{}},
		"t.csv:2: times do not increase":                 {"time,x\n3,1\n2,1\n1,1\n", Options{}},
		"rate of -1 Hz":                                  {good, Options{Rate: -1}},
		"t.csv:1: no column of times among ti, x":        {"\xff\xfet\x00i\x00,\x00x\x00\n\x001\x00,\x002\x00", Options{}},
		`t.csv:1: name of column 2 is not UTF-8: "\xff"`: {"time,\xff\n0,1\n", Options{}},
		"no row can be read: damaged rows left out: 1":   {"time,x\n0\n", Options{Channels: []string{"x"}, Rate: 50}},
		"samples have no time after that of their pred":  {"time,x\n5,1\n" + strings.Repeat("4,1\n3,1\n", 9), Options{Rate: 1}},
		"t.csv:1: 300 channels":                          {"time" + strings.Repeat(",c", 300) + "\n0" + strings.Repeat(",1", 300) + "\n1" + strings.Repeat(",1", 300) + "\n", Options{}},
		"none of 1024 rows can be read":                  {"time,x,y\n" + strings.Repeat("0.02,1\n", 3000), Options{Channels: []string{"y"}, Time: "x", Rate: 1, Label: "-"}},
	} {
		r, err := newCSV("t.csv", strings.NewReader(tt.text), tt.o)
		if err == nil {
			_, err = readAll(r)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// harthName returns the name of the activity of a code, "" for codes that HARTH does not have.
func harthName(code string) string {
	for _, a := range harthActivities {
		if a.Code == code {
			return a.Name
		}
	}
	return ""
}

// openHARTH opens a file of HARTH, S006.csv and so on: its six channels, person S006, labels merged to harthGroups. For the twelve
// activities call Relabel with harthName.
//
// Columns count by name: some files have the numbers of rows in one more column, without a name or named index.
func openHARTH(path string) (*Recording, error) {
	r, err := openCSV(path, Options{Time: "timestamp", Channels: harthChannels, Label: "label", Unit: "g"})
	if err != nil {
		return nil, err
	}
	asHARTH(r)
	return r, nil
}

// TestHARTH is of rows in the form of the data set's files, with the odd column that some have.
func TestHARTH(t *testing.T) {
	text := ",timestamp,back_x,back_y,back_z,thigh_x,thigh_y,thigh_z,label\n"
	for i, a := range harthActivities {
		text += fmt.Sprintf("%d,2019-01-12 00:00:00.%03d000000,-0.99,0.01,0.1,-0.98,0.02,%d,%s\n", i, 20*i, i, a.Code)
	}
	text += "12,2019-01-12 00:00:00.240000000,-0.99,0.01,0.1,-0.98,0.02,0,99\n"
	path := filepath.Join(t.TempDir(), "S006.csv.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	_, _ = z.Write([]byte(text))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for name, open := range map[string]func() (*Recording, error){
		"options": func() (*Recording, error) { return openHARTH(path) },
		"Open":    func() (*Recording, error) { return Open(path, Options{}) },
	} {
		r, err := open()
		got := mustRead(t, r, err)
		want := Header{Name: "S006", Person: "S006", Start: time.Date(2019, 1, 12, 0, 0, 0, 0, time.UTC), Rate: 50}
		if d := cmp.Diff(want, *r.Header(), cmpopts.IgnoreFields(Header{}, "Channels")); d != "" || len(got.times) != 13 {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff(harthChannels, r.Names()) + cmp.Diff(harthGroups, r.Labels()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		// walking, running, shuffling, stairs twice, standing, sitting, lying, cycling four times, and a code that is none
		if d := cmp.Diff([]int32{0, 1, 2, 4, 4, 2, 2, 3, 5, 5, 5, 5, NoLabel}, got.labels); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	r, err := openHARTH(path)
	if err != nil {
		t.Fatal(err)
	}
	r.Relabel([]string{"lying", "sitting"}, harthName)
	if got := mustRead(t, r, nil); got.labels[6] != 1 || got.labels[7] != 0 || got.labels[0] != NoLabel {
		t.Errorf("activities: %v", got.labels)
	}
}

// TestCSVCutShort reads what a gzip file that ends too early still holds.
func TestCSVCutShort(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(csvTable("time,x,y", 5000, func(i int) string { return fmt.Sprintf("%.2f", float64(i)/50) })))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.csv.gz")
	if err := os.WriteFile(path, b.Bytes()[:b.Len()*3/4], 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := openCSV(path, Options{})
	got := mustRead(t, r, err)
	if n := len(got.times); n < 2000 || n >= 5000 {
		t.Errorf("%d samples", n)
	}
	if w := r.Warnings(); len(w) == 0 || !strings.Contains(w[len(w)-1], "the file is cut short") {
		t.Errorf("%q", w)
	}
}
