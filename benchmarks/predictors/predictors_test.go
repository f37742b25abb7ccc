package predictors

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// noise is a set of random pictures, n of each class.
func noise(name string, n int) *networks.Set {
	s, random := &networks.Set{Name: name}, rand.New(rand.NewPCG(1, uint64(len(name))))
	for i := range n * classes {
		img := image.NewRGBA(image.Rect(0, 0, 32, 32))
		for p := range 32 * 32 {
			img.SetRGBA(p%32, p/32, color.RGBA{uint8(random.Uint32()), uint8(random.Uint32()), uint8(p), 255})
		}
		s.Pictures, s.Labels = append(s.Pictures, networks.NewPicture(img).WithSeed(seedOf(name, i))), append(s.Labels, i%classes)
	}
	return s
}

func testStudy(t *testing.T) *study {
	t.Helper()
	engine := orttest.Engine(t)
	return newStudy(engine, Settings{Cache: t.TempDir(), Workers: 2, Progress: io.Discard})
}

// All five predictors go through the study, and from the cache alone come the same tables.
func TestStudy(t *testing.T) {
	s := testStudy(t)
	net, err := networks.ResNet20()
	if err != nil {
		t.Fatal(err)
	}
	sets := []*networks.Set{noise("clean", 1), noise("noise", 1)}
	tables := func() string {
		r, err := s.measure(context.Background(), net, sets, Extent{classes, 6, 2})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first := tables()
	for _, want := range []string{"ResNet-20, shuffled", "ResNet-20, sticky", "each picture once", "| base ", "| mc-dropout", "| ttaug", "| tent", "| memo"} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in\n%s", want, first)
		}
	}
	s.runner.Engine = nil
	if again := tables(); again != first {
		t.Errorf("from the cache:\n%s\nwant\n%s", again, first)
	}
}

// Streams of several sets have the same labels; a sticky one repeats them.
func TestDraw(t *testing.T) {
	sets := []*networks.Set{noise("clean", 2), noise("other", 3)}
	sets[1].Labels[0], sets[1].Labels[1] = 1, 0
	for _, o := range orders() {
		streams, err := o.draw(sets, 3, 400)
		if err != nil {
			t.Fatal(err)
		}
		truth, repeats := streams[0].Truth(), 0.0
		if !slices.Equal(truth, streams[1].Truth()) {
			t.Errorf("%s: the sets' streams have different labels", o.name)
		}
		for i, y := range truth[1:] {
			if y == truth[i] {
				repeats++
			}
		}
		if want := map[string]float64{"shuffled": 0.1, "sticky": 0.9}[o.name]; math.Abs(repeats/399-want) > 0.06 {
			t.Errorf("%s: %.3f of the labels repeat, want about %g", o.name, repeats/399, want)
		}
	}
}

// The filter is behind the predictions that it is said to be behind: with one that is right in six of ten cases it gains along a stream that stays.
func TestFiltered(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var q [][]float64
	truth := make([]int, 300)
	for step := range truth {
		truth[step] = step / 30
		row, top := make([]float64, classes), truth[step]
		if random.Float64() > 0.6 {
			top = random.IntN(classes)
		}
		for k := range row {
			row[k] = 0.5 / (classes - 1)
		}
		row[top] = 0.5
		q = append(q, row)
	}
	p, err := filtered(q, adapt.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if raw, after := accuracy(q, truth), accuracy(p, truth); after < raw+10 {
		t.Errorf("%.1f raw, %.1f behind the filter: want ten points more", raw, after)
	}
	if _, err := filtered([][]float64{{math.NaN(), 1, 0, 0, 0, 0, 0, 0, 0, 0}}, adapt.Settings{}); err == nil {
		t.Error("NaN passed")
	}
}

func TestNumbers(t *testing.T) {
	if got, want := standardError([]float64{1, 2, 3, 4}), math.Sqrt(5.0/12); math.Abs(got-want) > 1e-12 {
		t.Errorf("standard error %g, want %g", got, want)
	}
	if got := plusMinus([]float64{1}, 1); got != "+1.00" {
		t.Errorf("one value: %q, want no error", got)
	}
	if got := binomial(50, 100); got != 5 {
		t.Errorf("binomial %g, want 5", got)
	}
	for _, o := range []Settings{{}, {Small: Extent{1001, 1, 1}, Large: Extent{0, 1, 1}, Views: 1, MEMO: 1}} {
		if o.validate() == nil {
			t.Errorf("%+v is valid", o)
		}
	}
}
