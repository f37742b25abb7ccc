package augment

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/oatta/oatta/preprocess/internal/draw"
)

func viewer(t testing.TB, v Views, channels, samples int) *Viewer {
	t.Helper()
	out, err := New(v, channels, samples)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// waves is a window of unlike channels.
func waves(channels, samples int) []float32 {
	x := make([]float32, channels*samples)
	for c := range channels {
		for i := range samples {
			x[c*samples+i] = float32(float64(c+1)*math.Sin(float64(i)/float64(3+c)) + float64(5*c))
		}
	}
	return x
}

// views are the views of a window, one after the other.
func (v *Viewer) all(src []float32, seed uint64) [][]float32 {
	x := make([]float32, v.Len())
	v.Window(x, src, seed)
	return slices.Collect(slices.Chunk(x, v.channels*v.samples))
}

// everything turns on all that there is.
var everything = Views{
	Augmented: 5, Shift: 0.3, Scale: 0.2, Warp: 0.2, Jitter: 0.1, Drop: 0.2, Mask: 0.3,
	Triples: [][3]int{{0, 1, 2}}, Rotate: 40,
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestCurvesEqualSciPy(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		Splines []struct {
			Samples        int
			Points, Values []float64
		}
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Splines) < 5 {
		t.Fatalf("%d splines", len(g.Splines))
	}
	for _, s := range g.Splines {
		c, err := newCurves(s.Samples, len(s.Points))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range s.Values {
			if got := c.at(i, s.Points); math.Abs(got-want) > 1e-12 {
				t.Errorf("%d points, %d samples: at %d %v, want %v", len(s.Points), s.Samples, i, got, want)
			}
		}
	}
}

// TestPlainViewIsTheWindow: to the bit, NaN and infinities included, for every size.
func TestPlainViewIsTheWindow(t *testing.T) {
	for _, size := range [][2]int{{3, 1}, {3, 2}, {4, 50}, {9, 128}} {
		src := waves(size[0], size[1])
		src[0], src[len(src)-1] = float32(math.NaN()), float32(math.Inf(-1))
		for i, e := range viewer(t, everything, size[0], size[1]).all(src, 9)[0] {
			if math.Float32bits(e) != math.Float32bits(src[i]) {
				t.Fatalf("%v: number %d: %v, want %v", size, i, e, src[i])
			}
		}
	}
	if got := viewer(t, Views{}, 2, 3).all(waves(2, 3), 1); len(got) != 1 {
		t.Errorf("%d views of the zero settings", len(got))
	}
}

// TestViewsDependOnSeedAlone: not on earlier calls, on concurrent ones, or on the number of views.
func TestViewsDependOnSeedAlone(t *testing.T) {
	few, many := everything, everything
	few.Augmented, many.Augmented = 2, 9
	a, b := viewer(t, few, 4, 60), viewer(t, many, 4, 60)
	src := waves(4, 60)
	want := b.all(src, 1)
	var wg sync.WaitGroup
	for seed := range uint64(8) {
		wg.Go(func() {
			for range 3 {
				for i, view := range a.all(src, seed) {
					if same := slices.Equal(view, want[i]); same != (seed == 1 || i == 0) {
						t.Errorf("seed %d, view %d: the same is %v", seed, i, same)
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestShift finds out by how much each view moved: every move alike, in a circle.
func TestShift(t *testing.T) {
	const n, most, draws = 20, 4, 4000
	v := viewer(t, Views{Augmented: draws, Shift: 0.2}, 2, n)
	src := make([]float32, 2*n)
	for i := range src {
		src[i] = float32(i)
	}
	count := map[int]int{}
	for _, view := range v.all(src, 3)[1:] {
		by := int(view[0])
		for i := range n {
			if view[i] != float32((i+by)%n) || view[n+i] != float32(n+(i+by)%n) {
				t.Fatalf("no move in a circle: %v", view)
			}
		}
		count[by]++
	}
	for by := -most; by <= most; by++ {
		near(t, "moves", float64(count[(by+n)%n]), draws/(2.0*most+1), 110)
	}
	if len(count) != 2*most+1 {
		t.Errorf("%d moves: %v", len(count), count)
	}
}

// TestShiftIntoNeighbourhood: a longer piece is seen as far as it goes, and then the window turns in a circle.
func TestShiftIntoNeighbourhood(t *testing.T) {
	const n, length = 10, 40
	v := viewer(t, Views{Augmented: 300, Shift: 0.5}, 1, n)
	piece := make([]float32, length)
	for i := range piece {
		piece[i] = float32(i)
	}
	x := make([]float32, v.Len())
	v.Piece(x, piece, length, 15, 7)
	seen := map[int]bool{}
	for view := range slices.Chunk(x, n) {
		from := int(view[0])
		if !slices.Equal(view, piece[from:from+n]) {
			t.Fatalf("not of the piece: %v", view)
		}
		seen[from] = true
	}
	if len(seen) != 11 || !seen[10] || !seen[20] {
		t.Errorf("windows from samples %v on, want 10 to 20", seen)
	}
	for _, at := range []int{0, 30} {
		v.Piece(x, piece, length, at, 7)
		if !slices.Equal(x[:n], piece[at:at+n]) {
			t.Errorf("at %d: plain view %v", at, x[:n])
		}
	}
	// 5 to the left of 2, of which 2 exist, and 3 to the right of the last.
	got := make([]float32, n)
	v.move(got, piece, length, 2, -5)
	if want := []float32{7, 8, 9, 0, 1, 2, 3, 4, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	v.move(got, piece, length, 30, 3)
	if want := []float32{33, 34, 35, 36, 37, 38, 39, 30, 31, 32}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestScaleAndJitterHaveTheirDeviations(t *testing.T) {
	const draws = 4000
	src := []float32{1, 3, 1, 3, 100, 140, 100, 140} // deviations 1 and 20
	v := viewer(t, Views{Augmented: draws, Scale: 0.1}, 2, 4)
	for c, at := range []int{0, 4} {
		sum, squares := 0.0, 0.0
		for _, view := range v.all(src, 1)[1:] {
			f := float64(view[at]) / float64(src[at])
			for i := range 4 {
				near(t, "factor within a channel", float64(view[4*c+i])/float64(src[4*c+i]), f, 1e-6)
			}
			sum += f
			squares += (f - 1) * (f - 1)
		}
		near(t, "mean factor", sum/draws, 1, 0.01)
		near(t, "deviation of factors", math.Sqrt(squares/draws), 0.1, 0.006)
	}
	v = viewer(t, Views{Augmented: draws, Jitter: 0.5}, 2, 4)
	for c, std := range []float64{1, 20} {
		sum, squares := 0.0, 0.0
		for _, view := range v.all(src, 1)[1:] {
			for i := 4 * c; i < 4*c+4; i++ {
				d := float64(view[i]) - float64(src[i])
				sum += d
				squares += d * d
			}
		}
		near(t, "mean noise", sum/(4*draws), 0, 0.03*std)
		near(t, "deviation of noise", math.Sqrt(squares/(4*draws)), 0.5*std, 0.02*std)
	}
}

// TestWarpIsSmooth: the factors at the points have the deviation asked for, and between neighbours they hardly differ.
func TestWarpIsSmooth(t *testing.T) {
	const n, draws = 101, 2000
	src := make([]float32, n)
	for i := range src {
		src[i] = 1
	}
	v := viewer(t, Views{Augmented: draws, Warp: 0.2}, 1, n)
	for _, at := range []int{0, 20, 40, 100} { // four of the six points
		squares := 0.0
		for _, view := range v.all(src, 2)[1:] {
			squares += (float64(view[at]) - 1) * (float64(view[at]) - 1)
		}
		near(t, "deviation", math.Sqrt(squares/draws), 0.2, 0.015)
	}
	for _, view := range v.all(src, 3)[1:] {
		for i := 1; i < n; i++ {
			if d := math.Abs(float64(view[i] - view[i-1])); d > 0.3 {
				t.Fatalf("from sample %d to the next: %v", i-1, d)
			}
		}
	}
}

// TestRotation: lengths stay, angles are even up to the bound, axes have no preferred direction, other channels are left
// alone.
func TestRotation(t *testing.T) {
	const draws = 4000
	r := draw.New()
	var axis [3]float64
	angles := 0.0
	for i := range draws {
		r.View(uint64(i), 0)
		m := rotation(r, math.Pi/4)
		for a := range 3 {
			for b := range 3 {
				dot := m[a][0]*m[b][0] + m[a][1]*m[b][1] + m[a][2]*m[b][2]
				near(t, "orthogonality", dot, map[bool]float64{true: 1}[a == b], 1e-12)
			}
		}
		angle := math.Acos(min((m[0][0]+m[1][1]+m[2][2]-1)/2, 1))
		if angle > math.Pi/4+1e-9 {
			t.Fatalf("angle %v", angle)
		}
		angles += angle / draws
		for k, v := range [3]float64{m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]} {
			if sin := 2 * math.Sin(angle); sin > 1e-6 {
				axis[k] += v * v / sin / sin / draws
			}
		}
	}
	near(t, "mean angle", angles, math.Pi/8, 0.02)
	for k := range axis {
		near(t, "mean square of an axis", axis[k], 1.0/3, 0.02)
	}
	src := waves(5, 30)
	for _, view := range viewer(t, Views{Augmented: 20, Rotate: 90, Triples: [][3]int{{3, 0, 4}}}, 5, 30).all(src, 4)[1:] {
		if !slices.Equal(view[30:90], src[30:90]) {
			t.Fatal("channels 1 and 2 are no axes, and have changed")
		}
		if slices.Equal(view[:30], src[:30]) {
			t.Fatal("channel 0 has not changed")
		}
		length := func(x []float32, i int) float64 {
			a, b, c := float64(x[i]), float64(x[90+i]), float64(x[120+i])
			return a*a + b*b + c*c
		}
		for i := range 30 {
			near(t, "length", length(view, i)/length(src, i), 1, 1e-5)
		}
	}
}

// TestSilence: channels with the probability asked for, never all; stretches of every length and place, the same in all
// channels; at the channel's mean.
func TestSilence(t *testing.T) {
	const draws = 4000
	src := []float32{0, 1, 2, 3, 10, 10, 10, 50, -7, -6, -7, -4} // means 1.5, 20, -6
	means := []float32{1.5, 20, -6}
	v := viewer(t, Views{Augmented: draws, Drop: 0.3}, 3, 4)
	dropped := 0.0
	for _, view := range v.all(src, 1)[1:] {
		n := 0
		for c, mean := range means {
			x := view[4*c : 4*c+4]
			if slices.Equal(x, []float32{mean, mean, mean, mean}) {
				n++
			} else if !slices.Equal(x, src[4*c:4*c+4]) {
				t.Fatalf("channel %d: %v", c, x)
			}
		}
		if n == 3 {
			t.Fatal("all channels are silent")
		}
		dropped += float64(n)
	}
	near(t, "dropped", dropped/(3*draws), 0.3-0.3*0.3*0.3/3, 0.015)
	if view := viewer(t, Views{Augmented: 1, Drop: 1}, 1, 4).all(src[:4], 1)[1]; !slices.Equal(view, src[:4]) {
		t.Errorf("the only channel was dropped: %v", view)
	}
	v = viewer(t, Views{Augmented: draws, Mask: 0.5}, 3, 4)
	lengths := map[[2]int]int{}
	for _, view := range v.all(src, 2)[1:] {
		first, n := -1, 0
		for i := range 4 {
			masked := view[i] == means[0]
			for c, mean := range means {
				if want := map[bool]float32{true: mean, false: src[4*c+i]}[masked]; view[4*c+i] != want {
					t.Fatalf("channel %d: %v", c, view)
				}
			}
			if masked {
				if n++; first < 0 {
					first = i
				} else if i != first+n-1 {
					t.Fatalf("two stretches: %v", view)
				}
			}
		}
		lengths[[2]int{first, n}]++
	}
	near(t, "no stretch", float64(lengths[[2]int{-1, 0}])/draws, 1.0/3, 0.03)
	for _, at := range [][2]int{{0, 1}, {3, 1}} {
		near(t, "one sample", float64(lengths[at])/draws, 1.0/12, 0.02)
	}
	near(t, "two samples", float64(lengths[[2]int{2, 2}])/draws, 1.0/9, 0.02)
}

// TestValuesThatAreNotFinite count for nothing and reach nothing else.
func TestValuesThatAreNotFinite(t *testing.T) {
	src := waves(4, 40)
	src[45], src[50] = float32(math.NaN()), float32(math.Inf(1))
	set := everything
	set.Shift, set.Drop, set.Mask = 0, 0, 0
	for _, view := range viewer(t, set, 4, 40).all(src, 1)[1:] {
		for i, e := range view {
			spread := i < 120 && (i%40 == 5 || i%40 == 10) // channels 0 to 2 are axes
			if finite := e-e == 0; finite == spread {
				t.Fatalf("number %d: %v", i, e)
			}
		}
	}
	for i := range src {
		src[i] = float32(math.NaN())
	}
	for _, view := range viewer(t, Views{Augmented: 3, Mask: 1, Jitter: 1}, 4, 40).all(src, 1)[1:] {
		for i, e := range view {
			if e != 0 && e == e {
				t.Fatalf("number %d: %v out of nothing", i, e)
			}
		}
	}
}

// TestSmallAndFlatWindows: one sample, one channel, no deviation.
func TestSmallAndFlatWindows(t *testing.T) {
	for _, size := range [][2]int{{3, 1}, {3, 2}, {3, 3}} {
		src := make([]float32, size[0]*size[1])
		for i := range src {
			src[i] = 4
		}
		for _, view := range viewer(t, everything, size[0], size[1]).all(src, 1) {
			for _, e := range view {
				if e-e != 0 {
					t.Fatalf("%v: %v", size, view)
				}
			}
		}
	}
	for _, set := range []Views{Movement(), EEG()} {
		for _, view := range viewer(t, set, 1, 1).all([]float32{3}, 1) {
			if view[0]-view[0] != 0 {
				t.Fatal(view)
			}
		}
	}
	flat := []float32{2, 2, 2, 2}
	for _, view := range viewer(t, Views{Augmented: 20, Jitter: 1, Shift: 1, Mask: 1}, 1, 4).all(flat, 1) {
		if !slices.Equal(view, flat) {
			t.Fatalf("flat no more: %v", view)
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	nan := math.NaN()
	for want, v := range map[string]Views{
		"-1 augmented":        {Augmented: -1},
		"4097 augmented":      {Augmented: 4097},
		"shift 1.5":           {Shift: 1.5},
		"shift NaN":           {Shift: nan},
		"scale -1":            {Scale: -1},
		"warp NaN":            {Warp: nan},
		"1 knots":             {Knots: 1},
		"65 knots":            {Knots: 65},
		"jitter +Inf":         {Jitter: math.Inf(1)},
		"drop 2":              {Drop: 2},
		"mask NaN":            {Mask: nan},
		"no triples":          {Rotate: 10},
		"rotate 181":          {Rotate: 181, Triples: [][3]int{{0, 1, 2}}},
		"triple [0 1 6]":      {Triples: [][3]int{{0, 1, 6}}},
		"triple [0 1 1]":      {Triples: [][3]int{{0, 1, 1}}},
		"triple [2 3 4]":      {Triples: [][3]int{{0, 1, 2}, {2, 3, 4}}},
		"triple [-1 0 1]":     {Triples: [][3]int{{-1, 0, 1}}},
		"7 views of 0 channe": {Augmented: 6},
	} {
		channels := 6
		if strings.HasPrefix(want, "7 views") {
			channels = 0
		}
		if _, err := New(v, channels, 10); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "preprocess/augment: ") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := New(Views{}, 1<<20, 1<<20); err == nil {
		t.Error("windows of a terabyte accepted")
	}
	for _, f := range []func(v *Viewer){
		func(v *Viewer) { v.Window(make([]float32, 5), make([]float32, 6), 0) },
		func(v *Viewer) { v.Window(make([]float32, 12), make([]float32, 5), 0) },
		func(v *Viewer) { v.Piece(make([]float32, 12), make([]float32, 10), 5, 3, 0) },
		func(v *Viewer) { v.Piece(make([]float32, 12), make([]float32, 10), 5, -1, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a wrong length did not panic")
				}
			}()
			f(viewer(t, Views{Augmented: 1}, 2, 3))
		}()
	}
}

// TestNoAllocations works on scratch space of its own, since a pool may drop what it holds at any time.
func TestNoAllocations(t *testing.T) {
	v := viewer(t, everything, 6, 250)
	s, src, dst := v.newScratch(), waves(6, 250), make([]float32, v.Len())
	if n := testing.AllocsPerRun(50, func() { v.write(s, dst, src, 250, 0, 1) }); n != 0 {
		t.Errorf("%v allocations a window", n)
	}
}

// BenchmarkViews measures the views of usual windows: 5 seconds of two accelerometers, and 30 seconds of one EEG channel.
func BenchmarkViews(b *testing.B) {
	for _, c := range []struct {
		name              string
		v                 Views
		channels, samples int
	}{
		{"movement-6x250", Movement([3]int{0, 1, 2}, [3]int{3, 4, 5}), 6, 250},
		{"eeg-1x3000", EEG(), 1, 3000},
	} {
		v := viewer(b, c.v, c.channels, c.samples)
		src, dst := waves(c.channels, c.samples), make([]float32, v.Len())
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				v.Window(dst, src, 1)
			}
			b.ReportMetric(float64(b.N*v.Count())/b.Elapsed().Seconds(), "views/s")
		})
	}
}
