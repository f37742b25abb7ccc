package jpeg

import (
	"errors"
	"fmt"
	goimage "image"
	"image/color"
)

// Picture is what a file gave.
type Picture struct {
	Image  goimage.Image // Gray, YCbCr with chroma of full size, NRGBA or CMYK
	Damage string        // what is wrong with the file, in words; "" for a whole one
}

// errors of files that are JPEGs of another kind.
var (
	errNone        = errors.New("no picture in it")
	errUnsupported = errors.New("unsupported")
)

// Config returns the size, and the kind of its colours.
func Config(data []byte) (goimage.Config, error) {
	d := decoder{data: data}
	if err := d.run(true); err != nil {
		return goimage.Config{}, fmt.Errorf("jpeg: %w", err)
	}
	c := goimage.Config{Width: d.width, Height: d.height, ColorModel: color.YCbCrModel}
	switch len(d.components) {
	case 1:
		c.ColorModel = color.GrayModel
	case 4:
		c.ColorModel = color.CMYKModel
	}
	return c, nil
}

// Decode decodes a file. Who calls it has compared its size, as Config gives it, with what memory there is: 12 bytes a pixel.
func Decode(data []byte) (Picture, error) {
	d := decoder{data: data}
	if err := d.run(false); err != nil {
		return Picture{}, fmt.Errorf("jpeg: %w", err)
	}
	if d.done == 0 {
		return Picture{}, fmt.Errorf("jpeg: %w", errNone)
	}
	return Picture{d.image(), d.report()}, nil
}

// decoder is a file that is being read.
type decoder struct {
	data []byte
	pos  int

	// marker is one that stood in coded data and was not acted upon yet; 0: none. The end of the data is an end mark.
	marker byte

	width, height           int
	progressive, arithmetic bool
	components              []component
	most                    sampling // the largest factors
	quantizers              [4]*[64]uint16
	huffman                 [2][4]*huffman // DC, AC
	conditions              conditions
	interval                int // MCUs between restart markers; 0: none

	jfif, adobe bool
	transform   byte // Adobe's

	damage     string // the first
	done, lost int    // MCUs that were decoded, and that were not
}

// component is one plane of the picture.
type component struct {
	id, quantizer byte
	sampling
	across, down  int         // blocks, up to whole MCUs
	width, height int         // samples that show something
	blocks        [][64]int16 // coefficients in natural order, row by row
	steps         *[64]uint16 // the quantizer as it was when the first scan of the component began
}

// sampling is two factors of T.81, A.1.1.
type sampling struct{ h, v int }

// wrong keeps the first damage.
func (d *decoder) wrong(format string, args ...any) {
	if d.damage == "" {
		d.damage = fmt.Sprintf(format, args...)
	}
}

func (d *decoder) report() string {
	for i := range d.components {
		if d.components[i].steps == nil {
			d.wrong("component %d of %d is missing", i+1, len(d.components))
		}
	}
	if d.lost == 0 {
		return d.damage
	}
	return fmt.Sprintf("%s; %.2g %% of the data are missing", d.damage, 100*float64(d.lost)/float64(d.lost+d.done))
}

// complete says whether each component had its only scan.
func (d *decoder) complete() bool {
	for i := range d.components {
		if d.components[i].steps == nil {
			return false
		}
	}
	return !d.progressive
}

func (d *decoder) image() goimage.Image {
	planes := make([][]uint8, len(d.components))
	for i := range d.components {
		c := &d.components[i]
		planes[i] = d.full(c, c.samples())
		c.blocks = nil
	}
	all := goimage.Rect(0, 0, d.width, d.height)
	switch {
	case len(planes) == 1:
		return &goimage.Gray{Pix: planes[0], Stride: d.width, Rect: all}
	case len(planes) == 4:
		return d.inks(planes)
	case !d.isRGB():
		return &goimage.YCbCr{
			Y: planes[0], Cb: planes[1], Cr: planes[2], YStride: d.width, CStride: d.width,
			SubsampleRatio: goimage.YCbCrSubsampleRatio444, Rect: all,
		}
	}
	m := goimage.NewNRGBA(all)
	for i, r := range planes[0] {
		copy(m.Pix[4*i:], []uint8{r, planes[1][i], planes[2][i], 255})
	}
	return m
}

// isRGB is libjpeg's rule: JFIF's mark means YCbCr, Adobe's says, and else the names of the components do.
func (d *decoder) isRGB() bool {
	switch {
	case d.jfif:
		return false
	case d.adobe:
		return d.transform == 0
	}
	return d.components[0].id == 'R' && d.components[1].id == 'G' && d.components[2].id == 'B'
}
