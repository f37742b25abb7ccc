package image

import (
	"errors"
	"fmt"
	"math"
)

// Settings describe the evaluation transform of a network: torchvision's Resize, CenterCrop, ToTensor and Normalize, applied
// to a PIL picture. Only Height and Width have no useful zero value.
type Settings struct {
	// Resize is the length in pixels to which the shorter side is brought; the longer side keeps the aspect, truncated.
	// 0 leaves the picture as large as it is.
	Resize int

	// Stretch resizes to exactly Height x Width whatever the aspect; Resize is not used then.
	Stretch bool

	// Height and Width are the size in pixels of the crop from the centre, which is the network's input. Where the picture
	// is smaller, the crop is filled up with black. 1 to 16384 each.
	Height, Width int

	// Interpolation is the filter of the resizing; the zero value is Bilinear, as in torchvision.
	Interpolation Interpolation

	// Mean and Std normalise each channel, red, green, blue whatever BGR says: (value - Mean) / Std, on values from 0 to 1,
	// or 0 to 255 where Unscaled is set. A zero Std means 1, so that the zero value normalises nothing.
	Mean, Std [3]float64

	// Unscaled leaves values at 0 to 255 instead of dividing them by 255.
	Unscaled bool

	// BGR puts the channels into the tensor in the order blue, green, red.
	BGR bool

	// Layout is the order of the tensor's axes; the zero value is NCHW.
	Layout Layout

	// IgnoreOrientation leaves the picture as it is stored, which is what PIL.Image.open does. The zero value turns it as its
	// EXIF orientation asks.
	IgnoreOrientation bool
}

// maxSide bounds the sides that settings may ask for: far above any network's input, and low enough that one tensor is
// at most 3 GiB.
const maxSide = 16384

// minStd keeps a standard deviation from vanishing in float32, where dividing by it would give infinities.
const minStd = 1e-12

// Validate reports the first setting that is out of its range.
func (s Settings) Validate() error {
	switch {
	case s.Height < 1 || s.Height > maxSide:
		return fmt.Errorf("height %d: want 1 to %d", s.Height, maxSide)
	case s.Width < 1 || s.Width > maxSide:
		return fmt.Errorf("width %d: want 1 to %d", s.Width, maxSide)
	case s.Resize < 0 || s.Resize > maxSide:
		return fmt.Errorf("resize %d: want 0 to %d", s.Resize, maxSide)
	case !s.Interpolation.known():
		return fmt.Errorf("interpolation %d: unknown", s.Interpolation)
	case !s.Layout.known():
		return fmt.Errorf("layout %d: unknown", s.Layout)
	}
	return errors.Join(s.validateChannels()...)
}

func (s Settings) validateChannels() (errs []error) {
	for c := range 3 {
		if math.IsNaN(s.Mean[c]) || math.IsInf(s.Mean[c], 0) {
			errs = append(errs, fmt.Errorf("mean of channel %d: %v", c, s.Mean[c]))
		}
		if std := s.Std[c]; std != 0 && !(minStd <= std) || math.IsInf(std, 0) {
			errs = append(errs, fmt.Errorf("std of channel %d: %v, want 0 (for 1) or at least %v", c, std, minStd))
		}
	}
	return errs
}

// Interpolation is one of Pillow's resampling filters.
type Interpolation uint8

// The filters of Pillow. All but Nearest widen with the reduction, which is their antialiasing.
const (
	Bilinear Interpolation = iota // triangle, support 1
	Bicubic                       // cubic convolution with a = -0.5, support 2
	Nearest                       // one source pixel, no antialiasing
	Box                           // mean of the covered pixels, support 0.5
	Hamming                       // windowed sinc, support 1
	Lanczos                       // windowed sinc, support 3
)

var interpolationNames = []string{"bilinear", "bicubic", "nearest", "box", "hamming", "lanczos"}

func (i Interpolation) known() bool { return int(i) < len(interpolationNames) }

// String returns the name that torchvision's InterpolationMode uses, such as "bilinear".
func (i Interpolation) String() string { return nameOf(interpolationNames, int(i)) }

// ParseInterpolation returns the filter of that name; the empty name is Bilinear.
func ParseInterpolation(name string) (Interpolation, error) {
	i, err := parse("interpolation", interpolationNames, name)
	return Interpolation(i), err
}

// Layout is the order of a picture tensor's axes.
type Layout uint8

// The two orders. N is the batch, which the tensors of this package do not have.
const (
	NCHW Layout = iota // [3, height, width]
	NHWC               // [height, width, 3]
)

var layoutNames = []string{"NCHW", "NHWC"}

func (l Layout) known() bool { return int(l) < len(layoutNames) }

// String returns "NCHW" or "NHWC".
func (l Layout) String() string { return nameOf(layoutNames, int(l)) }

// ParseLayout returns the layout of that name; the empty name is NCHW.
func ParseLayout(name string) (Layout, error) {
	i, err := parse("layout", layoutNames, name)
	return Layout(i), err
}

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

func parse(what string, names []string, name string) (int, error) {
	if name == "" {
		return 0, nil
	}
	for i, n := range names {
		if n == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("preprocess/image: %s %q: want one of %v", what, name, names)
}
