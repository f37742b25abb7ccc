package inputs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	data "github.com/oatta/oatta/datasets/motion"
	"github.com/oatta/oatta/models"
)

// motionModel is the manifest of a network for one channel at 50 Hz.
func motionModel(samples int) models.Manifest {
	return models.Manifest{
		Name: "test", Task: models.SignalClassification, Labels: []string{"Walking", "Static"},
		Signal: &models.Signal{Name: "x", Modality: models.Motion, Channels: []string{"x"}, Rate: 50, Samples: samples},
	}
}

// table is a recording of rows samples at 50 Hz whose sample i is first+i; skip leaves rows out.
func table(first, rows int, skip func(i int) bool) string {
	var b strings.Builder
	b.WriteString("time,x,label\n")
	for i := range rows {
		if skip != nil && skip(i) {
			continue
		}
		fmt.Fprintf(&b, "%.2f,%d,%s\n", float64(i)/50, first+i, []string{"Walking", "Static"}[i/100%2])
	}
	return b.String()
}

func openMotion(t *testing.T, samples int, o MotionOptions, args ...string) *Motion {
	t.Helper()
	in, err := OpenMotion(context.Background(), args, motionModel(samples), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
	return in
}

func TestMotionOfFolder(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "b.csv", table(1000, 220, nil))
	put(t, dir, "a.csv", table(0, 300, func(i int) bool { return i >= 110 && i < 140 }))
	put(t, dir, "short.csv", table(0, 40, nil))
	put(t, dir, "wrong.csv", strings.Replace(table(0, 300, nil), "x", "y", 1))
	in := openMotion(t, 50, MotionOptions{}, dir)
	var got []string
	for i, item := range in.Items() {
		got = append(got, fmt.Sprintf("%s %q %s", item.Name, item.Stream, in.Label(i)))
	}
	want := []string{ // window 2 of a, from 2 s to 3 s, has the gap
		`a.csv#0 "a.csv" Walking`, `a.csv#1 "a.csv" Walking`, `a.csv#3 "a.csv" Static`, `a.csv#4 "a.csv" Walking`, `a.csv#5 "a.csv" Walking`,
		`b.csv#0 "b.csv" Walking`, `b.csv#1 "b.csv" Walking`, `b.csv#2 "b.csv" Static`, `b.csv#3 "b.csv" Static`,
		`short.csv "" `, `wrong.csv "" `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("items\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if name, why, n := in.Unread(); in.Streams() != 2 || n != 2 || name != "short.csv" || !strings.Contains(why, "no whole window of 1 seconds") {
		t.Errorf("%d streams, %d unread: %s: %s", in.Streams(), n, name, why)
	}
	if w := strings.Join(in.Warnings(), "\n"); !strings.Contains(w, "a.csv: gaps of more than 0.1 seconds: 1") {
		t.Errorf("warnings %s", w)
	}
	dst := make([]float32, 50)
	for i, first := range map[int]float32{0: 0, 2: 150, 8: 1150} {
		if err := in.load(dst, i); err != nil || dst[0] != first || dst[49] != first+49 {
			t.Errorf("item %d: %v, from %v to %v, want from %v", i, err, dst[0], dst[49], first)
		}
	}
	if err := in.load(dst, 10); err == nil || !strings.Contains(err.Error(), `channel "x"`) || strings.Contains(err.Error(), dir) {
		t.Errorf("a recording with other channels: %v", err)
	}
	if in.Period() != 1 || in.Noun() != "window" {
		t.Errorf("period %g of a %s", in.Period(), in.Noun())
	}
}

// What decides the items is in the hash, and what is asked for is heeded.
func TestMotionOptions(t *testing.T) {
	path := put(t, t.TempDir(), "a.csv", table(0, 200, nil))
	plain := openMotion(t, 50, MotionOptions{}, path)
	hop := openMotion(t, 50, MotionOptions{Hop: 25}, path)
	if len(plain.Items()) != 4 || len(hop.Items()) != 7 || hop.Period() != 0.5 || plain.Hash() == hop.Hash() {
		t.Errorf("%d and %d windows, period %g", len(plain.Items()), len(hop.Items()), hop.Period())
	}
	pure := openMotion(t, 80, MotionOptions{Purity: 0.9}, path)
	if a, b := pure.Label(0), pure.Label(1); a != "Walking" || b != "" {
		t.Errorf("labels %q and %q: the second window is of two", a, b)
	}
	other := openMotion(t, 50, MotionOptions{Table: data.Options{Time: "-", Rate: 100}}, path)
	if n := len(other.Items()); n != 2 {
		t.Errorf("%d windows of 2 s at 100 Hz, want 2", n)
	}
}

// HAPT is read as what it is, from its folder; a damaged collection is a failure beside the rest.
func TestMotionOfHAPT(t *testing.T) {
	dir := t.TempDir()
	var rows strings.Builder
	for i := range 250 {
		fmt.Fprintf(&rows, "%d 0.5 -0.5\n", i)
	}
	put(t, dir, "hapt/labels.txt", "1 1 5 1 120\n1 1 1 121 250\n2 2 6 10 240\n")
	put(t, dir, "hapt/acc_exp01_user01.txt", rows.String())
	put(t, dir, "hapt/acc_exp02_user02.txt", rows.String())
	csv := put(t, dir, "own.csv", table(0, 100, nil))
	broken := put(t, dir, "broken.tar.gz", "no archive")
	hapt := filepath.Join(dir, "hapt")
	in := openMotion(t, 50, MotionOptions{}, hapt, csv, broken)
	if len(in.Items()) != 5+5+2+1 || in.Streams() != 3 || in.Items()[5].Stream != "acc_exp02_user02" {
		t.Fatalf("%d items in %d streams", len(in.Items()), in.Streams())
	}
	if in.Label(0) != "standing" || in.Label(3) != "walking" || in.Label(6) != "lying" {
		t.Errorf("labels %q %q %q", in.Label(0), in.Label(3), in.Label(6))
	}
	if name, _, n := in.Unread(); n != 1 || name != "broken.tar.gz" {
		t.Errorf("unread: %d, %s", n, name)
	}
	if _, err := OpenMotion(context.Background(), []string{hapt, hapt}, motionModel(50), MotionOptions{}); err == nil || !strings.Contains(err.Error(), "give each collection once") {
		t.Errorf("the collection twice: %v", err)
	}
}

func TestMotionRefusals(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenMotion(context.Background(), []string{dir}, motionModel(50), MotionOptions{}); err == nil || !strings.Contains(err.Error(), "no recording found") {
		t.Errorf("an empty folder: %v", err)
	}
	path := put(t, dir, "a.csv", table(0, 5000, nil))
	for what, m := range map[string]models.Manifest{"sleep": sleepModel("x", 10), "pictures": {Name: "pictures"}} {
		if _, err := OpenMotion(context.Background(), []string{path}, m, MotionOptions{}); err == nil || !strings.Contains(err.Error(), "not one for movement") {
			t.Errorf("a model for %s: %v", what, err)
		}
	}
	for what, o := range map[string]MotionOptions{"hop": {Hop: -3}, "purity": {Purity: 1.5}, "gap": {MaxGap: math.NaN()}} {
		if _, err := OpenMotion(context.Background(), []string{path}, motionModel(50), o); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	in := &Motion{settings: motionSettings(*motionModel(50).Signal, MotionOptions{})}
	cancel() // as an interrupt during the listing does
	r := &recording{file: file{path: path}, open: func() (*data.Recording, error) { return data.Open(path, data.Options{}) }}
	if err := in.scan(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// A recording that changes under a run is an error of its items, without the folder in it.
func TestMotionThatVanishes(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, "a.csv", table(0, 300, nil))
	in := openMotion(t, 50, MotionOptions{}, path)
	put(t, dir, "a.csv", table(0, 120, nil))
	dst := make([]float32, 50)
	if err := in.load(dst, 1); err != nil || dst[0] != 50 {
		t.Errorf("what is still there: %v", err)
	}
	for range 2 {
		if err := in.load(dst, 4); err == nil || strings.Contains(err.Error(), dir) {
			t.Errorf("what is gone: %v", err)
		}
	}
	if err := in.load(dst, 0); err != nil || dst[0] != 0 {
		t.Errorf("again from the beginning: %v", err)
	}
}

// counted counts how often the recordings of an input are opened.
func counted(in *Motion) map[*recording]int {
	opened := map[*recording]int{}
	for _, r := range in.recordings {
		open := r.open
		r.open = func() (*data.Recording, error) {
			opened[r]++
			return open()
		}
	}
	return opened
}

// checkWindow loads an item of recordings that put made with table(1000*k, ...) for the k-th.
func checkWindow(t *testing.T, in *Motion, item int) {
	at := slices.IndexFunc(in.recordings, func(r *recording) bool { return item < r.first+len(r.planned) })
	want := float32(1000*at + 50*(item-in.recordings[at].first))
	dst := make([]float32, 50)
	if err := in.load(dst, item); err != nil || dst[0] != want || dst[49] != want+49 {
		t.Errorf("item %d: %v, from %v, want from %v", item, err, dst[0], want)
	}
}

func recordings(t *testing.T, n, windows int) *Motion {
	t.Helper()
	dir := t.TempDir()
	for k := range n {
		put(t, dir, fmt.Sprintf("r%d.csv", k), table(1000*k, 50*windows, nil))
	}
	return openMotion(t, 50, MotionOptions{}, dir)
}

// Loaders at work side by side ask nearly in order; every recording is then read once.
func TestSequenceOutOfOrder(t *testing.T) {
	in := recordings(t, 3, 16)
	opened := counted(in)
	if _, err := in.Loader(Views{}, 2); err != nil {
		t.Fatal(err)
	}
	order := make([]int, len(in.Items()))
	for i := range order {
		order[i] = i
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < len(order); i += 8 {
		part := order[i : i+8]
		r.Shuffle(8, func(a, b int) { part[a], part[b] = part[b], part[a] })
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range next {
				checkWindow(t, in, i)
			}
		})
	}
	for _, i := range order {
		next <- i
	}
	close(next)
	wg.Wait()
	for r, n := range opened {
		if n != 1 {
			t.Errorf("%s was opened %d times", r.file.name, n)
		}
	}
}

// A resumed run begins in the middle, and may ask for what was passed long ago.
func TestSequenceFromTheMiddle(t *testing.T) {
	in := recordings(t, 1, 20)
	for _, i := range []int{13, 14, 3, 15, 3, 19, 0} { // the second 3 was handed out before: it is read again
		checkWindow(t, in, i)
	}
}

// Streams in lockstep: more than are held is slow and right; a long one that goes on while short ones come and go stays open.
func TestSequencesOfManyStreams(t *testing.T) {
	in := recordings(t, 5, 4)
	for window := range 4 {
		for k := range 5 {
			checkWindow(t, in, 4*k+window)
		}
	}
	if n := len(in.sequences.held); n > 2 {
		t.Errorf("%d recordings are open, want 2", n)
	}

	dir := t.TempDir()
	put(t, dir, "r0.csv", table(0, 50*12, nil))
	for k := 1; k < 7; k++ {
		put(t, dir, fmt.Sprintf("r%d.csv", k), table(1000*k, 100, nil))
	}
	in = openMotion(t, 50, MotionOptions{}, dir)
	opened := counted(in)
	if _, err := in.Loader(Views{}, 2); err != nil {
		t.Fatal(err)
	}
	for step := range 12 {
		checkWindow(t, in, step)
		checkWindow(t, in, 12+step)
	}
	for r, n := range opened {
		if n != 1 {
			t.Errorf("%s was opened %d times", r.file.name, n)
		}
	}
}

// What waits is bounded, whatever is never asked for.
func TestSequenceBound(t *testing.T) {
	path := put(t, t.TempDir(), "a.csv", table(0, 5*(waitingMost+200), nil))
	in := openMotion(t, 5, MotionOptions{}, path)
	dst := make([]float32, 5)
	for _, i := range []int{waitingMost + 150, 149, 160, 2} { // 149 and 2 have been let go
		if err := in.load(dst, i); err != nil || dst[0] != float32(5*i) {
			t.Fatalf("window %d: %v, from %v", i, err, dst[0])
		}
		if n := len(in.sequences.held[0].value.waiting); n > waitingMost {
			t.Fatalf("%d windows wait, want at most %d", n, waitingMost)
		}
	}
}
