package image

import (
	"bytes"
	"fmt"
	goimage "image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"testing"
)

// photograph returns a JPEG of about 2 bits a pixel, as cameras write them: waves with a little noise, 4:2:0.
func photograph(tb testing.TB, w, h int) []byte {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	m := goimage.NewRGBA(goimage.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			wave := 60 * math.Sin(float64(x)/9) * math.Cos(float64(y)/13)
			v := 128 + wave + float64(rng.IntN(24))
			m.SetRGBA(x, y, color.RGBA{uint8(v), uint8(v * 0.9), uint8(255 * x / w), 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 85}); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

var benchSizes = [][2]int{{640, 480}, {2048, 1536}, {3264, 2448}}

// BenchmarkPicture measures the steps of one picture: decode alone, transform alone (bilinear and bicubic, also turned), and
// all from bytes to tensor.
func BenchmarkPicture(b *testing.B) {
	for _, size := range benchSizes {
		w, h := size[0], size[1]
		data := photograph(b, w, h)
		name := fmt.Sprintf("%dx%d", w, h)
		img, _, err := Decode(data, Limits{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/decode", func(b *testing.B) {
			b.SetBytes(int64(w * h))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Decode(data, Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, by := range []Interpolation{Bilinear, Bicubic} {
			tr := must(New(imagenet(by), Limits{}))
			x := make([]float32, 3*224*224)
			for _, orientation := range []int{1, 6} {
				b.Run(fmt.Sprintf("%s/transform-%v-orientation%d", name, by, orientation), func(b *testing.B) {
					b.SetBytes(int64(w * h))
					b.ReportAllocs()
					for b.Loop() {
						if err := tr.Picture(x, img, orientation); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			b.Run(fmt.Sprintf("%s/bytes-%v", name, by), func(b *testing.B) {
				b.SetBytes(int64(w * h))
				b.ReportAllocs()
				for b.Loop() {
					if err := tr.Bytes(x, data); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// imagenet is the usual transform of ImageNet's networks.
func imagenet(by Interpolation) Settings {
	return Settings{Resize: 256, Height: 224, Width: 224, Interpolation: by, Mean: imagenetMean, Std: imagenetStd}
}
