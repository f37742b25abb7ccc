package motion

import (
	"io"
	"math"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/oatta/oatta/preprocess/dsp"
)

// count returns n numbers from first on.
func count(first, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(first + i)
	}
	return x
}

// without leaves out the samples of m with numbers from..to-1.
func (m *memory) without(from, to int) *memory {
	m.times = slices.Delete(m.times, from, to)
	m.values = slices.Delete(m.values, from, to)
	if m.labels != nil {
		m.labels = slices.Delete(m.labels, from, to)
	}
	return m
}

// seconds is a recording of n samples at 1 Hz whose values are its seconds.
func seconds(n int) *memory { return regular(1, count(0, n)) }

// TestWindows is by hand: which windows there are, where they begin, and their first and last values.
func TestWindows(t *testing.T) {
	type window struct {
		Index       int64
		Start       float64
		First, Last float32
	}
	whole := []window{{0, 0, 0, 9}, {1, 10, 10, 19}, {2, 20, 20, 29}}
	for name, tt := range map[string]struct {
		src  *memory
		set  Settings
		want []window
	}{
		"whole":            {seconds(30), Settings{}, whole},
		"rest":             {seconds(39), Settings{}, whole},
		"one sample less":  {seconds(29), Settings{}, whole[:2]},
		"overlap":          {seconds(16), Settings{Hop: 3}, []window{{0, 0, 0, 9}, {1, 3, 3, 12}, {2, 6, 6, 15}}},
		"hop":              {seconds(40), Settings{Hop: 15}, []window{{0, 0, 0, 9}, {1, 15, 15, 24}, {2, 30, 30, 39}}},
		"gap":              {seconds(40).without(12, 15), Settings{}, []window{{0, 0, 0, 9}, {2, 20, 20, 29}, {3, 30, 30, 39}}},
		"gap at an edge":   {seconds(40).without(10, 15), Settings{}, []window{{0, 0, 0, 9}, {2, 20, 20, 29}, {3, 30, 30, 39}}},
		"gap that is long": {seconds(40).without(5, 31), Settings{}, nil},
		"bridged":          {seconds(30).without(12, 15), Settings{MaxGap: 4}, whole},
		"bridged not":      {seconds(30).without(12, 15), Settings{MaxGap: 3.9}, []window{whole[0], whole[2]}},
		"many stretches":   {seconds(50).without(45, 46).without(25, 26).without(5, 6), Settings{Hop: 5}, []window{{2, 10, 10, 19}, {3, 15, 15, 24}, {6, 30, 30, 39}, {7, 35, 35, 44}}},
	} {
		for _, step := range []int{0, 1, 7} {
			src := *tt.src
			src.step = step
			set := tt.set
			set.Channels, set.Rate, set.Samples = []string{"x"}, 1, 10
			s, err := NewStream(&src, set)
			if err != nil {
				t.Fatal(err)
			}
			var got []window
			for _, w := range windows(t, s) {
				got = append(got, window{w.Index, w.Start, w.Data[0], w.Data[9]})
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("%s, %d samples at a time: %s", name, step, d)
			}
		}
	}
}

// TestBridge shows that a short gap is a straight line, and a sample that is not whole a gap.
func TestBridge(t *testing.T) {
	x := count(0, 20)
	x[7], x[8] = float32(math.NaN()), float32(math.Inf(1))
	got := all(t, regular(1, x), Settings{Channels: []string{"x"}, Rate: 1, MaxGap: 5})
	if d := cmp.Diff(count(0, 20), got, cmpopts.EquateApprox(0, 1e-6)); d != "" {
		t.Error(d)
	}
	s, err := NewStream(regular(1, x), Settings{Channels: []string{"x"}, Rate: 1, Samples: 4})
	if err != nil {
		t.Fatal(err)
	}
	if got := windows(t, s); len(got) != 3 || got[1].Index != 3 {
		t.Errorf("%v", got)
	}
	want := []string{"samples without a value in some channel, passed over: 2", "gaps of more than 1.5 seconds: 1"}
	if d := cmp.Diff(want, s.Warnings()); d != "" {
		t.Error(d)
	}
}

func TestLabels(t *testing.T) {
	for _, tt := range []struct {
		labels string // a letter a sample, - for none
		purity float64
		want   string
	}{
		{"aaaaaaaaaa", 0, "a"},
		{"aaaaaabbbb", 0, "a"},
		{"aaaaabbbbb", 0, "a"}, // of equals the first
		{"bbbbbaaaaa", 0, "b"},
		{"aaabbbbccc", 0, "b"},
		{"aaaaaabbbb", 0.6, "a"},
		{"aaaaaabbbb", 0.61, "-"},
		{"aaaaabbb--", 0.5, "a"},
		{"aaaa------", 0, "-"},
		{"a-a-a-b-b-", 0, "-"},
		{"----------", 0, "-"},
		{"aaaaaaaaaa", 1, "a"},
		{"aaaaaaaaab", 1, "-"},
	} {
		src := seconds(10)
		for _, l := range tt.labels {
			src.labels = append(src.labels, int32(strings.IndexRune("abc", l)))
		}
		s, err := NewStream(src, Settings{Channels: []string{"x"}, Rate: 1, Samples: 10, Purity: tt.purity})
		if err != nil {
			t.Fatal(err)
		}
		got := windows(t, s)[0]
		if want := strings.Index("abc", tt.want); got.Label != want {
			t.Errorf("%s at purity %v: label %d, want %d", tt.labels, tt.purity, got.Label, want)
		}
	}
}

// TestLabelsMoveWithSamples: at half the rate, each label is that of the nearest sample.
func TestLabelsMoveWithSamples(t *testing.T) {
	src := regular(100, count(0, 400))
	for i := range 400 {
		src.labels = append(src.labels, int32(i/100))
	}
	s, err := NewStream(src, Settings{Channels: []string{"x"}, Rate: 50, Samples: 50})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range windows(t, s) {
		if w.Label != i || w.Purity != 1 {
			t.Errorf("window %d: label %d, purity %v", i, w.Label, w.Purity)
		}
	}
}

func TestUnitsAndChannels(t *testing.T) {
	src := &memory{names: []string{"Acc-X", "gyro", "y"}, units: []string{"m/s2", "deg/s", "mg"}, rate: 1, times: []float64{0}, values: []float32{gravity, 90, 500}}
	s, err := NewStream(src, Settings{Channels: []string{"thigh_y|y", "acc x", "gyro"}, Rate: 1, Samples: 1})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]float32{0.5, 1, 90}, windows(t, s)[0].Data, cmpopts.EquateApprox(0, 1e-6)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{`channel "gyro": unit "deg/s" is none of acceleration: values are as they are`}, s.Warnings()); d != "" {
		t.Error(d)
	}
	for name, want := range map[string]int{"x": 0, "acc_x": 0, "Accelerometer Y": 1, "accel-z": 2} {
		if i, err := Find([]string{"Accelerometer X", "acc_y", "z", "gyro_x"}, name); i != want || err != nil {
			t.Errorf("%s: channel %d, %v", name, i, err)
		}
	}
	if _, err := Find([]string{"acc_x", "accel_x"}, "x"); err == nil {
		t.Error("one of two axes was chosen")
	}
	if f, ok := Convert("g", "m/s2"); f != gravity || !ok {
		t.Errorf("%v, %v", f, ok)
	}
}

// tone is a sine of hz, sampled at times.
func tone(hz float64, times []float64) []float32 {
	x := make([]float32, len(times))
	for i, t := range times {
		x[i] = float32(1 + math.Sin(2*math.Pi*hz*t))
	}
	return x
}

// farthest returns the greatest difference from the tone on the grid, away from the ends.
func farthest(got []float32, hz, rate float64) float64 {
	worst := 0.0
	for i := int(rate); i < len(got)-int(rate); i++ {
		worst = max(worst, math.Abs(float64(got[i])-1-math.Sin(2*math.Pi*hz*float64(i)/rate)))
	}
	return worst
}

// TestClocks shows what becomes of stamps that are not those of the grid: a 4 Hz movement comes out where it was.
func TestClocks(t *testing.T) {
	const n, hz = 6000, 4.0
	at := func(f func(i int) float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	rounded := func(ts []float64, to float64) []float64 {
		out := slices.Clone(ts)
		for i := range out {
			out[i] = math.Round(out[i]/to) * to
		}
		return out
	}
	even := at(func(i int) float64 { return float64(i) / 60 })
	slow := at(func(i int) float64 { return float64(i) / 59.7 })
	swaying := at(func(i int) float64 { return float64(i)/60 + 0.004*math.Sin(float64(i)/20) })
	for name, tt := range map[string]struct {
		true, stamps []float64
		most         float64
	}{
		"even":             {even, even, 0.002},
		"rounded to ms":    {even, rounded(even, 1e-3), 0.003},
		"0.5 % slow":       {slow, slow, 0.002},
		"slow and rounded": {slow, rounded(slow, 1e-3), 0.008},
		"swaying":          {swaying, swaying, 0.005},
	} {
		src := &memory{names: []string{"x"}, units: []string{"g"}, rate: 60, times: tt.stamps, values: tone(hz, tt.true)}
		got := all(t, src, Settings{Channels: []string{"x"}, Rate: 50})
		if worst := farthest(got, hz, 50); worst > tt.most {
			t.Errorf("%s: off by %.4f, want at most %v", name, worst, tt.most)
		}
	}
}

// TestNoAlias shows that what the new rate cannot carry is gone, and that gravity stays exactly what it is.
func TestNoAlias(t *testing.T) {
	times := make([]float64, 3000)
	for i := range times {
		times[i] = float64(i) / 100
	}
	got := all(t, regular(100, tone(40, times)), Settings{Channels: []string{"x"}, Rate: 25})
	for i, v := range got[25 : len(got)-25] {
		if math.Abs(float64(v)-1) > 0.003 {
			t.Fatalf("40 Hz at 25 Hz: value %d is %v", i, v)
		}
	}
	still := slices.Repeat([]float32{1.0625}, 1000)
	for i, v := range all(t, regular(31.25, still), Settings{Channels: []string{"x"}, Rate: 50}) {
		if v != 1.0625 {
			t.Fatalf("value %d of a still sensor is %v", i, v)
		}
	}
}

// TestSameRateChangesNothing, bit for bit, a week from the beginning, too.
func TestSameRateChangesNothing(t *testing.T) {
	x := wave(5000)
	src := regular(100, slices.Clone(x))
	for i := range src.times {
		src.times[i] = 600000 + float64(i)/100
	}
	if d := cmp.Diff(x, all(t, src, Settings{Channels: []string{"x"}, Rate: 100})); d != "" {
		t.Error(d)
	}
}

// TestScan compares plan, stream and Prepare, with standardisation by the recording's numbers, a filter and a gap.
func TestScan(t *testing.T) {
	set := Settings{Channels: []string{"x"}, Rate: 50, Samples: 100, Hop: 50, Standardise: true, Band: dsp.Band{Low: 0.5, High: 20}}
	open := func() *memory { return regular(60, wave(40000)).without(9000, 9100) }
	if _, err := NewStream(open(), set); err == nil {
		t.Fatal("a stream cannot know mean and deviation beforehand")
	}
	plan, err := Scan(open(), set)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := Prepare(open(), set)
	if err != nil {
		t.Fatal(err)
	}
	set.Mean, set.Std = plan.Mean, plan.Std
	s, err := NewStream(open(), set)
	if err != nil {
		t.Fatal(err)
	}
	got := windows(t, s)
	if len(got) != len(plan.Windows) || cmp.Diff(plan, &kept.Plan) != "" {
		t.Fatalf("%d windows, %d planned: %s", len(got), len(plan.Windows), cmp.Diff(plan, &kept.Plan))
	}
	gaps, sum, squares := 0, 0.0, 0.0
	for i, at := 0, 0; i < kept.Count; i++ {
		if kept.Gap[i] {
			gaps++
			continue
		}
		if d := cmp.Diff(got[at].Data, kept.Tensor(i).Data, cmpopts.EquateApprox(0, 1e-6)); d != "" || got[at].Index != int64(i) || plan.Windows[at].Start != got[at].Start {
			t.Fatalf("window %d: %s", i, d)
		}
		for _, v := range got[at].Data[:50] {
			sum += float64(v)
			squares += float64(v) * float64(v)
		}
		at++
	}
	n := float64(50 * len(got))
	if gaps != 3 || math.Abs(sum/n) > 0.02 || math.Abs(squares/n-1) > 0.02 {
		t.Errorf("%d gaps, mean %v, mean square %v", gaps, sum/n, squares/n)
	}
	if want := 40000/60. - 100/60.; math.Abs(plan.Seconds-want) > 0.1 {
		t.Errorf("%v seconds, want %v", plan.Seconds, want)
	}
}

func TestFlat(t *testing.T) {
	p, err := Prepare(regular(1, slices.Repeat([]float32{2}, 20)), Settings{Channels: []string{"x"}, Rate: 1, Samples: 10, Standardise: true})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(make([]float32, 20), p.Data) + cmp.Diff([]string{`channel "x": flat`}, p.Plan.Warnings); d != "" {
		t.Error(d)
	}
}

func TestErrors(t *testing.T) {
	ok := Settings{Channels: []string{"x"}, Rate: 50, Samples: 10}
	for want, change := range map[string]func(*Settings, *memory){
		"0 channels":                       func(s *Settings, _ *memory) { s.Channels = nil },
		`unit "feet"`:                      func(s *Settings, _ *memory) { s.Unit = "feet" },
		"rate of NaN Hz":                   func(s *Settings, _ *memory) { s.Rate = math.NaN() },
		"windows of 0 samples":             func(s *Settings, _ *memory) { s.Samples = 0 },
		"hop of -1":                        func(s *Settings, _ *memory) { s.Hop = -1 },
		"gaps of up to NaN":                func(s *Settings, _ *memory) { s.MaxGap = math.NaN() },
		"purity of 2":                      func(s *Settings, _ *memory) { s.Purity = 2 },
		"band 0 to 30 Hz":                  func(s *Settings, _ *memory) { s.Band.High = 30 },
		"rings for more than":              func(s *Settings, _ *memory) { s.Band.Low = 1e-6 },
		"without standardisation":          func(s *Settings, _ *memory) { s.Mean = []float64{1} },
		"0 means and 1 standard":           func(s *Settings, _ *memory) { s.Standardise, s.Std = true, []float64{1} },
		"standard deviation 0":             func(s *Settings, _ *memory) { s.Standardise, s.Std, s.Mean = true, []float64{0}, []float64{1} },
		`channel "q": not among`:           func(s *Settings, _ *memory) { s.Channels = []string{"q"} },
		"is taken already":                 func(s *Settings, _ *memory) { s.Channels = []string{"x", "X"} },
		"several of the recording's":       func(s *Settings, m *memory) { m.names, m.units = []string{"x", "x"}, []string{"g", "g"} },
		"recording's rate of 0 Hz":         func(_ *Settings, m *memory) { m.rate = 0 },
		"more than a factor of 200":        func(_ *Settings, m *memory) { m.rate = 50 * 201 },
		"times must increase":              func(_ *Settings, m *memory) { m.times[7] = m.times[6] },
		"a sample at second NaN":           func(_ *Settings, m *memory) { m.times[0] = math.NaN() },
		"no window of 10 samples at 50 Hz": func(_ *Settings, m *memory) { m.times = m.times[:9] },
	} {
		set, src := ok, regular(50, count(0, 100))
		change(&set, src)
		if _, err := Prepare(src, set); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "motion: ") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// endless is a source of three channels that makes its samples as it goes.
type endless struct {
	memory
	at, n int
}

func (e *endless) Read(times []float64, values []float32, labels []int32) (int, error) {
	n := min(len(times), e.n-e.at)
	if n == 0 {
		return 0, io.EOF
	}
	for i := range n {
		times[i] = float64(e.at+i)*0.01 + float64((e.at+i)/1000000) // a gap of a second now and then
		values[3*i] = float32((e.at + i) % 17)
		values[3*i+1], values[3*i+2] = -values[3*i], 1
		labels[i] = int32(i & 1)
	}
	e.at += n
	return n, nil
}

func week(samples int) *endless {
	return &endless{memory{names: []string{"x", "y", "z"}, units: []string{"g", "g", "g"}, rate: 100}, 0, samples}
}

// TestMemoryIsFlat reads a day of 100 Hz, filtered and resampled, and looks at the heap on the way.
func TestMemoryIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("8.6 million samples")
	}
	set := Settings{Channels: []string{"x", "y", "z"}, Rate: 50, Samples: 256, Hop: 128, Band: dsp.Band{Low: 0.5, High: 20}}
	s, err := NewStream(week(8_640_000), set)
	if err != nil {
		t.Fatal(err)
	}
	var w Window
	heap := func() float64 {
		goruntime.GC()
		var m goruntime.MemStats
		goruntime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	first := 0.0
	for n := 0; ; n++ {
		err := s.Next(&w)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if n == 500 {
			first = heap()
		}
	}
	if now := heap(); now > 1.05*first+1<<20 {
		t.Errorf("heap grew from %.0f to %.0f bytes", first, now)
	}
	if s.count < 33000 {
		t.Errorf("%d windows", s.count)
	}
}

func benchmark(b *testing.B, set Settings) {
	set.Channels, set.Samples = []string{"x", "y", "z"}, 128
	const n = 200_000
	b.SetBytes(n * 12)
	b.ReportAllocs()
	for b.Loop() {
		s, err := NewStream(week(n), set)
		if err != nil {
			b.Fatal(err)
		}
		var w Window
		for err == nil {
			err = s.Next(&w)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}

func BenchmarkSameRate(b *testing.B) { benchmark(b, Settings{Rate: 100}) }
func BenchmarkHalfRate(b *testing.B) { benchmark(b, Settings{Rate: 50}) }
func BenchmarkOddRate(b *testing.B)  { benchmark(b, Settings{Rate: 51.2}) }
func BenchmarkFiltered(b *testing.B) {
	benchmark(b, Settings{Rate: 50, Band: dsp.Band{Low: 0.5, High: 20}})
}
