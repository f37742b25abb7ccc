package networks

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// noise is a set of random pictures, n of each class.
func noise(name string, n int) *Set {
	s, random := &Set{Name: name}, rand.New(rand.NewPCG(1, uint64(len(name))))
	for i := range n * classes {
		img := image.NewRGBA(image.Rect(0, 0, side, side))
		for p := range side * side {
			grey := uint8(random.Uint32()%48) + uint8(4*i) + uint8(p/side)
			img.SetRGBA(p%side, p/side, color.RGBA{grey, 2 * grey, uint8(p % side), 255})
		}
		s.Pictures, s.Labels = append(s.Pictures, NewPicture(img)), append(s.Labels, i%classes)
	}
	return s
}

func testRunner(t *testing.T) *Runner {
	t.Helper()
	engine := orttest.Engine(t)
	return &Runner{Folder: t.TempDir(), Workers: 2, Engine: func(context.Context) (runtime.Engine, error) { return engine, nil }}
}

// idle makes a runner that must find everything in its folder.
func idle(r *Runner) *Runner {
	c := *r
	c.Engine = func(context.Context) (runtime.Engine, error) { return nil, errors.New("not in the folder") }
	return &c
}

func testNetwork(t *testing.T) *Network {
	t.Helper()
	net, err := ResNet20()
	if err != nil {
		t.Fatal(err)
	}
	return net
}

func predicted(t *testing.T, r *Runner, net *Network, c Candidate, set *Set) [][]float64 {
	t.Helper()
	q, err := r.Predict(context.Background(), net, c, set)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func sameRows(a, b [][]float64) bool { return slices.EqualFunc(a, b, slices.Equal[[]float64]) }

// only is the one file of a folder.
func only(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.f32"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v: want one file", files, err)
	}
	return files[0]
}

// A file that was cut in the middle of a row goes on, with the bits that it had, and holds every picture once.
func TestCutFile(t *testing.T) {
	r, net, set := testRunner(t), testNetwork(t), noise("clean", 4)
	whole := predicted(t, r, net, Plain(), set)
	path := only(t, r.Folder)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int64{1, 3*(16+4*classes) + 5, info.Size() - 10} {
		if err := os.Truncate(path, info.Size()-cut); err != nil {
			t.Fatal(err)
		}
		if again := predicted(t, r, net, Plain(), set); !sameRows(again, whole) {
			t.Errorf("cut by %d bytes: other predictions", cut)
		}
		if now, err := os.Stat(path); err != nil || now.Size() != info.Size() {
			t.Errorf("cut by %d bytes: the file has %d (%v), want %d", cut, now.Size(), err, info.Size())
		}
	}
	if again := predicted(t, idle(r), net, Plain(), set); !sameRows(again, whole) {
		t.Error("from the folder come other predictions")
	}
	if err := os.WriteFile(path, []byte("something else, of another program"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Predict(context.Background(), net, Plain(), set); err == nil || !strings.Contains(err.Error(), "is not what its name says") {
		t.Errorf("a foreign file: %v", err)
	}
}

// What is kept belongs to pictures, by whatever names and in whatever sets, and to nothing that decides otherwise.
func TestKeptByPicture(t *testing.T) {
	r, net, set := testRunner(t), testNetwork(t), noise("clean", 5)
	first, err := Default(method.TTAug, net)
	if err != nil {
		t.Fatal(err)
	}
	whole := predicted(t, r, net, first, set)
	other := &Set{Name: "renamed", Pictures: slices.Clone(set.Pictures[:25]), Labels: set.Labels[:25]}
	slices.Reverse(other.Pictures)
	again := predicted(t, idle(r), net, first, other)
	slices.Reverse(again)
	if !sameRows(again, whole[:25]) {
		t.Error("the same pictures under another name are predicted otherwise")
	}
	second := first
	second.Views.Padding = 2
	seeded := set.First(1)
	seeded.Pictures = []Picture{set.Pictures[0].WithSeed(1)}
	for name, err := range map[string]error{
		"other settings":  errOf(idle(r).Predict(context.Background(), net, second, other)),
		"another seed":    errOf(idle(r).Predict(context.Background(), net, first, seeded)),
		"other pictures":  errOf(idle(r).Predict(context.Background(), net, first, noise("others", 1))),
		"another network": errOf(idle(r).Predict(context.Background(), &Network{"ResNet-20", otherModel(t), net.transform}, first, other)),
	} {
		if err == nil {
			t.Errorf("%s: what was kept is taken for it", name)
		}
	}
}

func errOf[T any](_ T, err error) error { return err }

// streams draws some orders of a set.
func streams(set *Set, n, steps int) (out []*Stream) {
	random := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		s := &Stream{Set: set, Name: fmt.Sprintf("order %d", i)}
		for range steps {
			s.Items = append(s.Items, random.IntN(len(set.Pictures)))
		}
		out = append(out, s)
	}
	return out
}

// A run along streams that was killed, one stream further than the other, goes on with the bits that it would have had, on any number of workers.
func TestAlongGoesOn(t *testing.T) {
	r, net, set := testRunner(t), testNetwork(t), noise("clean", 2)
	c, err := Default(method.Tent, net)
	if err != nil {
		t.Fatal(err)
	}
	c.Settings.Tent.Items, c.Settings.Tent.Rate = 7, 1e-3
	all := streams(set, 4, 30)
	groups := [][]*Stream{all[:2], all[2:]}
	along := func(r *Runner) [][][][]float64 {
		q, err := r.Along(context.Background(), net, c, groups)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	equal := func(a, b [][][][]float64) bool {
		return slices.EqualFunc(a, b, func(a, b [][][]float64) bool { return slices.EqualFunc(a, b, sameRows) })
	}
	whole := along(r)
	files, err := filepath.Glob(filepath.Join(r.Folder, "*.f32"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%v, %v: want a file a stream", files, err)
	}
	for i, name := range files[:3] {
		info, err := os.Stat(name)
		if err == nil {
			err = os.Truncate(name, info.Size()-int64(4*classes*(3+9*i)+i))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !equal(along(r), whole) {
		t.Error("what went on is other than what ran through")
	}
	if !equal(along(idle(r)), whole) {
		t.Error("from the folder come other predictions")
	}
	if one := (&Runner{Engine: r.Engine, Workers: 1}); !equal(along(one), whole) {
		t.Error("one worker without a folder has other predictions")
	}
}
