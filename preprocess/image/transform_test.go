package image

import (
	"bytes"
	"fmt"
	goimage "image"
	"image/color"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/disintegration/imaging"
)

func grayRamp() *goimage.Gray {
	m := goimage.NewGray(goimage.Rect(0, 0, 256, 1))
	for i := range m.Pix {
		m.Pix[i] = uint8(i)
	}
	return m
}

func equal(a, b []float32) bool { return slices.Equal(a, b) }

// TestOrientationThenResize: turning first and transforming the turned picture gives the same bytes as the transform's own
// turning of only the part that it needs.
func TestOrientationThenResize(t *testing.T) {
	img := pseudoPixels("orientation", 61, 47)
	for _, s := range []Settings{
		{Resize: 20, Height: 16, Width: 12},
		{Resize: 90, Height: 31, Width: 40, Interpolation: Bicubic},
		{Height: 11, Width: 30},
		{Height: 70, Width: 50},
		{Stretch: true, Height: 13, Width: 29, Interpolation: Lanczos},
	} {
		tr := must(New(s, Limits{}))
		got, want := make([]uint8, 3*s.Height*s.Width), make([]uint8, 3*s.Height*s.Width)
		for o, turned := range map[int]goimage.Image{
			0: img, 1: img, 2: imaging.FlipH(img), 3: imaging.Rotate180(img), 4: imaging.FlipV(img), 5: imaging.Transpose(img),
			6: imaging.Rotate270(img), 7: imaging.Transverse(img), 8: imaging.Rotate90(img), 9: img, -1: img,
		} {
			if err := tr.Pixels(want, turned, 1); err != nil {
				t.Fatal(err)
			}
			if err := tr.Pixels(got, img, o); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%+v: orientation %d differs", s, o)
			}
		}
	}
}

func TestIgnoreOrientation(t *testing.T) {
	s := Settings{Height: 29, Width: 37, IgnoreOrientation: true}
	got, want := make([]float32, 3*29*37), make([]float32, 3*29*37)
	if err := must(New(s, Limits{})).Bytes(got, picture(t, "tiff_orient6.tif")); err != nil {
		t.Fatal(err)
	}
	if err := must(New(s, Limits{})).Bytes(want, picture(t, "png_rgb.png")); err != nil {
		t.Fatal(err)
	}
	if !equal(got, want) {
		t.Error("orientation was applied")
	}
}

// plain hides a picture's type, so that it is read pixel by pixel.
type plain struct{ goimage.Image }

// TestRowsEqualPixels compares the fast paths with the plain reading of the same picture, from any column and row on.
func TestRowsEqualPixels(t *testing.T) {
	r := goimage.Rect(0, 0, 23, 17)
	rgba, rgba64, nrgba64 := goimage.NewRGBA(r), goimage.NewRGBA64(r), goimage.NewNRGBA64(r)
	gray, gray16 := goimage.NewGray(r), goimage.NewGray16(r)
	paletted := goimage.NewPaletted(r, color.Palette{color.White, color.NRGBA{9, 8, 7, 3}, color.Gray{77}})
	for y := range r.Dy() {
		for x := range r.Dx() {
			k := func(c int) uint16 { return uint16(pseudoRandom("rows", 4*(y*r.Dx()+x)+c) >> 8) }
			c := color.NRGBA64{k(0), k(1), k(2), 0xffff}
			nrgba64.Set(x, y, c)
			rgba64.Set(x, y, c)
			rgba.Set(x, y, c)
			gray.Set(x, y, c)
			gray16.Set(x, y, c)
			paletted.SetColorIndex(x, y, uint8(k(3)%3))
		}
	}
	sub := goimage.Rect(3, 5, 20, 16)
	for _, img := range []interface {
		goimage.Image
		SubImage(goimage.Rectangle) goimage.Image
	}{pseudoPixels("rows", 23, 17), rgba, rgba64, nrgba64, gray, gray16, paletted} {
		for _, m := range []goimage.Image{img, img.SubImage(sub)} {
			if !bytes.Equal(whole(t, m, 1), whole(t, plain{m}, 1)) {
				t.Errorf("%T %v: fast path differs", m, m.Bounds())
			}
		}
	}
}

// TestChromaFromAnyColumn: a crop of a decoded picture has the pixels of the whole at that place, for every sampling.
func TestChromaFromAnyColumn(t *testing.T) {
	for _, name := range []string{
		"jpeg_444.jpg", "jpeg_422.jpg", "jpeg_420.jpg", "jpeg_420_even.jpg", "jpeg_440.jpg", "jpeg_411.jpg",
		"jpeg_420_narrow.jpg", "webp_lossy.webp", "webp_lossy_even.webp",
	} {
		img, meta, err := Decode(picture(t, name), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		all := whole(t, img, 1)
		var s scratch
		for x := range meta.Width {
			for n := range min(7, meta.Width-x) {
				y := (x * 5) % meta.Height
				px, got := make([]texel, n+1), make([]byte, 3*(n+1))
				s.row(px, img, x, y)
				pack(got, px)
				if at := 3 * (y*meta.Width + x); !bytes.Equal(got, all[at:at+len(got)]) {
					t.Fatalf("%s: %d pixels from column %d of row %d differ", name, n+1, x, y)
				}
			}
		}
	}
}

// TestSubPictures: a picture cut out of a YCbCr picture is itself, also where the cut goes through a chroma sample.
func TestSubPictures(t *testing.T) {
	for _, name := range []string{"jpeg_444.jpg", "jpeg_422.jpg", "jpeg_420.jpg", "jpeg_440.jpg", "jpeg_411.jpg", "webp_lossy.webp"} {
		img, _, err := Decode(picture(t, name), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []goimage.Rectangle{goimage.Rect(4, 2, 33, 25), goimage.Rect(5, 3, 34, 24), goimage.Rect(1, 1, 2, 2)} {
			sub := img.(interface {
				SubImage(goimage.Rectangle) goimage.Image
			}).SubImage(r)
			most, mean := difference(whole(t, sub, 1), whole(t, plain{sub}, 1))
			// Go's own conversion replicates chroma, so the two differ at sharp edges, but not in the mean.
			if mean > 12 {
				t.Errorf("%s %v: differs by %v at most, %.2f in the mean", name, r, most, mean)
			}
		}
	}
}

func TestLayoutAndOrder(t *testing.T) {
	m := goimage.NewNRGBA(goimage.Rect(0, 0, 2, 1))
	copy(m.Pix, []uint8{10, 20, 30, 255, 40, 50, 60, 255})
	base := Settings{Height: 1, Width: 2, Unscaled: true, Mean: [3]float64{1, 2, 3}, Std: [3]float64{1, 2, 0}}
	for _, c := range []struct {
		change func(*Settings)
		want   []float32
		shape  []int64
	}{
		{func(*Settings) {}, []float32{9, 39, 9, 24, 27, 57}, []int64{3, 1, 2}},
		{func(s *Settings) { s.BGR = true }, []float32{27, 57, 9, 24, 9, 39}, []int64{3, 1, 2}},
		{func(s *Settings) { s.Layout = NHWC }, []float32{9, 9, 27, 39, 24, 57}, []int64{1, 2, 3}},
		{func(s *Settings) { s.Layout, s.BGR = NHWC, true }, []float32{27, 9, 9, 57, 24, 39}, []int64{1, 2, 3}},
	} {
		s := base
		c.change(&s)
		tr := must(New(s, Limits{}))
		got := make([]float32, 6)
		if err := tr.Picture(got, m, 1); err != nil {
			t.Fatal(err)
		}
		if !equal(got, c.want) || !slices.Equal(tr.Shape(), c.shape) {
			t.Errorf("%+v: got %v %v, want %v %v", s, got, tr.Shape(), c.want, c.shape)
		}
	}
}

func TestEmptyPictureIsAnError(t *testing.T) {
	tr := must(New(Settings{Height: 2, Width: 2}, Limits{}))
	if err := tr.Picture(make([]float32, 12), goimage.NewGray(goimage.Rectangle{}), 1); err == nil {
		t.Error("no error")
	}
}

func TestWrongLengthPanics(t *testing.T) {
	tr := must(New(Settings{Height: 2, Width: 2}, Limits{}))
	for name, call := range map[string]func() error{
		"Picture": func() error { return tr.Picture(make([]float32, 11), grayRamp(), 1) },
		"Pixels":  func() error { return tr.Pixels(make([]uint8, 13), grayRamp(), 1) },
		"Bytes":   func() error { return tr.Bytes(nil, nil) },
		"File":    func() error { return tr.File(nil, "") },
	} {
		func() {
			defer func() {
				if cause, _ := recover().(string); !strings.HasPrefix(cause, "preprocess/image: ") {
					t.Errorf("%s: panic %q", name, cause)
				}
			}()
			t.Errorf("%s: no panic, error %v", name, call())
		}()
	}
}

func TestConcurrentUse(t *testing.T) {
	tr := must(New(imagenet(Bicubic), Limits{}))
	names := []string{"jpeg_420.jpg", "jpeg_1x5000.jpg", "png_orient6.png", "webp_lossy.webp", "gif_offset.gif", "png_palette.png"}
	want := make([][]float32, len(names))
	for i, name := range names {
		want[i] = make([]float32, tr.size())
		if err := tr.Bytes(want[i], picture(t, name)); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			got := make([]float32, tr.size())
			for i := range 3 * len(names) {
				n := (i + worker) % len(names)
				if err := tr.Bytes(got, picture(t, names[n])); err != nil || !equal(got, want[n]) {
					t.Errorf("%s: differs from the first time, error %v", names[n], err)
				}
			}
		})
	}
	wg.Wait()
}

// TestManySizes overflows the cache of plans.
func TestManySizes(t *testing.T) {
	tr := must(New(Settings{Resize: 8, Height: 8, Width: 8}, Limits{}))
	crop, want := make([]uint8, 3*8*8), make([]uint8, 3*8*8)
	for i := range 3 * cachedPlans {
		img := pseudoPixels("sizes", 9+i, 11)
		if err := tr.Pixels(crop, img, 1); err != nil {
			t.Fatal(err)
		}
		if err := must(New(tr.settings, Limits{})).Pixels(want, img, 1); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(crop, want) {
			t.Fatalf("size %d differs", i)
		}
	}
	if n := len(tr.plans.plans); n > cachedPlans {
		t.Errorf("%d plans are kept, want at most %d", n, cachedPlans)
	}
}

// TestNoAllocations works on scratch space of its own, since a pool may drop what it holds at any time.
func TestNoAllocations(t *testing.T) {
	for _, name := range []string{"jpeg_420.jpg", "jpeg_422.jpg", "jpeg_grey.jpg", "png_palette.png", "png_rgba.png", "webp_lossy.webp"} {
		img, _, err := Decode(picture(t, name), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		tr, s := must(New(imagenet(Bilinear), Limits{})), new(scratch)
		x := make([]float32, tr.size())
		if n := testing.AllocsPerRun(20, func() {
			if err := tr.picture(s, x, img, 1); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations a picture", name, n)
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	good := imagenet(Bilinear)
	for want, change := range map[string]func(*Settings){
		"height 0":           func(s *Settings) { s.Height = 0 },
		"width -1":           func(s *Settings) { s.Width = -1 },
		"resize -1":          func(s *Settings) { s.Resize = -1 },
		"interpolation 17":   func(s *Settings) { s.Interpolation = 17 },
		"layout 2":           func(s *Settings) { s.Layout = 2 },
		"mean of channel 1":  func(s *Settings) { s.Mean[1] = nan() },
		"std of channel 2":   func(s *Settings) { s.Std[2] = nan() },
		"std of channel 0: ": func(s *Settings) { s.Std[0] = -1 },
	} {
		s := good
		change(&s)
		if _, err := New(s, Limits{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := New(good, Limits{MaxPixels: -1}); err == nil {
		t.Error("negative limit accepted")
	}
}

func nan() float64 { z := 0.0; return z / z }

func TestNamesParse(t *testing.T) {
	for i := range Interpolation(len(interpolationNames)) {
		if got, err := ParseInterpolation(i.String()); err != nil || got != i {
			t.Errorf("%v: got %v, %v", i, got, err)
		}
	}
	for l := range Layout(len(layoutNames)) {
		if got, err := ParseLayout(l.String()); err != nil || got != l {
			t.Errorf("%v: got %v, %v", l, got, err)
		}
	}
	if _, err := ParseInterpolation("cubic spline"); err == nil {
		t.Error("unknown filter accepted")
	}
	if got := fmt.Sprint(Interpolation(99), Layout(9), Format(77)); got != "unknown(99) unknown(9) unknown(77)" {
		t.Error(got)
	}
}
