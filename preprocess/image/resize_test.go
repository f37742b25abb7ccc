package image

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"
)

type resizedGolden struct {
	Width, Height int
	Filter        string
	Stretch       bool
	Resize        int
	CropHeight    int `json:"crop_height"`
	CropWidth     int `json:"crop_width"`
	SHA256        string
}

// TestResizedEqualsPillow goes through random sizes, all filters, and crops larger and smaller than the picture.
func TestResizedEqualsPillow(t *testing.T) {
	for i, want := range readGoldens(t).Resized {
		by, err := ParseInterpolation(want.Filter)
		if err != nil {
			t.Fatal(err)
		}
		tr := must(New(Settings{
			Resize: want.Resize, Stretch: want.Stretch, Height: want.CropHeight, Width: want.CropWidth, Interpolation: by,
		}, Limits{}))
		crop := make([]uint8, 3*want.CropHeight*want.CropWidth)
		img := pseudoPixels(fmt.Sprintf("resize.%d", i), want.Width, want.Height)
		if err := tr.Pixels(crop, img, 1); err != nil {
			t.Fatal(err)
		}
		if sum(crop) != want.SHA256 {
			t.Errorf("case %d differs from Pillow: %+v", i, want)
		}
	}
}

type normalisedGolden struct {
	Mean, Std [3]float64
	SHA256    string
}

func TestTensorEqualsTorchvisionBitForBit(t *testing.T) {
	ramp := grayRamp()
	for _, want := range readGoldens(t).Normalised {
		tr := must(New(Settings{Height: 1, Width: 256, Mean: want.Mean, Std: want.Std}, Limits{}))
		x := make([]float32, 3*256)
		if err := tr.Picture(x, ramp, 1); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := binary.Write(&b, binary.LittleEndian, x); err != nil {
			t.Fatal(err)
		}
		if sum(b.Bytes()) != want.SHA256 {
			t.Errorf("mean %v std %v: tensor differs", want.Mean, want.Std)
		}
	}
}
