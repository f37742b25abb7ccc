package explain

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/adapt"
)

// predictions of a classifier that is mostly right on a stream whose class mostly stays.
func predictions(seed uint64, classes, steps int) (q [][]float64, truth []int) {
	r := rand.New(rand.NewPCG(seed, 81))
	y := 0
	for range steps {
		if r.Float64() < 0.2 {
			y = r.IntN(classes)
		}
		p, total := make([]float64, classes), 0.0
		for k := range p {
			p[k] = math.Exp(r.NormFloat64())
			if k == y {
				p[k] *= 8
			}
			total += p[k]
		}
		for k := range p {
			p[k] /= total
		}
		q, truth = append(q, p), append(truth, y)
	}
	return q, truth
}

func names(k int) (out []string) {
	for i := range k {
		out = append(out, fmt.Sprintf("class %d", i))
	}
	return out
}

// run is a filter with its recorder, and what they were told.
type run struct {
	f *adapt.Filter
	r *Recorder
	d []adapt.Diagnostics
}

var start = time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)

func recorded(t *testing.T, s Settings, filter adapt.Settings, q [][]float64, truth []int, event func(i int) Event) run {
	t.Helper()
	f, err := adapt.New(len(s.Classes), filter)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	out, dst := run{f: f, r: r}, make([]float64, len(s.Classes))
	for i, p := range q {
		step := Step{Raw: p, Adapted: dst, Truth: -1, Time: start.Add(time.Duration(i) * time.Minute)}
		if truth != nil {
			step.Truth = truth[i]
		}
		if event != nil {
			step.Event = event(i)
		}
		d := f.Step(dst, p)
		r.Add(f, d, step)
		out.d = append(out.d, d)
	}
	return out
}

func table(t *testing.T, data []byte, err error) [][]string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func parse(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What the filter said is what the files say, step by step.
func TestRecordsSayWhatTheFilterSaid(t *testing.T) {
	for _, gate := range adapt.Gates() {
		q, truth := predictions(1, 4, 60)
		got := recorded(t, Settings{Stream: "cam1", Classes: names(4)}, adapt.Settings{Gate: gate}, q, truth, nil)
		data, err := got.r.recordsCSV()
		rows := table(t, data, err)
		if len(rows) != 61 {
			t.Fatalf("gate %s: %d lines", gate, len(rows))
		}
		column := func(row int, name string) string { return rows[row+1][slices.Index(rows[0], name)] }
		for i, d := range got.d {
			for name, want := range map[string]float64{"gate": d.Gate, "entropy": d.Entropy, "evidence": d.Evidence, "step": float64(i + 1), "steps": 1} {
				if v := parse(t, column(i, name)); math.Abs(v-want) > 1e-9*(1+want) {
					t.Errorf("gate %s, step %d: %s is %g, want %g", gate, i, name, v, want)
				}
			}
			if column(i, "truth") != fmt.Sprint("class ", truth[i]) || column(i, "time") != start.Add(time.Duration(i)*time.Minute).Format(time.RFC3339) {
				t.Errorf("gate %s, step %d: %v", gate, i, rows[i+1])
			}
			shares := 0.0
			for _, kind := range []string{"none", "persist", "sticky", "full", "population"} {
				if text := column(i, kind); (text != "") != (gate == adapt.GateAuto) {
					t.Errorf("gate %s: weight %q of %s", gate, text, kind)
				} else if text != "" {
					shares += parse(t, text)
				}
			}
			if gate == adapt.GateAuto && math.Abs(shares-1) > 1e-9 {
				t.Errorf("step %d: weights sum to %g", i, shares)
			}
			if text := column(i, "log_ratio"); text != "" && math.Abs(parse(t, text)-d.LLR) > 1e-9 || (text != "") != (gate == adapt.GateEWMA || gate == adapt.GateWindow) {
				t.Errorf("gate %s, step %d: log ratio %q, want %g", gate, i, text, d.LLR)
			}
		}
		checkMatrix(t, got)
	}
}

func checkMatrix(t *testing.T, got run) {
	t.Helper()
	data, err := got.r.matrixCSV()
	rows := table(t, data, err)
	a, sizes := got.f.Transitions(nil), got.f.SampleSizes(nil)
	for i := range 4 {
		if v := parse(t, rows[i+1][1]); math.Abs(v-sizes[i]) > 1e-8*(1+sizes[i]) {
			t.Errorf("row %d: size %g, want %g", i, v, sizes[i])
		}
		for j := range 4 {
			if v := parse(t, rows[i+1][2+j]); math.Abs(v-a[4*i+j]) > 1e-9 {
				t.Errorf("entry %d, %d: %g, want %g", i, j, v, a[4*i+j])
			}
		}
	}
}

// A thinned recorder against the whole one: records are means over as many steps, and nothing that happened is lost.
func TestLongStreamsAreThinned(t *testing.T) {
	const steps, most = 5000, 64
	q, truth := predictions(2, 3, steps)
	for i := range q {
		if i%3 != 0 { // certain, so that there is zero evidence
			clear(q[i])
			q[i][truth[i]] = 1
		}
	}
	event := func(i int) Event {
		return map[int]Event{1234: Gap, 1235: Break, 4999: Reset}[i]
	}
	frozen := adapt.DefaultPaper()
	frozen.Init, frozen.Gamma = adapt.InitIdentity, 0
	filter := adapt.Settings{Gate: adapt.GateEWMA, Paper: &frozen}
	thin := recorded(t, Settings{Classes: names(3), MaxRecords: most}, filter, q, truth, event)
	whole := recorded(t, Settings{Classes: names(3)}, filter, q, truth, event)
	r := thin.r
	if len(r.records) > most || cap(r.records) > 2*most || r.per != 128 || len(r.sizes.at) > mostSamples {
		t.Fatalf("%d records (room for %d) of %d steps, %d samples", len(r.records), cap(r.records), r.per, len(r.sizes.at))
	}
	total, zero, events := 0, 0, Event(0)
	for i, a := range r.records {
		from, to := i*r.per, min((i+1)*r.per, steps)
		var gate, gain float64
		for _, b := range whole.r.records[from:to] {
			gate, gain = gate+b.gate/float64(to-from), gain+b.gain/float64(to-from)
		}
		first := whole.r.records[from]
		if a.first != from+1 || a.steps != to-from || a.raw != first.raw || a.truth != first.truth || a.time != first.time {
			t.Errorf("record %d: %+v, want the marks of %+v", i, a, first)
		}
		if math.Abs(a.gate-gate) > 1e-12 || math.Abs(a.gain-gain) > 1e-12 {
			t.Errorf("record %d: gate %g, gain %g, want the means %g, %g", i, a.gate, a.gain, gate, gain)
		}
		total, zero, events = total+a.steps, zero+a.zero, events|a.event
	}
	if total != steps || zero == 0 || zero != thin.f.ZeroEvidence() || events != Gap|Break|Reset {
		t.Errorf("%d steps, %d of zero evidence of %d, events %v", total, zero, thin.f.ZeroEvidence(), events)
	}
	if a, b := r.note(), whole.r.note(); a != b {
		t.Errorf("counts depend on the records: %s, whole %s", a, b)
	}
	if err := r.Stream().Validate(); err != nil {
		t.Error(err)
	}
}

// Samples of the rows' sizes stay bounded and evenly spaced, and are what the filter said at their steps.
func TestSizesAreSampled(t *testing.T) {
	q, _ := predictions(3, 2, 3000)
	f, err := adapt.New(2, adapt.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	s, dst := newSizes(2), make([]float64, 2)
	var all [][]float64
	for i, p := range q {
		f.Step(dst, p)
		all = append(all, f.SampleSizes(nil))
		s.add(i+1, f)
	}
	if len(s.at) > mostSamples || s.every != 8 || len(s.at) != 375 {
		t.Fatalf("%d samples, one in %d", len(s.at), s.every)
	}
	for i, step := range s.at {
		if step != 1+8*i || s.values[i][0] != float32(all[step-1][0]) || s.values[i][1] != float32(all[step-1][1]) {
			t.Errorf("sample %d: step %d, %v, want %v", i, step, s.values[i], all[step-1])
		}
	}
	if n := newSizes(adapt.MaxClasses).most; n != leastSamples {
		t.Errorf("%d samples of %d classes", n, adapt.MaxClasses)
	}
}

func listing(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	prefix := filepath.Join(dir, "cam1")
	q, truth := predictions(4, 3, 80)
	got := recorded(t, Settings{Stream: "cam1", Classes: names(3)}, adapt.Settings{}, q, truth, nil)
	files, err := got.r.Write(prefix)
	if err != nil || !slices.Equal(files, Files(prefix)) || len(listing(t, dir)) != len(files) {
		t.Fatalf("%v, %v: %v", files, err, listing(t, dir))
	}
	first := map[string][]byte{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil || len(data) == 0 {
			t.Fatalf("%s: %d bytes, %v", name, len(data), err)
		}
		first[name] = data
		if info, err := os.Stat(name); err != nil || goruntime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v: want one that its owner alone reads", name, info.Mode(), err)
		}
	}
	// The same run gives the same bytes, and replaces files only if told to.
	again := recorded(t, Settings{Stream: "cam1", Classes: names(3)}, adapt.Settings{}, q, truth, nil)
	if _, err := again.r.Write(prefix); !errors.Is(err, fs.ErrExist) || !strings.HasPrefix(err.Error(), "explain: "+prefix) {
		t.Errorf("error %v, want one that says what is there", err)
	}
	again.r.settings.Overwrite = true
	if _, err := again.r.Write(prefix); err != nil {
		t.Error(err)
	}
	for _, name := range files {
		if data, err := os.ReadFile(name); err != nil || !bytes.Equal(data, first[name]) {
			t.Errorf("%s has other bytes the second time: %v", name, err)
		}
	}
	checkSummary(t, first[prefix+".json"])
}

func checkSummary(t *testing.T, data []byte) {
	t.Helper()
	var s summary
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	if s.Stream != "cam1" || s.Steps != 80 || s.Labelled != 80 || s.Accuracy == nil || !(*s.Accuracy > 0.5) || len(s.Hypotheses) != 54 {
		t.Errorf("%s", data)
	}
	if strings.Contains(string(data), "transitions") {
		t.Error("the summary holds the matrix")
	}
}

// One file in the way: none is made, none is left behind, and what was there stays.
func TestWriteAllOrNothing(t *testing.T) {
	q, _ := predictions(5, 2, 20)
	for _, taken := range Files("x") {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, taken), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		got := recorded(t, Settings{Classes: names(2)}, adapt.Settings{}, q, nil, nil)
		if _, err := got.r.Write(filepath.Join(dir, "x")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: error %v", taken, err)
		}
		data, err := os.ReadFile(filepath.Join(dir, taken))
		if left := listing(t, dir); len(left) != 1 || err != nil || string(data) != "mine" {
			t.Errorf("%s: %v left, %q, %v", taken, left, data, err)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	q, _ := predictions(6, 2, 5)
	got := recorded(t, Settings{Classes: names(2)}, adapt.Settings{}, q, nil, nil)
	dir := t.TempDir()
	for _, prefix := range []string{"", ".", dir + "/", filepath.Join(dir, "none", "x")} {
		if _, err := got.r.Write(prefix); err == nil || !strings.HasPrefix(err.Error(), "explain: ") {
			t.Errorf("prefix %q: error %v", prefix, err)
		}
	}
	empty, err := New(Settings{Classes: names(2)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := empty.Write(filepath.Join(dir, "x")); err == nil || !strings.Contains(err.Error(), "no step") {
		t.Errorf("error %v", err)
	}
	if left := listing(t, dir); len(left) != 0 {
		t.Errorf("%v left", left)
	}
}

// A filter that has gone on to another stream has another matrix; one that was kept in time counts.
func TestKeep(t *testing.T) {
	q, _ := predictions(7, 2, 30)
	got := recorded(t, Settings{Classes: names(2)}, adapt.Settings{}, q, nil, nil)
	want := got.f.Transitions(nil)
	got.f.Reset()
	if _, err := got.r.Matrix(); err == nil || !strings.Contains(err.Error(), "has gone on") {
		t.Errorf("error %v", err)
	}
	kept := recorded(t, Settings{Classes: names(2)}, adapt.Settings{}, q, nil, nil)
	kept.r.Keep()
	kept.f.Reset()
	if m, err := kept.r.Matrix(); err != nil || !slices.Equal(m.Values, want) {
		t.Errorf("%v, %v, want %v", m.Values, err, want)
	}
}

// Whatever the gate, the classes and the stream: all files, and no number that is none.
func TestEdgesAreWritten(t *testing.T) {
	for _, gate := range adapt.Gates() {
		for _, tc := range []struct{ classes, steps int }{{1, 1}, {1, 30}, {2, 1}, {50, 40}} {
			q, _ := predictions(8, tc.classes, tc.steps)
			list := names(tc.classes)
			list[0] = "狐, \"Füchse\" <&>\n" + strings.Repeat("long ", 60)
			dir := t.TempDir()
			got := recorded(t, Settings{Stream: "a/b\n" + strings.Repeat("s", 300), Classes: list}, adapt.Settings{Gate: gate}, q, nil, nil)
			files, err := got.r.Write(filepath.Join(dir, "x"))
			if err != nil {
				t.Errorf("gate %s, %d classes, %d steps: %v", gate, tc.classes, tc.steps, err)
			}
			for _, name := range files {
				if data, err := os.ReadFile(name); err != nil || !strings.HasSuffix(name, ".png") && bytes.Contains(data, []byte("NaN")) {
					t.Errorf("gate %s, %d classes, %d steps: %s: NaN, or %v", gate, tc.classes, tc.steps, name, err)
				}
			}
		}
	}
}

func TestSettingsAreValidated(t *testing.T) {
	for want, s := range map[string]Settings{
		"0 classes": {}, "3 records": {Classes: names(2), MaxRecords: 3}, "-2 records": {Classes: names(2), MaxRecords: -2},
	} {
		if _, err := New(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestAddPanicsOnTheCallersBug(t *testing.T) {
	f, err := adapt.New(2, adapt.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(Settings{Classes: names(2)})
	if err != nil {
		t.Fatal(err)
	}
	two, three := []float64{0.5, 0.5}, []float64{0.5, 0.25, 0.25}
	for _, s := range []Step{{Raw: three, Adapted: two}, {Raw: two, Adapted: three}, {Raw: two, Adapted: two, Truth: 2}} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, "explain: Add") {
					t.Errorf("panic %q", got)
				}
			}()
			r.Add(f, adapt.Diagnostics{}, s)
		}()
	}
}
