package image_test

import (
	"fmt"
	goimage "image"
	"image/color"
	"log"

	imageprep "github.com/oatta/oatta/preprocess/image"
)

// grey is a picture of one grey.
func grey(w, h int, v uint8) goimage.Image {
	img := goimage.NewGray(goimage.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = v
	}
	img.SetGray(0, 0, color.Gray{}) // but for a corner, which the crop leaves out
	return img
}

// A picture becomes a network's input: resized, cropped, scaled and normalised.
func ExampleTransform() {
	t, err := imageprep.New(imageprep.Settings{
		Resize: 40, Height: 32, Width: 32, Mean: [3]float64{0.5, 0.5, 0.5}, Std: [3]float64{0.25, 0.25, 0.25},
	}, imageprep.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	x := make([]float32, 3*32*32)
	if err := t.Picture(x, grey(640, 480, 255), 1); err != nil { // File and Bytes decode first
		log.Fatal(err)
	}
	fmt.Println(t.Shape(), x[0], x[len(x)-1])
	// Output:
	// [3 32 32] 2 2
}

// Several views of one picture, the plain one first.
func ExampleViewer() {
	t, err := imageprep.New(imageprep.Settings{Resize: 32, Height: 32, Width: 32}, imageprep.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	viewer, err := t.NewViews(imageprep.Views{Set: imageprep.Crops, Augmented: 3})
	if err != nil {
		log.Fatal(err)
	}
	x := make([]float32, viewer.Len())
	if err := viewer.Picture(x, grey(64, 64, 51), 1, 7); err != nil { // 7: the item's seed
		log.Fatal(err)
	}
	fmt.Println(viewer.Count(), "views of", viewer.Len()/viewer.Count(), "numbers, grey", x[500])
	// Output:
	// 4 views of 3072 numbers, grey 0.2
}
