package charts

import (
	"bytes"
	"encoding/xml"
	"image"
	_ "image/png"
	"io"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func TestEncode(t *testing.T) {
	f := Figure{Width: 10 * vg.Centimeter, Height: 5 * vg.Centimeter, Draw: func(c draw.Canvas) { newPlot("a < b & c", "x", "y").Draw(c) }}
	svg, err := f.Encode("svg")
	if err != nil {
		t.Fatal(err)
	}
	for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the SVG is no XML: %v", err)
		}
	}
	if again, _ := f.Encode("svg"); !bytes.Equal(svg, again) {
		t.Error("the same figure has other bytes")
	}
	png, err := f.Encode("png")
	if err != nil {
		t.Fatal(err)
	}
	c, kind, err := image.DecodeConfig(bytes.NewReader(png))
	if err != nil || kind != "png" || c.Width != 567 || c.Height != 283 {
		t.Errorf("%s %d x %d: %v", kind, c.Width, c.Height, err)
	}
	if _, err := f.Encode("gif"); err == nil || !strings.Contains(err.Error(), "svg or png") {
		t.Errorf("gif: %v", err)
	}
}
