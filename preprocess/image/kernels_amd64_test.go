package image

import (
	"bytes"
	"fmt"
	goimage "image"
	"math/rand/v2"
	"testing"
)

// narrow runs do without the kernels.
func narrow(do func()) {
	before := wide
	wide = false
	defer func() { wide = before }()
	do()
}

// Kernels and loops give the same crops, whatever the sizes leave over, of any kind of picture.
func TestKernelsAreTheirLoops(t *testing.T) {
	if !wide {
		t.Skip("this processor has no AVX2")
	}
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 3000 {
		img := anyPicture(r, 1+r.IntN(70), 1+r.IntN(70), i)
		set := Settings{
			Resize: 1 + r.IntN(60), Height: 1 + r.IntN(40), Width: 1 + r.IntN(40), Stretch: i%5 == 0,
			Interpolation: []Interpolation{Bilinear, Bicubic, Nearest, Box, Hamming, Lanczos}[r.IntN(6)],
		}
		if set.Stretch {
			set.Resize = 0
		}
		tr := must(New(set, Limits{}))
		got, want := make([]uint8, tr.size()), make([]uint8, tr.size())
		orientation := 1 + r.IntN(8)
		if err := tr.Pixels(got, img, orientation); err != nil {
			t.Fatal(err)
		}
		narrow(func() { _ = tr.Pixels(want, img, orientation) })
		if !bytes.Equal(got, want) {
			t.Fatalf("%T of %v, orientation %d, %+v: kernels give other bytes", img, img.Bounds(), orientation, set)
		}
	}
}

// anyPicture is one of noise: with chroma of each ratio, grey or in colours.
func anyPicture(r *rand.Rand, w, h, kind int) goimage.Image {
	all := goimage.Rect(0, 0, w, h)
	noise := func(pix []uint8) {
		for i := range pix {
			pix[i] = uint8(r.Uint32()>>8) | uint8(-(r.Uint32() & 1)) // half of them at the upper end
		}
	}
	switch kind % 8 {
	case 6:
		m := goimage.NewGray(all)
		noise(m.Pix)
		return m
	case 7:
		m := goimage.NewNRGBA(all)
		noise(m.Pix)
		return m
	}
	m := goimage.NewYCbCr(all, goimage.YCbCrSubsampleRatio(kind%8))
	noise(m.Y)
	noise(m.Cb)
	noise(m.Cr)
	return m
}

// Every value of luma and chroma is converted alike.
func TestEveryColour(t *testing.T) {
	if !wide {
		t.Skip("this processor has no AVX2")
	}
	luma, cc := make([]uint8, 256), make([]uint32, 256)
	got, want := make([]pixel, 256), make([]texel, 256)
	for i := range luma {
		luma[i] = uint8(i)
	}
	for chroma := range 1 << 16 {
		for i := range cc {
			cc[i] = uint32(chroma&0xff | chroma>>8<<16)
		}
		convertWide(got, luma, cc)
		convertJFIF(want, luma, cc)
		for i, p := range got {
			if p&0xffffff != want[i].pixel() {
				t.Fatalf("luma %d, chroma %#x: %#x, want %#x", i, chroma, p&0xffffff, want[i].pixel())
			}
		}
	}
}

func BenchmarkKernels(b *testing.B) {
	data := photograph(b, 640, 480)
	tr := must(New(imagenet(Bicubic), Limits{}))
	x := make([]float32, tr.size())
	for _, on := range []bool{true, false} {
		b.Run(fmt.Sprintf("wide=%v", on), func(b *testing.B) {
			defer func(before bool) { wide = before }(wide)
			wide = wide && on
			b.ReportAllocs()
			for b.Loop() {
				if err := tr.Bytes(x, data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
