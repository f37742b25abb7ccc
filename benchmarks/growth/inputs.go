package growth

import (
	"bytes"
	"errors"
	goimage "image"
	"image/jpeg"
	"io"
	"math"
	"math/rand/v2"

	"github.com/disintegration/imaging"

	imageprep "github.com/oatta/oatta/preprocess/image"
	"github.com/oatta/oatta/preprocess/motion"
)

// pictures is the way of a JPEG to a network's input by its pixels.
func pictures(megapixels []float64, rounds int, least float64) (*Axis, error) {
	a := &Axis{
		ID: "pixels", Title: "A JPEG, decoded and brought to 224 x 224, against its size", Grows: "megapixels",
		Note: "Made-up pictures of 4:3 with detail at all scales, quality 90.",
		X:    megapixels, Series: []Series{{Name: "decoded and resized", Bound: 1}},
	}
	prep, err := transform()
	if err != nil {
		return nil, err
	}
	dst := make([]float32, 3*side*side)
	var points []point
	for _, m := range megapixels {
		data, err := picture(m)
		if err != nil {
			return nil, err
		}
		points = append(points, point{1, func() error { return prep.Bytes(dst, data) }})
	}
	return a, a.measure([][]point{points}, rounds, least)
}

// transform is what pictures are brought to.
func transform() (*imageprep.Transform, error) {
	return imageprep.New(imageprep.Settings{Resize: 256, Height: side, Width: side}, imageprep.Limits{})
}

const side = 224

// picture draws noise, coarse and fine, of so many megapixels, as a JPEG.
func picture(megapixels float64) ([]byte, error) {
	h := int(math.Sqrt(megapixels * 1e6 * 3 / 4))
	w := h * 4 / 3
	r := rand.New(rand.NewPCG(11, 1))
	coarse := goimage.NewNRGBA(goimage.Rect(0, 0, 64, 48))
	for i := range coarse.Pix {
		coarse.Pix[i] = uint8(r.UintN(256)) | uint8(i%4/3*255) // opaque
	}
	img := imaging.Resize(coarse, w, h, imaging.CatmullRom)
	for i := range img.Pix {
		if i%4 < 3 {
			img.Pix[i] = uint8(min(max(int(img.Pix[i])+r.IntN(17)-8, 0), 255))
		}
	}
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 90})
	return b.Bytes(), err
}

// recordings is a window of a recording by the recording's length.
func recordings(hours []float64, rounds int, least float64) (*Axis, error) {
	a := &Axis{
		ID: "recording", Title: "A window of a recording against the recording's length", Grows: "hours",
		Note: "Three channels at 50 Hz, brought to 40 Hz, windows of 128 samples without overlap.",
		X:    hours, Series: []Series{{Name: "resampled and cut"}},
	}
	var points []point
	for _, h := range hours {
		samples := int(h * 3600 * walkRate)
		read := func() error { _, err := windows(samples); return err }
		n, err := windows(samples)
		if err != nil {
			return nil, err
		}
		points = append(points, point{max(n, 1), read})
	}
	return a, a.measure([][]point{points}, rounds, least)
}

// windows reads a recording of so many samples, and returns how many windows it has.
func windows(samples int) (n int, err error) {
	set := motion.Settings{Channels: []string{"x", "y", "z"}, Rate: 40, Samples: 128}
	s, err := motion.NewStream(&walk{left: samples}, set)
	if err != nil {
		return 0, err
	}
	for w := new(motion.Window); ; n++ {
		switch err := s.Next(w); {
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return n, err
		}
	}
}

const walkRate = 50

// walk is a recording of an even gait.
type walk struct{ at, left int }

func (*walk) Names() []string  { return []string{"x", "y", "z"} }
func (*walk) Units() []string  { return []string{"g", "g", "g"} }
func (*walk) Rate() float64    { return walkRate }
func (*walk) Labels() []string { return []string{"walking"} }

// Read implements [motion.Source].
func (w *walk) Read(times []float64, values []float32, labels []int32) (int, error) {
	n := min(len(times), w.left)
	if n == 0 {
		return 0, io.EOF
	}
	for i := range n {
		t := float64(w.at+i) / walkRate
		times[i], labels[i] = t, 0
		s, c := math.Sincos(12 * t)
		values[3*i], values[3*i+1], values[3*i+2] = float32(1+0.3*s), float32(0.2*c), float32(0.1*s*c)
	}
	w.at, w.left = w.at+n, w.left-n
	return n, nil
}
