package training

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/preprocess/augment"
	"github.com/oatta/oatta/runtime"
)

func groups(sizes ...int) (out []Group) {
	for i, n := range sizes {
		out = append(out, Group{fmt.Sprintf("user%d", i+1), n})
	}
	return out
}

func names(of []Group) string {
	var out []string
	for _, g := range of {
		out = append(out, g.Name)
	}
	return strings.Join(out, " ")
}

func TestSplit(t *testing.T) {
	all := groups(5, 9, 0, 7, 9, 3, 2, 8, 1, 4, 6, 5)
	s, err := NewSplit(all, SplitSettings{Test: Choice{Number: 3}, Validation: Choice{Share: 0.2}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if names(s.Test) != "user2 user5 user8" || len(s.Validation) != 2 || len(s.Train) != 6 {
		t.Errorf("%+v", s)
	}
	if again, err := NewSplit(shuffled(all, 5), SplitSettings{Test: Choice{Number: 3}, Validation: Choice{Share: 0.2}, Seed: 1}); err != nil || fmt.Sprint(again) != fmt.Sprint(s) {
		t.Errorf("in another order: %+v, %v", again, err)
	}
	s, err = NewSplit(all, SplitSettings{Test: Choice{Names: []string{"user1[0-2]", "user1"}}, Validation: Choice{Names: []string{"user2"}}})
	if err != nil || names(s.Test) != "user1 user10 user11 user12" || names(s.Validation) != "user2" || names(s.Train) != "user4 user5 user6 user7 user8 user9" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestSplitRefuses(t *testing.T) {
	one := Choice{Number: 1}
	for want, tc := range map[string]struct {
		groups []Group
		s      SplitSettings
	}{
		"no item has a class":                     {groups(0, 0), SplitSettings{Validation: one}},
		ErrOneGroup.Error():                       {groups(0, 5), SplitSettings{Validation: one}},
		"named for the test and for validation":   {groups(1, 2, 3), SplitSettings{Test: Choice{Names: []string{"user*"}}, Validation: Choice{Names: []string{"user2"}}}},
		`validation: no group is called "user9"`:  {groups(1, 2, 3), SplitSettings{Validation: Choice{Names: []string{"user9"}}}},
		"validation: 2 of 2 groups":               {groups(1, 2, 3), SplitSettings{Test: one, Validation: Choice{Number: 2}}},
		"validation: takes all 2 groups":          {groups(1, 2, 3), SplitSettings{Test: one, Validation: Choice{Names: []string{"user[12]"}}}},
		"test: a share of 1":                      {groups(1, 2), SplitSettings{Test: Choice{Share: 1}, Validation: one}},
		"validation: no group; at least one must": {groups(1, 2), SplitSettings{}},
	} {
		if _, err := NewSplit(tc.groups, tc.s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := NewSplit(groups(5), SplitSettings{}); !errors.Is(err, ErrOneGroup) {
		t.Error(err)
	}
}

// people returns data of some persons of two streams each, with windows that overlap by half.
func people(persons, windows int) (*Data, *Windows) {
	d := &Data{Noun: "window", Labels: []string{"still", "moving"}}
	const channels, samples, hop = 3, 8, 4
	w := NewWindows(persons*2*windows, channels, samples)
	for p := range persons {
		for r := range 2 {
			f := w.Filler()
			for k := range windows {
				x := make([]float32, channels*samples)
				for c := range channels {
					for i := range samples {
						x[c*samples+i] = float32(1000*p + 500*r + 100*c + k*hop + i)
					}
				}
				f.Add(len(d.Items), int64(k*hop), x)
				d.Items = append(d.Items, Item{Name: fmt.Sprint(k), Stream: fmt.Sprint("s", p, r), Group: fmt.Sprint("p", p), Class: k % 2})
			}
		}
	}
	d.Store = w
	return d, w
}

func TestHash(t *testing.T) {
	d, _ := people(2, 3)
	first := d.Hash()
	turned := &Data{Labels: d.Labels, Items: slices.Concat(d.Items[6:], d.Items[:6])}
	w := NewWindows(12, 3, 8)
	w.places = slices.Concat(d.Store.(*Windows).places[6:], d.Store.(*Windows).places[:6])
	turned.Store = w
	if got := turned.Hash(); got != first {
		t.Errorf("in another order: %s, want %s", got, first)
	}
	for what, change := range map[string]func(d *Data){
		"a class":  func(d *Data) { d.Items[3].Class = 1 - d.Items[3].Class },
		"a group":  func(d *Data) { d.Items[3].Group = "p9" },
		"a sample": func(d *Data) { d.Store.(*Windows).places[3].track.data[1][2]++ },
		"a label":  func(d *Data) { d.Labels[0] = "idle" },
		"one less": func(d *Data) { d.Items = d.Items[:11] },
	} {
		d, _ := people(2, 3)
		if change(d); d.Hash() == first {
			t.Errorf("%s: the same", what)
		}
	}
}

func TestCheckClasses(t *testing.T) {
	d, _ := people(3, 4)
	s := &Split{Train: []Group{{Name: "p0"}}, Validation: []Group{{Name: "p1"}}, Test: []Group{{Name: "p2"}}}
	if err := d.CheckClasses(s); err != nil {
		t.Error(err)
	}
	for i := range d.Items {
		if d.Items[i].Group == "p0" {
			d.Items[i].Class = 0
		}
	}
	if err := d.CheckClasses(s); err == nil || !strings.Contains(err.Error(), `class "moving" has examples of held-out groups (8) and none for training`) {
		t.Error(err)
	}
	d.Labels = []string{"still"}
	if err := d.CheckClasses(s); err == nil || !strings.Contains(err.Error(), "1 class, want two") {
		t.Error(err)
	}
}

func floats(t *testing.T, s Store, items []int, seed func(int) uint64) []float32 {
	t.Helper()
	in, err := s.Batch(items, seed)
	if err != nil {
		t.Fatal(err)
	}
	x, err := runtime.DataOf[float32](in[0])
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// What overlaps is held once, and windows are what they were.
func TestWindows(t *testing.T) {
	_, w := people(2, 5)
	if got := w.Bytes(); got != 4*2*2*3*(8+4*4) {
		t.Errorf("%d bytes", got)
	}
	x := floats(t, w, []int{7, 0}, nil)
	for c := range 3 {
		for i := range 8 {
			if x[c*8+i] != float32(500+100*c+2*4+i) || x[24+c*8+i] != float32(100*c+i) {
				t.Fatalf("%v", x)
			}
		}
	}
	mean, std := w.Moments([]int{0, 5})
	if mean[0] != 250+3.5 || std[1] < 250 {
		t.Errorf("%v, %v", mean, std)
	}
	w.Standardise(mean, std)
	y := floats(t, w, []int{0}, nil)
	if want := float32((0 - mean[0]) * (1 / std[0])); y[0] != want {
		t.Errorf("%v, want %v", y[0], want)
	}
}

// A gap begins another track: a window never shows what lies behind one.
func TestWindowsWithGaps(t *testing.T) {
	w := NewWindows(3, 1, 4)
	f := w.Filler()
	f.Add(0, 0, []float32{0, 1, 2, 3})
	f.Add(1, 4, []float32{4, 5, 6, 7})
	f.Add(2, 12, []float32{12, 13, 14, 15})
	if w.Bytes() != 4*(8+4) {
		t.Errorf("%d bytes", w.Bytes())
	}
	if err := w.Change(augment.Views{Shift: 1}); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(40) {
		x := floats(t, w, []int{0, 1, 2}, func(int) uint64 { return seed })
		if x[0] < 0 || x[0] > 4 || x[4] > 4 || x[8] != 12 || x[3] != x[0]+3 || x[7] != x[4]+3 {
			t.Fatalf("%v", x)
		}
	}
}

// The same seed changes a window in the same way, whatever else is in the batch; without one it stays.
func TestWindowsChange(t *testing.T) {
	_, w := people(2, 5)
	if err := w.Change(augment.Views{Jitter: 0.1, Scale: 0.1, Shift: 0.2, Triples: [][3]int{{0, 1, 2}}, Rotate: 20}); err != nil {
		t.Fatal(err)
	}
	seed := func(item int) uint64 { return seedOf(3, uint64(item)) }
	both, alone := floats(t, w, []int{4, 9}, seed), floats(t, w, []int{9}, seed)
	if !slices.Equal(both[24:], alone) {
		t.Error("an item depends on its neighbour in the batch")
	}
	if plain := floats(t, w, []int{9}, nil); slices.Equal(plain, alone) || slices.Equal(alone, floats(t, w, []int{9}, func(int) uint64 { return 8 })) {
		t.Error("nothing was changed")
	}
}

func TestTokens(t *testing.T) {
	tokens := NewTokens(2, 12, 9, TokenInputs{Mask: true, Types: true})
	tokens.Set(0, []int32{1, 20, 21, 22, 23, 24, 25, 26, 2})
	tokens.Set(1, []int32{1, 30, 2})
	in, err := tokens.Batch([]int{1, 0}, nil)
	if err != nil || len(in) != 3 || in[0].Shape[1] != 12 {
		t.Fatalf("%v, %v", in, err)
	}
	if ids, mask := in[0].Data.([]int64), in[1].Data.([]int64); !slices.Equal(ids[:5], []int64{1, 30, 2, 9, 9}) || !slices.Equal(mask[:5], []int64{1, 1, 1, 0, 0}) || mask[12+8] != 1 || mask[12+9] != 0 {
		t.Errorf("%v, %v", ids, mask)
	}
	tokens.Drop(0.5, func(id int64) bool { return id%2 == 1 }) // 21, 23 and 25 go on with 20, 22 and 24
	lengths := map[int]bool{}
	for seed := range uint64(50) {
		got := tokens.dropped(tokens.ids[0], seed)
		lengths[len(got)] = true
		if got[0] != 1 || got[len(got)-1] != 2 || len(got) < 3 {
			t.Fatalf("%v", got)
		}
		for j, id := range got[1 : len(got)-1] {
			if id%2 == 1 && got[j] != id-1 { // got[j] is before it
				t.Fatalf("%v: a word was cut", got)
			}
		}
	}
	if len(lengths) < 4 {
		t.Errorf("%v", lengths)
	}
}

func TestPixels(t *testing.T) {
	decoded := 0
	p := NewPixels(2, 4, 6, 3*4*6, func(dst []float32, item int) error {
		decoded++
		for i := range dst {
			dst[i] = float32((i+item)%256) / 255
		}
		return nil
	})
	for i := range 2 {
		if err := p.Read(i); err != nil {
			t.Fatal(err)
		}
	}
	if p.held[0] == nil || p.held[1] != nil || decoded != 2 {
		t.Fatal("there is room for one")
	}
	p.Standardise([3]float64{0.5, 0, 0}, [3]float64{0.25, 1, 1})
	x := floats(t, p, []int{0, 1}, nil)
	if x[3] != (float32(3)/255-0.5)/0.25 || x[24+5] != float32(29)/255 || x[72] != (float32(1)/255-0.5)/0.25 || decoded != 3 {
		t.Errorf("%v", x)
	}
	p.Change(PictureChanges{Pad: 1, Flip: true})
	dst := make([]float32, 72)
	p.write(dst, p.held[0], 1, -1, false) // moved left and down
	if dst[24] != 0 || dst[24+6] != float32(24+1)/255 || dst[24+6+5] != 0 {
		t.Errorf("%v", dst[24:])
	}
	p.write(dst, p.held[0], 1, 0, true)
	if dst[24] != 0 || dst[24+1] != float32(24+5)/255 {
		t.Errorf("%v", dst[24:])
	}
	moves := map[string]bool{}
	for seed := range uint64(200) {
		dx, dy, mirrored := p.draw(seed)
		moves[fmt.Sprint(dx, dy, mirrored)] = true
	}
	if len(moves) != 18 {
		t.Errorf("%d different changes, want 18", len(moves))
	}
}
