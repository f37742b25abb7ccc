package image

import (
	"bytes"
	"errors"
	"fmt"
	goimage "image"
	"image/color"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/oatta/oatta/preprocess/internal/draw"
)

// viewsOf makes a viewer.
func viewsOf(t testing.TB, s Settings, v Views) *Viewer {
	t.Helper()
	viewer, err := must(New(s, Limits{})).NewViews(v)
	if err != nil {
		t.Fatal(err)
	}
	return viewer
}

// viewSettings are transforms of all kinds.
var viewSettings = map[string]Settings{
	"cifar":    {Height: 32, Width: 32, Mean: imagenetMean, Std: imagenetStd},
	"imagenet": {Resize: 37, Height: 32, Width: 32, Mean: imagenetMean, Std: imagenetStd, Interpolation: Bicubic},
	"odd":      {Resize: 30, Height: 17, Width: 26, BGR: true, Unscaled: true},
	"stretch":  {Stretch: true, Height: 24, Width: 31, Layout: NHWC},
	"enlarged": {Resize: 90, Height: 64, Width: 64, Interpolation: Lanczos},
	"stored":   {Resize: 20, Height: 16, Width: 16, IgnoreOrientation: true, Interpolation: Nearest},
}

// viewPictures are pictures of all sizes.
func viewPictures() map[string]goimage.Image {
	gray := goimage.NewGray(goimage.Rect(5, 7, 45, 60))
	for i := range gray.Pix {
		gray.Pix[i] = uint8(i * 7)
	}
	m := map[string]goimage.Image{"gray": gray}
	for _, size := range [][2]int{{32, 32}, {67, 45}, {45, 68}, {1, 1}, {1, 700}, {900, 3}, {151, 150}, {260, 333}} {
		name := fmt.Sprintf("%dx%d", size[0], size[1])
		m[name] = pseudoPixels("views."+name, size[0], size[1])
	}
	return m
}

// eachSet calls f for all sets that suit the settings, with few views each.
func eachSet(t *testing.T, s Settings, f func(v *Viewer)) {
	for set, r := range recipes {
		v := Views{Set: Set(set)}
		if !r.fixed {
			v.Augmented = 3
		}
		if v.suits(s) == nil {
			f(viewsOf(t, s, v))
		}
	}
}

// TestPlainViewIsTheTransform: to the bit, whatever the set, the settings, the picture and its orientation.
func TestPlainViewIsTheTransform(t *testing.T) {
	for name, s := range viewSettings {
		want := make([]float32, must(New(s, Limits{})).size())
		for size, img := range viewPictures() {
			for _, orientation := range []int{1, 3, 6, 99} {
				if err := must(New(s, Limits{})).Picture(want, img, orientation); err != nil {
					t.Fatal(err)
				}
				eachSet(t, s, func(v *Viewer) {
					got := make([]float32, v.Len())
					if err := v.Picture(got, img, orientation, 5); err != nil {
						t.Fatal(err)
					}
					if !equal(got[:len(want)], want) {
						t.Errorf("%s, %s, %v, orientation %d: another plain view", name, size, v.views.Set, orientation)
					}
				})
			}
		}
	}
}

// TestViewsAreFinite: on tiny, flat and extreme pictures too, every element is written with a value within what the
// normalisation gives.
func TestViewsAreFinite(t *testing.T) {
	for name, s := range viewSettings {
		tr := must(New(s, Limits{}))
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, table := range tr.tables {
			lo, hi = min(lo, float64(table[0])), max(hi, float64(table[255]))
		}
		for size, img := range viewPictures() {
			eachSet(t, s, func(v *Viewer) {
				x := make([]float32, v.Len())
				for i := range x {
					x[i] = float32(math.NaN())
				}
				if err := v.Picture(x, img, 1, 8); err != nil {
					t.Fatal(err)
				}
				for _, e := range x {
					if e := float64(e); !(e >= lo-1e-4 && e <= hi+1e-4) {
						t.Fatalf("%s, %s, %v: element %v", name, size, v.views.Set, e)
					}
				}
			})
		}
	}
}

// TestViewsDependOnSeedAlone: not on the calls before, on concurrent ones, or on the number of views.
func TestViewsDependOnSeedAlone(t *testing.T) {
	s := viewSettings["imagenet"]
	img := pseudoPixels("seeds", 67, 59)
	for set := range Set(len(recipes)) {
		few, many := viewsOf(t, s, Views{Set: set}), viewsOf(t, s, Views{Set: set})
		if r := recipes[set]; !r.fixed && set != Scales { // of which the number gives the steps
			few = viewsOf(t, s, Views{Set: set, Augmented: 3})
		}
		size := few.t.size()
		want := make([]float32, many.Len())
		if err := many.Picture(want, img, 1, 1); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for seed := range uint64(6) {
			wg.Go(func() {
				got := make([]float32, few.Len())
				for range 2 {
					if err := few.Picture(got, img, 1, seed); err != nil {
						t.Error(err)
					}
					if same := equal(got, want[:len(got)]); seed == 1 && !same {
						t.Errorf("%v: other views for the same seed", set)
					} else if seed != 1 && same && set != Plain && set != Flip && set != Scales && set != TenCrop {
						t.Errorf("%v: seeds 1 and %d give the same views", set, seed)
					}
				}
			})
		}
		wg.Wait()
		if recipes[set].mixed && equal(want[size:2*size], want[2*size:3*size]) {
			t.Errorf("%v: two views are the same", set)
		}
	}
}

// bytesOf are the views as bytes [views, height, width, 3], of a transform that does not scale.
func bytesOf(t *testing.T, s Settings, v Views, img goimage.Image, seed uint64) [][]byte {
	t.Helper()
	s.Unscaled, s.Layout = true, NHWC
	viewer := viewsOf(t, s, v)
	x := make([]float32, viewer.Len())
	if err := viewer.Picture(x, img, 1, seed); err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for view := range slices.Chunk(x, viewer.t.size()) {
		b := make([]byte, len(view))
		for i, e := range view {
			b[i] = byte(e)
		}
		out = append(out, b)
	}
	return out
}

// pixelsOf is the transform's crop.
func pixelsOf(t *testing.T, s Settings, img goimage.Image) []byte {
	t.Helper()
	b := make([]byte, 3*s.Height*s.Width)
	if err := must(New(s, Limits{})).Pixels(b, img, 1); err != nil {
		t.Fatal(err)
	}
	return b
}

func mirrored(b []byte, w int) []byte {
	b = bytes.Clone(b)
	mirror(b, w)
	return b
}

func TestFlip(t *testing.T) {
	for _, w := range []int{1, 2, 31, 32} {
		img := pseudoPixels("flip", w, 5)
		views := bytesOf(t, Settings{Height: 5, Width: w}, Views{Set: Flip}, img, 0)
		for y := range 5 {
			for x := range w {
				c := img.NRGBAAt(w-1-x, y)
				if got := views[1][3*(y*w+x):]; got[0] != c.R || got[1] != c.G || got[2] != c.B {
					t.Fatalf("width %d: pixel %d, %d: %v, want %v", w, x, y, got[:3], c)
				}
			}
		}
	}
}

// TestRandomCropsAreEven looks up where each crop came from: every place of the padded picture alike, half of them mirrored.
func TestRandomCropsAreEven(t *testing.T) {
	const side, pad, n = 8, 2, 200
	img := goimage.NewNRGBA(goimage.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x + 1), uint8(y + 1), 9, 255})
		}
	}
	var padded raster
	padded.reset(side, side)
	padded.pix = pixelsOf(t, Settings{Height: side, Width: side}, img)
	places := map[string][3]int{}
	for y := -pad; y <= pad; y++ {
		for x := -pad; x <= pad; x++ {
			b := make([]byte, 3*side*side)
			padded.cut(b, x, y, side, side)
			places[string(b)] = [3]int{x, y, 0}
			places[string(mirrored(b, side))] = [3]int{x, y, 1}
		}
	}
	count := map[[3]int]int{}
	for seed := range uint64(20) {
		views := bytesOf(t, Settings{Height: side, Width: side}, Views{Set: Crops, Augmented: n, Padding: pad}, img, seed)
		for _, b := range views[1:] {
			p, ok := places[string(b)]
			if !ok {
				t.Fatal("a view is no crop of the padded picture")
			}
			count[p]++
		}
	}
	if len(count) != 50 {
		t.Errorf("%d places, want 50", len(count))
	}
	for p, k := range count {
		if want := 20.0 * n / 50; math.Abs(float64(k)-want) > 5*math.Sqrt(want) {
			t.Errorf("place %v: %d times, want about %v", p, k, want)
		}
	}
}

// TestPaddingByDefault: 4 for CIFAR, none where the resized picture has room.
func TestPaddingByDefault(t *testing.T) {
	for _, c := range []struct {
		s          Settings
		asked, got int
	}{
		{Settings{Height: 32, Width: 32}, 0, 4},
		{Settings{Height: 32, Width: 32, Resize: 32}, 0, 4},
		{Settings{Height: 224, Width: 224, Stretch: true, Resize: 256}, 0, 28},
		{Settings{Height: 224, Width: 224, Resize: 256}, 0, 0},
		{Settings{Height: 224, Width: 224, Resize: 256}, 7, 7},
		{Settings{Height: 32, Width: 32}, -1, 0},
	} {
		if got := (Views{Set: Crops, Padding: c.asked}).withDefaults(c.s).Padding; got != c.got {
			t.Errorf("%+v, %d: padding %d, want %d", c.s, c.asked, got, c.got)
		}
	}
}

// TestTenCrop compares with corners that are cut from the whole resized picture.
func TestTenCrop(t *testing.T) {
	s := Settings{Resize: 20, Height: 15, Width: 13, Interpolation: Bicubic}
	img := pseudoPixels("ten", 61, 47)
	rw, rh := resizedSize(s, 61, 47)
	whole := raster{pixelsOf(t, Settings{Resize: 20, Height: rh, Width: rw, Interpolation: Bicubic}, img), rw, rh}
	views := bytesOf(t, s, Views{Set: TenCrop}, img, 0)
	if len(views) != 10 {
		t.Fatalf("%d views", len(views))
	}
	for i, at := range [][2]int{{0, 0}, {rw - 13, 0}, {0, rh - 15}, {rw - 13, rh - 15}} {
		want := make([]byte, 3*15*13)
		whole.cut(want, at[0], at[1], 13, 15)
		if !bytes.Equal(views[1+i], want) || !bytes.Equal(views[5+i], mirrored(want, 13)) {
			t.Errorf("corner %d differs", i)
		}
	}
	if !bytes.Equal(views[9], mirrored(views[0], 13)) {
		t.Error("mirrored centre differs")
	}
}

// TestScalesAreOtherResizes: an enlarged view is what the transform with that Resize gives, where the picture is no finer than
// the canvas.
func TestScalesAreOtherResizes(t *testing.T) {
	s := Settings{Resize: 32, Height: 28, Width: 28}
	img := pseudoPixels("scales", 64, 81)
	views := bytesOf(t, s, Views{Set: Scales, Augmented: 5, Zoom: 1.5}, img, 0)
	if !bytes.Equal(views[1], mirrored(views[0], 28)) {
		t.Error("the first is not the plain view mirrored")
	}
	for i, resize := range []int{39, 48} { // 32 sqrt(1.5), 32 * 1.5
		s.Resize = resize
		want := pixelsOf(t, s, img)
		if !bytes.Equal(views[2+2*i], want) || !bytes.Equal(views[3+2*i], mirrored(want, 28)) {
			t.Errorf("resize %d differs", resize)
		}
	}
}

// TestRandomRectangles checks RandomResizedCrop's draws: areas and aspects within bounds, log-even aspects, every place
// inside, and the largest rectangle of an allowed aspect where none fits.
func TestRandomRectangles(t *testing.T) {
	v := viewsOf(t, Settings{Height: 32, Width: 32}, Views{Set: MemoImageNet})
	s := &viewScratch{random: draw.New()}
	s.canvas.reset(400, 300)
	const n = 4000
	area, aspect, small := 0.0, 0.0, 0.0
	for i := range n {
		s.random.View(uint64(i), 0)
		x, y, w, h := v.randomRect(s)
		if x < 0 || y < 0 || w < 1 || h < 1 || x+w > 400 || y+h > 300 {
			t.Fatalf("%d x %d at %d, %d", w, h, x, y)
		}
		share, ratio := float64(w*h)/(400*300), float64(w)/float64(h)
		if share < 0.079 || ratio < 0.73 || ratio > 1.36 {
			t.Fatalf("area %v, aspect %v", share, ratio)
		}
		if share < 0.54 { // up to 0.56, every aspect fits; beyond, some are drawn again
			area, aspect, small = area+share, aspect+math.Log(ratio), small+1
		}
	}
	if area /= small; math.Abs(area-0.31) > 0.01 {
		t.Errorf("mean area %v, want 0.31", area)
	}
	if aspect /= small; math.Abs(aspect) > 0.015 {
		t.Errorf("mean log aspect %v, want 0", aspect)
	}
	for _, c := range []struct{ w, h, rw, rh int }{{900, 3, 4, 3}, {3, 900, 3, 4}, {1, 1, 1, 1}, {1, 700, 1, 1}} {
		s.canvas.reset(c.w, c.h)
		largest := 0
		for i := range 300 {
			s.random.View(uint64(i), 0)
			x, y, w, h := v.randomRect(s)
			if x < 0 || y < 0 || w < 1 || h < 1 || x+w > c.w || y+h > c.h || w > c.rw || h > c.rh {
				t.Fatalf("%d x %d: %d x %d at %d, %d", c.w, c.h, w, h, x, y)
			}
			largest = max(largest, w*h)
		}
		if largest != c.rw*c.rh {
			t.Errorf("%d x %d: largest rectangle %d pixels, want %d x %d", c.w, c.h, largest, c.rw, c.rh)
		}
	}
}

// TestCanvasIsBounded: the canvas neither loses what the crops can show, nor grows with the camera.
func TestCanvasIsBounded(t *testing.T) {
	s := Settings{Resize: 256, Height: 224, Width: 224}
	for _, c := range []struct {
		set        Set
		w, h       int
		cw, ch     int
		resize     int
		stretching bool
	}{
		{MemoImageNet, 500, 375, 500, 375, 256, false}, // ImageNet's size stays
		{MemoImageNet, 4000, 3000, 682, 512, 256, false},
		{MemoImageNet, 65000, 2000, 2048, 512, 256, false},
		{MemoImageNet, 640, 480, 640, 480, 0, false},
		{MemoImageNet, 4000, 3000, 1792, 1792, 0, false},
		{MemoImageNet, 4000, 3000, 448, 448, 0, true},
		{MemoImageNet, 300, 900, 300, 300, 0, true},
		{Crops, 4000, 3000, 341, 256, 256, false},
		{Crops, 65000, 10, 1024, 256, 256, false},
		{Crops, 30, 20, 224, 224, 0, false},
	} {
		s.Resize, s.Stretch = c.resize, c.stretching
		p := viewsOf(t, s, Views{Set: c.set}).canvasPlan(c.w, c.h)
		if p.width != c.cw || p.height != c.ch {
			t.Errorf("%v of %d x %d, resize %d: canvas %d x %d, want %d x %d", c.set, c.w, c.h, c.resize, p.width, p.height, c.cw, c.ch)
		}
	}
}

// TestFlatPictureStaysFlat: nothing but padding and AugMix's moves brings in another colour.
func TestFlatPictureStaysFlat(t *testing.T) {
	img := goimage.NewUniform(color.NRGBA{200, 100, 50, 255})
	m := goimage.NewNRGBA(goimage.Rect(0, 0, 80, 70))
	for y := range 70 {
		for x := range 80 {
			m.Set(x, y, img.C)
		}
	}
	s := Settings{Resize: 40, Height: 32, Width: 32}
	for _, set := range []Set{Flip, Crops, Scales, TenCrop} {
		for i, view := range bytesOf(t, s, Views{Set: set}, m, 3) {
			for p := range slices.Chunk(view, 3) {
				if p[0] != 200 || p[1] != 100 || p[2] != 50 {
					t.Fatalf("%v, view %d: colour %v", set, i, p)
				}
			}
		}
	}
}

func TestViewsFromFiles(t *testing.T) {
	v := viewsOf(t, imagenet(Bilinear), Views{Set: TenCrop})
	got, want := make([]float32, v.Len()), make([]float32, v.Len())
	path := filepath.Join("testdata", "pictures", "jpeg_orient6.jpg")
	if err := v.File(got, path, 1); err != nil {
		t.Fatal(err)
	}
	data := picture(t, "jpeg_orient6.jpg")
	if err := v.Bytes(want, data, 2); err != nil {
		t.Fatal(err)
	}
	if !equal(got, want) {
		t.Error("File and Bytes differ")
	}
	img, meta, err := Decode(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Picture(want, img, meta.Orientation, 3); err != nil || !equal(got, want) {
		t.Errorf("File and Picture differ (%v)", err)
	}
	if err := v.File(got, filepath.Join("testdata", "none.jpg"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if err := v.Bytes(got, []byte("GIF89a"), 1); err == nil || !strings.HasPrefix(err.Error(), "preprocess/image: ") {
		t.Errorf("damaged file: %v", err)
	}
	if err := v.Picture(got, goimage.NewGray(goimage.Rect(0, 0, 0, 5)), 1, 1); err == nil {
		t.Error("empty picture accepted")
	}
	defer func() {
		if recover() == nil {
			t.Error("a short destination did not panic")
		}
	}()
	_ = v.File(got[1:], path, 1)
}

func TestViewsAllocateNothing(t *testing.T) {
	img := pseudoPixels("allocations", 300, 280)
	for set := range Set(len(recipes)) {
		v := viewsOf(t, Settings{Resize: 40, Height: 32, Width: 32}, Views{Set: set})
		s := &viewScratch{random: draw.New()}
		x := make([]float32, v.Len())
		if n := testing.AllocsPerRun(10, func() {
			if err := v.picture(s, x, img, 1, 4); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations an item", set, n)
		}
	}
}

func TestViewsAreChecked(t *testing.T) {
	tr := must(New(imagenet(Bilinear), Limits{}))
	for want, v := range map[string]Views{
		"set of views 8":          {Set: 8},
		"-1 augmented":            {Set: Crops, Augmented: -1},
		"4097 augmented":          {Set: Crops, Augmented: 4097},
		"3 augmented views: ten-": {Set: TenCrop, Augmented: 3},
		"1 augmented views: plai": {Augmented: 1},
		"padding -2":              {Padding: -2},
		"area 0.5 to 0.1":         {Area: [2]float64{0.5, 0.1}},
		"area NaN":                {Area: [2]float64{nan(), 1}},
		"zoom 0.5":                {Zoom: 0.5},
		"zoom NaN":                {Zoom: nan()},
		"severity 11":             {Severity: 11},
		"severity NaN":            {Severity: nan()},
	} {
		if _, err := tr.NewViews(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for _, s := range []Settings{{Height: 32, Width: 32, Resize: 32}, {Height: 32, Width: 32, Stretch: true}} {
		if _, err := must(New(s, Limits{})).NewViews(Views{Set: TenCrop}); err == nil || !strings.Contains(err.Error(), "no room") {
			t.Errorf("ten crops without room: %v", err)
		}
	}
	for set := range Set(len(recipes)) {
		if got, err := ParseSet(set.String()); err != nil || got != set {
			t.Errorf("%v: got %v, %v", set, got, err)
		}
	}
	if _, err := ParseSet("randaugment"); err == nil {
		t.Error("unknown set accepted")
	}
	for set, want := range map[Set]int{Plain: 1, Flip: 2, Crops: 10, Scales: 10, TenCrop: 10, AugMix: 10, MemoCIFAR: 33, MemoImageNet: 65} {
		if v := viewsOf(t, imagenet(Bilinear), Views{Set: set}); v.Count() != want || v.Len() != want*3*224*224 {
			t.Errorf("%v: %d views of %d elements, want %d", set, v.Count(), v.Len(), want)
		}
	}
}

// BenchmarkViews measures the views of a decoded picture, at the two usual sizes of input.
func BenchmarkViews(b *testing.B) {
	for _, c := range []struct {
		s    Settings
		w, h int
	}{
		{Settings{Height: 32, Width: 32, Mean: imagenetMean, Std: imagenetStd}, 32, 32},
		{imagenet(Bilinear), 640, 480},
	} {
		img := pseudoPixels("bench", c.w, c.h)
		for set := range Set(len(recipes)) {
			views := Views{Set: set}
			if views.suits(c.s) != nil {
				continue
			}
			if !recipes[set].fixed {
				views.Augmented = 32
			}
			v := viewsOf(b, c.s, views)
			x := make([]float32, v.Len())
			b.Run(fmt.Sprintf("%d/%v", c.s.Height, set), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := v.Picture(x, img, 1, 1); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N*v.Count())/b.Elapsed().Seconds(), "views/s")
			})
		}
	}
}
