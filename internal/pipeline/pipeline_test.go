package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/streams"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/runtime"
)

const classes = 3

// network is a session whose logits are its inputs. It fails on a run that holds the number poison.
type network struct {
	runs     atomic.Int64
	poison   float32
	onPoison func()
	broken   atomic.Bool
	before   func(x []float32) // what happens before a run on x
	after    func(x []float32) // and after it, if it succeeds
}

func (n *network) Inputs() []runtime.Port {
	return []runtime.Port{{Name: "x", Type: runtime.Float32, Shape: []int64{runtime.Dynamic, classes}}}
}

func (n *network) Outputs() []runtime.Port {
	return []runtime.Port{{Name: "y", Type: runtime.Float32, Shape: []int64{runtime.Dynamic, classes}}}
}

func (n *network) Close() error { return nil }

func (n *network) Run(ctx context.Context, dst, src []runtime.Tensor) error {
	n.runs.Add(1)
	x := src[0].Data.([]float32)
	if n.before != nil {
		n.before(x)
	}
	if n.broken.Load() {
		return errors.New("device lost")
	}
	if n.poison != 0 && slices.Contains(x, n.poison) {
		if n.onPoison != nil {
			n.onPoison()
		}
		return errors.New("cannot take it")
	}
	copy(dst[0].Data.([]float32), x)
	if n.after != nil {
		n.after(x)
	}
	return ctx.Err()
}

// bench is a small world: items of a few streams, some of which cannot be loaded.
type bench struct {
	items  []Item
	inputs [][]float32 // nil: cannot be loaded
	net    network
	filter func(o *streams.Options) // changes how the streams are filtered; nil: causally, told of times
	known  []int                    // labels that are certain; nil: none
}

func newBench(seed uint64, n int) *bench {
	r := rand.New(rand.NewPCG(seed, 1))
	b := &bench{}
	stream, at := 0, time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)
	for i := range n {
		if r.IntN(15) == 0 {
			stream++
		}
		at = at.Add([]time.Duration{10 * time.Second, 10 * time.Second, 40 * time.Second, time.Hour}[r.IntN(4)])
		b.items = append(b.items, Item{Name: fmt.Sprintf("cam%d/%03d.jpg", stream, i), Stream: fmt.Sprintf("cam%d", stream), Time: at})
		x := []float32{float32(r.NormFloat64()), float32(r.NormFloat64()), float32(3 * r.NormFloat64())}
		if r.IntN(10) == 0 {
			x = nil
		}
		b.inputs = append(b.inputs, x)
	}
	return b
}

// know makes the labels of some items certain.
func (b *bench) know(r *rand.Rand) {
	for range b.items {
		class := adapt.Unknown
		if r.IntN(8) == 0 {
			class = r.IntN(classes)
		}
		b.known = append(b.known, class)
	}
}

func (b *bench) load(dst []float32, i int, _ uint64) error {
	if b.inputs[i] == nil {
		return fmt.Errorf("%s: truncated", b.items[i].Name)
	}
	copy(dst, b.inputs[i])
	return nil
}

func (b *bench) job(t testing.TB) Job {
	t.Helper()
	base, err := predict.NewBase(&b.net, []int64{classes}, 0, classes)
	if err != nil {
		t.Fatal(err)
	}
	filter := streams.Options{Classes: classes, Times: &streams.Times{Settings: times}}
	if b.filter != nil {
		b.filter(&filter)
	}
	format, err := results.New("megadetector", results.Options{Labels: []string{"fox", "hare", "none"}})
	if err != nil {
		t.Fatal(err)
	}
	return Job{Items: b.items, Load: b.load, Predictor: base, Filter: filter, Known: b.known, Format: format, Batch: 4, Loaders: 2, Runners: 1}
}

// times learn a rhythm soon, so that resumptions have something to forget.
var times = timeline.Settings{Least: 2, LongGap: 30 * time.Minute}

// The filter is told of the time between the items that could be predicted.
func TestGapsReachTheFilter(t *testing.T) {
	b := newBench(14, 150)
	var got []string
	_, report := b.stream(t, func(j *Job) {
		j.Observe = func(_ int, r *results.Record) { got = append(got, fmt.Sprint(r.Adapted)) }
	})
	filter, err := adapt.New(classes, adapt.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	clock, err := timeline.NewClock(times)
	if err != nil {
		t.Fatal(err)
	}
	job, gaps, breaks := b.job(t), 0, 0
	raw, dst := make([]float64, classes), make([]float64, classes)
	for i, item := range b.items {
		if i == 0 || item.Stream != b.items[i-1].Stream {
			filter.Reset()
			clock.Reset()
		}
		want := fmt.Sprint([]float64(nil))
		if b.inputs[i] != nil {
			if err := job.Kind.Probabilities(raw, b.inputs[i]); err != nil {
				t.Fatal(err)
			}
			gap := clock.Next(item.Time, []byte(item.Name))
			filter.Skip(gap.Missed)
			if gap.Break {
				filter.Break()
				breaks++
			}
			gaps += gap.Missed
			filter.Step(dst, raw)
			want = fmt.Sprint(dst)
		}
		if got[i] != want {
			t.Fatalf("item %d: %s, want %s", i, got[i], want)
		}
	}
	if gaps == 0 || breaks == 0 || report.Times.Missed != gaps || report.Times.Breaks != breaks {
		t.Errorf("%d missed steps and %d breaks, reported %+v", gaps, breaks, report.Times)
	}
}

func (b *bench) stream(t testing.TB, change func(*Job)) (string, Report) {
	t.Helper()
	var out bytes.Buffer
	job := b.job(t)
	job.Stream = &out
	change(&job)
	report, err := Run(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), report
}

func TestOutputDoesNotDependOnHowTheWorkIsShared(t *testing.T) {
	b := newBench(1, 200)
	off := func(j *Job) { // the items have no order, and auto would change nothing
		j.Filter.Settings = adapt.Settings{Gate: adapt.GateOff}
	}
	want, report := b.stream(t, off)
	if report.Items != 200 || report.Failures == 0 || report.Changed == 0 {
		t.Fatalf("a dull world: %+v", report)
	}
	for _, share := range [][3]int{{1, 1, 1}, {4, 8, 3}, {64, 3, 2}, {1000, 2, 5}} {
		got, _ := b.stream(t, func(j *Job) {
			off(j)
			j.Batch, j.Loaders, j.Runners = share[0], share[1], share[2]
		})
		if got != want {
			t.Errorf("batch, loaders, runners %v: another output", share)
		}
	}
}

// Times of one stream with a zone and without compare by what a clock on the wall showed: the second is two minutes after the first, and not
// an hour before.
func TestMixedZonesGoByTheWall(t *testing.T) {
	b := newBench(16, 2)
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.FixedZone("", 3600))
	b.items[0] = Item{Name: "a", Stream: "cam", Time: at, Zoned: true}
	b.items[1] = Item{Name: "b", Stream: "cam", Time: time.Date(2024, 5, 1, 12, 2, 0, 0, time.UTC)}
	for i := range b.inputs {
		b.inputs[i] = []float32{1, 2, 3}
	}
	_, report := b.stream(t, func(*Job) {})
	if report.Times.Mixed != 1 || report.Times.Reordered != 0 {
		t.Errorf("%+v, want one mixed stream in order", report.Times)
	}
	b.items[1].Zoned = true // half an hour and more later
	if _, report = b.stream(t, func(*Job) {}); report.Times.Mixed != 0 || report.Times.Breaks != 1 {
		t.Errorf("%+v, want a break between instants", report.Times)
	}
}

// Each stream is filtered as if it were alone, and the records come in the order of the items, failures among them, whenever their answers do.
func TestStreamsDoNotTouchEachOther(t *testing.T) {
	for name, how := range filterings {
		t.Run(name, func(t *testing.T) { apart(t, how) })
	}
}

func apart(t *testing.T, how func(o *streams.Options)) {
	b := newBench(2, 120)
	b.filter = how
	together := b.records(t, 0, len(b.items))
	for first := 0; first < len(b.items); {
		last := first
		for last < len(b.items) && b.items[last].Stream == b.items[first].Stream {
			last++
		}
		for i, alone := range b.records(t, first, last) {
			if alone != together[first+i] {
				t.Fatalf("%s: alone %s, together %s", b.items[first+i].Name, alone, together[first+i])
			}
		}
		first = last
	}
}

// Answers that know what is to come are those of the package that smooths.
func TestHindsight(t *testing.T) {
	b := newBench(15, 150)
	b.filter = func(o *streams.Options) { o.Mode, o.Path, o.Times = streams.Smoothed, true, nil }
	var got []results.Record
	b.stream(t, func(j *Job) {
		j.Observe = func(i int, r *results.Record) {
			if r.File != b.items[i].Name || r.Failed() != (b.inputs[i] == nil) {
				t.Fatalf("item %d, %s: %+v", i, b.items[i].Name, r)
			}
			one := *r
			one.Raw, one.Adapted = slices.Clone(r.Raw), slices.Clone(r.Adapted)
			got = append(got, one)
		}
	})
	for first := 0; first < len(got); {
		var q, want [][]float64
		var of []int
		stream := got[first].Stream
		for ; first < len(got) && got[first].Stream == stream; first++ {
			if !got[first].Failed() {
				q, want, of = append(q, got[first].Raw), append(want, make([]float64, classes)), append(of, first)
			}
		}
		path := make([]int, len(q))
		if _, err := adapt.Smooth(classes, adapt.Settings{}, want, q); err != nil {
			t.Fatal(err)
		}
		if _, err := adapt.Viterbi(classes, adapt.Settings{}, path, q); err != nil {
			t.Fatal(err)
		}
		for k, i := range of {
			if r := got[i]; !slices.Equal(r.Adapted, want[k]) || r.Path != path[k]+1 || r.Mode != string(streams.Smoothed) {
				t.Fatalf("item %d: %v, path %d, %q, want %v and %d", i, r.Adapted, r.Path, r.Mode, want[k], path[k]+1)
			}
		}
	}
}

// A run into a pipe that is stopped answers what waits for items that never come.
func TestStopAnswersWhatWaits(t *testing.T) {
	b := named(200)
	b.filter = filterings["smoothed"]
	stop, done := make(chan struct{}), 0
	out, report := b.stream(t, func(j *Job) {
		j.Stop = stop
		j.Progress = func(bool) {
			if done++; done == 20 {
				close(stop)
			}
		}
	})
	if n := strings.Count(out, `"file"`); !report.Stopped || n != report.Items || n < 20 {
		t.Errorf("%d records of %+v", n, report)
	}
}

func (b *bench) records(t *testing.T, first, last int) (out []string) {
	part := &bench{items: b.items[first:last], inputs: b.inputs[first:last], filter: b.filter}
	part.stream(t, func(j *Job) {
		j.Observe = func(_ int, r *results.Record) { out = append(out, fmt.Sprintf("%+v", *r)) }
	})
	return out
}

func TestOneBadInputDoesNotCostItsMates(t *testing.T) {
	b := newBench(3, 40)
	b.net.poison = 666
	b.inputs[9] = []float32{1, 666, 3}
	var failed []string
	b.stream(t, func(j *Job) {
		j.Observe = func(i int, r *results.Record) {
			if r.Failed() && b.inputs[i] != nil {
				failed = append(failed, fmt.Sprintf("%d: %s", i, r.Failure))
			}
		}
	})
	if want := []string{"9: predict: cannot take it"}; !slices.Equal(failed, want) {
		t.Errorf("failed %q, want %q", failed, want)
	}
}

func TestStreamThatComesTwiceIsRefused(t *testing.T) {
	b := newBench(4, 3)
	for i, s := range []string{"a", "b", "a"} {
		b.items[i].Stream = s
	}
	job := b.job(t)
	job.Stream = &bytes.Buffer{}
	if _, err := Run(context.Background(), job); err == nil || !strings.Contains(err.Error(), `stream "a" comes a second time`) {
		t.Errorf("Run: %v", err)
	}
}

// fullDisk takes a number of bytes and no more.
type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.left {
		return d.left, errors.New("no space left on device")
	}
	d.left -= len(p)
	return len(p), nil
}

func TestFullDiskEndsTheRun(t *testing.T) {
	b := newBench(5, 100)
	job := b.job(t)
	job.Stream = &fullDisk{4000}
	if _, err := Run(context.Background(), job); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("Run: %v", err)
	}
}

var identity = map[string]string{"model": "m1", "gate": "auto"}

func openOutput(t testing.TB, path string, mode Mode) *Output {
	t.Helper()
	o, err := OpenOutput(path, identity, mode)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// runFor runs into path until the observer has seen n items, then stops; it reports whether the run came to its end.
func (b *bench) runFor(t testing.TB, path string, mode Mode, n int, whole bool) Report {
	t.Helper()
	o := openOutput(t, path, mode)
	defer o.Close()
	job := b.job(t)
	stop, seen := make(chan struct{}), 0
	job.Output, job.Stop, job.Whole = o, stop, whole
	job.Observe = func(int, *results.Record) {
		if seen++; seen == n && job.Filter.Mode == "" {
			close(stop)
		}
	}
	done := 0
	job.Progress = func(bool) {
		if done++; done == n && job.Filter.Mode != "" { // answers may come all at once
			close(stop)
		}
	}
	report, err := Run(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	if whole && !report.Stopped && seen != report.Items {
		t.Fatalf("the observer saw %d of %d items", seen, report.Items)
	}
	if !report.Stopped {
		if err := o.Finish(); err != nil {
			t.Fatal(err)
		}
	}
	return report
}

// A run that is stopped again and again, whose files are then damaged as a kill or a power failure would, ends with the bytes of a
// run that was never interrupted.
func TestResumeEqualsAnUninterruptedRun(t *testing.T) {
	for name, how := range filterings {
		t.Run(name, func(t *testing.T) { resumeEquals(t, how, false) })
		t.Run(name+", with known labels", func(t *testing.T) { resumeEquals(t, how, true) })
	}
}

// filterings are the ways in which the streams of a run can be filtered.
var filterings = map[string]func(o *streams.Options){
	"filtered": nil,
	"lagged":   func(o *streams.Options) { o.Mode, o.Lag = streams.Lagged, 3 },
	"smoothed": func(o *streams.Options) { o.Mode = streams.Smoothed },
	"path":     func(o *streams.Options) { o.Mode, o.Path = streams.Smoothed, true },
	"kept":     func(o *streams.Options) { o.Source = keptFilters(o.Settings) },
}

// keptFilters gives each stream a filter that has seen a stream before.
func keptFilters(s adapt.Settings) func(string) (*adapt.Filter, error) {
	all := map[string]*adapt.Filter{}
	return func(stream string) (*adapt.Filter, error) {
		if all[stream] != nil {
			return all[stream], nil
		}
		f, err := adapt.New(classes, s)
		if err != nil {
			return nil, err
		}
		dst := make([]float64, classes)
		for range 40 {
			f.Step(dst, []float64{0.6, 0.3, 0.1})
		}
		all[stream] = f
		return f, nil
	}
}

func resumeEquals(t *testing.T, how func(o *streams.Options), known bool) {
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 99))
		b := newBench(seed, 1+r.IntN(150))
		b.filter = how
		if known {
			b.know(r)
		}
		path := filepath.Join(t.TempDir(), "out.json")
		want, report := b.stream(t, func(*Job) {})
		mode, resumes := Fresh, 0
		var got Report
		for got = b.runFor(t, path, mode, 1+r.IntN(20), false); got.Stopped; got = b.runFor(t, path, Resume, 1+r.IntN(60), r.IntN(2) == 0) {
			damage(t, r, path)
			if resumes++; resumes > 300 {
				t.Fatal("no progress")
			}
		}
		data, err := os.ReadFile(path)
		if err != nil || string(data) != want {
			t.Fatalf("seed %d: after %d resumptions the output differs: %v\n%s\nwant\n%s", seed, resumes, err, data, want)
		}
		if got.Counts != report.Counts {
			t.Errorf("seed %d: counts %+v, uninterrupted %+v", seed, got.Counts, report.Counts)
		}
		if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// Known labels are the answers of their items, are called so, and are no changes by the filter; they reach the others of their stream.
func TestKnownLabels(t *testing.T) {
	for name, how := range filterings {
		b := newBench(21, 120)
		b.filter = how
		collect := func() (out []results.Record) {
			b.stream(t, func(j *Job) {
				j.Observe = func(_ int, r *results.Record) {
					one := *r
					one.Adapted = slices.Clone(r.Adapted)
					out = append(out, one)
				}
			})
			return out
		}
		before := collect()
		b.know(rand.New(rand.NewPCG(21, 2)))
		others := 0
		for i, r := range collect() {
			class := 0
			if !r.Failed() {
				class, _ = r.Label()
			}
			switch {
			case r.Failed() || b.known[i] == adapt.Unknown:
				if r.Known() {
					t.Errorf("%s: item %d is called known", name, i)
				}
				if !r.Failed() && !slices.Equal(r.Adapted, before[i].Adapted) {
					others++
				}
			case !r.Known() || r.Changed() || class != b.known[i] || r.Adapted[class] != 1:
				t.Errorf("%s: item %d: known as %d, is %d, mode %s, %v", name, i, b.known[i], class, r.Mode, r.Adapted)
			}
		}
		if others < 20 {
			t.Errorf("%s: %d other answers", name, others)
		}
	}
}

// damage does what can happen to an unfinished run: bytes behind the last commit, a torn frame, a frame that reached the disk
// before its output, flipped bits at the end of either file; or nothing.
func damage(t *testing.T, r *rand.Rand, path string) {
	t.Helper()
	journal := path + ".journal"
	switch r.IntN(7) {
	case 0:
		appendTo(t, path, "half a rec")
	case 1:
		appendTo(t, journal, "\x40\x00\x00\x00half a frame")
	case 2:
		cut(t, journal, r.Int64N(40))
	case 3:
		cut(t, path, r.Int64N(400))
	case 4:
		flip(t, path, r)
	case 5:
		flip(t, journal, r)
	}
}

// flip changes one of the last bytes of a file, but none of a journal's header.
func flip(t *testing.T, path string, r *rand.Rand) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if at := len(data) - 1 - r.IntN(30); at > headerEnd {
		data[at] ^= 0x10
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// headerEnd is where the header of a journal ends in these tests.
const headerEnd = len(journalMagic) + 8 + len(`{"gate":"auto","model":"m1"}`)

func appendTo(t *testing.T, path, data string) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(data)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// cut removes n bytes from the end, but leaves the journal's header, which is there before anything else.
func cut(t *testing.T, path string, n int64) {
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	least := int64(0)
	if strings.HasSuffix(path, ".journal") {
		least = int64(headerEnd)
	}
	if err := os.Truncate(path, max(least, info.Size()-n)); err != nil {
		t.Fatal(err)
	}
}

func TestOutputModes(t *testing.T) {
	b := newBench(6, 60)
	path := filepath.Join(t.TempDir(), "out.json")
	open := func(mode Mode, id map[string]string) error {
		o, err := OpenOutput(path, id, mode)
		if err == nil {
			err = o.Close()
		}
		return err
	}
	if !b.runFor(t, path, Resume, 1, false).Stopped { // nothing to resume: a start
		t.Fatal("the run was not stopped")
	}
	if err := open(Fresh, identity); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("fresh over an unfinished run: %v", err)
	}
	other := map[string]string{"model": "m2", "gate": "auto"}
	if err := open(Resume, other); err == nil || !strings.Contains(err.Error(), `model: was "m1", is "m2"`) {
		t.Errorf("resume of another run: %v", err)
	}
	held := openOutput(t, path, Resume)
	if err := open(Resume, identity); !errors.Is(err, ErrBusy) {
		t.Errorf("two runs at once: %v", err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	b.runFor(t, path, Resume, -1, false)
	if err := open(Resume, identity); !errors.Is(err, ErrComplete) {
		t.Errorf("resume of a complete run: %v", err)
	}
	if err := open(Fresh, identity); !errors.Is(err, ErrExists) {
		t.Errorf("fresh over a complete run: %v", err)
	}
	if b.runFor(t, path, Overwrite, -1, false).Stopped {
		t.Error("overwrite did not run to the end")
	}
}

// A run that was killed before its journal had a header has written nothing.
func TestResumeOfAnRunWithoutAHeader(t *testing.T) {
	b := newBench(8, 10)
	for _, left := range []string{"", "OAT", journalMagic, journalMagic + "\x20\x00\x00\x00half"} {
		path := filepath.Join(t.TempDir(), "out.json")
		if err := os.WriteFile(path+".journal", []byte(left), 0o600); err != nil {
			t.Fatal(err)
		}
		if report := b.runFor(t, path, Resume, -1, false); report.Items != 10 {
			t.Errorf("journal %q: %+v", left, report)
		}
	}
}

// A stop is heeded while a resumption replays a long stream, and loses nothing.
func TestStopDuringReplay(t *testing.T) {
	b := newBench(11, 200)
	path := filepath.Join(t.TempDir(), "out.json")
	want, _ := b.stream(t, func(*Job) {})
	b.runFor(t, path, Fresh, 150, false)
	o := openOutput(t, path, Resume)
	job := b.job(t)
	stop := make(chan struct{})
	job.Output, job.Stop, job.Whole = o, stop, true
	seen := 0
	job.Observe = func(int, *results.Record) {
		if seen++; seen == 10 {
			close(stop)
		}
	}
	done := o.Done()
	report, err := Run(context.Background(), job)
	if err != nil || !report.Stopped || seen != 10 || report.Items != done {
		t.Errorf("Run: %+v, %v after %d items, %d done before", report, err, seen, done)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	b.runFor(t, path, Resume, -1, false)
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("the output differs: %v", err)
	}
}

// After a stop no more is taken than what was in flight, whatever the scheduler does: the run itself looks, not only a goroutine.
func TestStopTakesOnlyWhatIsInFlight(t *testing.T) {
	for range 20 {
		b := newBench(12, 400)
		job := b.job(t)
		stop := make(chan struct{})
		job.Stream, job.Stop = &bytes.Buffer{}, stop
		job.Observe = func(i int, _ *results.Record) {
			if i == 0 {
				close(stop)
			}
		}
		report, err := Run(context.Background(), job)
		if inFlight := 2*job.Runners + 3; err != nil || !report.Stopped || report.Items > (inFlight+1)*job.Batch {
			t.Fatalf("Run: %+v, %v", report, err)
		}
	}
}

func TestCancelledContextEndsTheRun(t *testing.T) {
	b := newBench(7, 500)
	ctx, cancel := context.WithCancel(context.Background())
	job := b.job(t)
	job.Stream = &bytes.Buffer{}
	job.Observe = func(i int, _ *results.Record) {
		if i == 20 {
			cancel()
		}
	}
	report, err := Run(ctx, job)
	if !errors.Is(err, context.Canceled) || !report.Stopped {
		t.Errorf("Run: %+v, %v", report, err)
	}
}

// A file that is called like a journal and is none is not touched, nor is one that a link leads to.
func TestForeignFilesAreLeftAlone(t *testing.T) {
	for _, mode := range []Mode{Fresh, Resume, Overwrite} {
		dir := t.TempDir()
		path, other := filepath.Join(dir, "yarn"), filepath.Join(dir, "other")
		for name, text := range map[string]string{path + ".journal": "dear diary", path + ".lock": "v1", other: "precious"} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if o, err := OpenOutput(path, identity, mode); err == nil {
			t.Errorf("mode %d over a foreign journal: no error", mode)
			o.Close()
		}
		link := filepath.Join(dir, "link")
		if err := os.Symlink(other, link); err != nil {
			testdata.Missing(t, "%v", err)
		}
		if o, err := OpenOutput(link, identity, mode); err == nil {
			t.Errorf("mode %d over a link: no error", mode)
			o.Close()
		}
		for name, want := range map[string]string{path + ".journal": "dear diary", path + ".lock": "v1", other: "precious"} {
			if got, err := os.ReadFile(name); err != nil || string(got) != want {
				t.Errorf("mode %d: %s: %q, %v", mode, name, got, err)
			}
		}
	}
}

// An output that cannot be made leaves nothing behind, and a journal without a header takes no file with it.
func TestFailedOpenLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.json")
	if err := os.WriteFile(path, []byte("results of another program"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".journal", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenOutput(path, identity, Resume); err == nil || !strings.Contains(err.Error(), "no header") {
		t.Errorf("resume: %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "results of another program" {
		t.Errorf("the file became %q", data)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*lock*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A broken engine ends the run instead of turning every item into a failure, and the items are tried again.
func TestBrokenEngineEndsTheRun(t *testing.T) {
	b := newBench(9, 120)
	path := filepath.Join(t.TempDir(), "out.json")
	want, _ := b.stream(t, func(*Job) {})
	o := openOutput(t, path, Fresh)
	job := b.job(t)
	job.Output = o
	job.Observe = func(i int, _ *results.Record) {
		if i == 30 {
			b.net.broken.Store(true)
		}
	}
	report, err := Run(context.Background(), job)
	if err == nil || !strings.Contains(err.Error(), "failed on 3 batches in a row") || !strings.Contains(err.Error(), "device lost") {
		t.Fatalf("Run: %+v, %v", report, err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	b.net.broken.Store(false)
	b.runFor(t, path, Resume, -1, false)
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("after the engine came back the output differs: %v\n%s", err, got)
	}
}

// A batch that succeeded before the engine broke proves nothing of an earlier one that it broke on, nor does one of which nothing could be
// loaded: what failed is tried again.
func TestEarlierSuccessProvesNothing(t *testing.T) {
	b := newBench(9, 120)
	for i := 48; i < 52; i++ {
		b.inputs[i] = nil
	}
	last, next := b.inputs[43], b.inputs[44]
	if last == nil || next == nil {
		t.Fatal("a dull world")
	}
	path := filepath.Join(t.TempDir(), "out.json")
	want, _ := b.stream(t, func(*Job) {})
	later := make(chan struct{})
	b.net.before = func(x []float32) {
		if slices.Equal(x[len(x)-classes:], last) {
			<-later
			b.net.broken.Store(true)
		}
	}
	b.net.after = func(x []float32) {
		if slices.Equal(x[:classes], next) {
			close(later)
		}
	}
	o := openOutput(t, path, Fresh)
	job := b.job(t)
	job.Output, job.Runners, job.Loaders = o, 2, 1 // one loader: the batches begin in order
	report, err := Run(context.Background(), job)
	if err == nil || !strings.Contains(err.Error(), "in a row, from "+b.items[40].Name) {
		t.Fatalf("Run: %+v, %v", report, err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	b.net.before, b.net.after = nil, nil
	b.net.broken.Store(false)
	if report := b.runFor(t, path, Resume, -1, false); report.Resumed != 40 {
		t.Errorf("resumed after %d items, want 40", report.Resumed)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("after the engine came back the output differs: %v\n%s", err, got)
	}
}

// A cancel that comes while items are tried alone is no failure of theirs.
func TestCancelIsNoFailure(t *testing.T) {
	b := newBench(10, 40)
	b.net.poison = 666
	b.inputs[8], b.inputs[9], b.inputs[10], b.inputs[11] = []float32{666, 1, 2}, []float32{1, 2, 3}, []float32{1, 2, 3}, []float32{1, 2, 3}
	ctx, cancel := context.WithCancel(context.Background())
	b.net.onPoison = cancel
	job := b.job(t)
	var out bytes.Buffer
	job.Stream = &out
	if _, err := Run(ctx, job); !errors.Is(err, context.Canceled) {
		t.Fatalf("Run: %v", err)
	}
	if strings.Contains(out.String(), "canceled") {
		t.Errorf("an item failed for the cancel:\n%s", out.String())
	}
}

func FuzzFrame(f *testing.F) {
	good := frame{First: 4, Counts: Counts{6, 1, 0}, Written: 3, Size: 100, CRC: 7, Items: []outcome{{raw: []float32{1, 2, 3}, stepped: true}, {failure: "torn"}, {failure: "not finite", stepped: true}}}
	f.Add(good.marshal(nil))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		var fr frame
		if fr.unmarshal(data, classes) != nil {
			return
		}
		var again frame
		if err := again.unmarshal(fr.marshal(nil), classes); err != nil || !bytes.Equal(again.marshal(nil), fr.marshal(nil)) {
			t.Fatalf("%+v became %+v: %v", fr, again, err)
		}
	})
}
