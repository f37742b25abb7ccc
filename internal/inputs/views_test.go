package inputs

import (
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/models"
)

// pictureModel is the manifest of a network for pictures of 16 x 16.
func pictureModel() models.Manifest {
	return models.Manifest{
		Name: "test", Task: models.ImageClassification, Labels: []string{"a", "b"},
		Input: models.Input{Name: "x", Height: 16, Width: 16, Layout: models.NCHW, Color: models.RGB, Mean: []float64{0, 0, 0}, Std: []float64{1, 1, 1}, Interpolation: models.Bilinear},
	}
}

func putPNG(t *testing.T, path string, shade int) {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for i := range 32 * 32 {
		img.SetNRGBA(i%32, i/32, color.NRGBA{uint8(shade + i), uint8(i / 7), uint8(i * i), 255})
	}
	f, err := os.Create(path)
	if err == nil {
		err = png.Encode(f, img)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func openPictures(t *testing.T, dir string) *Pictures {
	t.Helper()
	l, err := ListPictures(context.Background(), []string{dir}, datasets.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in, err := NewPictures(l, pictureModel(), PictureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestPicturesOfFolder(t *testing.T) {
	dir := t.TempDir()
	putPNG(t, filepath.Join(dir, "1.png"), 0)
	putPNG(t, filepath.Join(dir, "2.png"), 90)
	put(t, dir, "3.png", "no picture")
	in := openPictures(t, dir)
	load, err := in.Loader(Views{}, 1)
	if err != nil || len(in.Items()) != 3 || in.Noun() != "picture" || !slices.Equal(in.Shape(), []int64{3, 16, 16}) {
		t.Fatalf("%v: %d items, shape %v", err, len(in.Items()), in.Shape())
	}
	a, b := make([]float32, 3*16*16), make([]float32, 3*16*16)
	if err := load(a, 0, 0); err != nil {
		t.Error(err)
	}
	if err := load(b, 1, 0); err != nil || slices.Equal(a, b) {
		t.Errorf("the second picture: %v", err)
	}
	if err := load(a, 2, 0); err == nil || strings.Contains(err.Error(), dir) {
		t.Errorf("what is no picture: %v", err)
	}
	if _, err := NewPictures(&datasets.Listing{}, sleepModel("x", 10), PictureOptions{}); err == nil || !strings.Contains(err.Error(), "not one for pictures") {
		t.Errorf("a model for sleep: %v", err)
	}
}

// Of every modality: the plain input comes first, the views behind it differ from it, and they depend on the seed alone.
func TestViews(t *testing.T) {
	dir := t.TempDir()
	putPNG(t, filepath.Join(dir, "1.png"), 0)
	writeEDF(t, filepath.Join(dir, "n.edf"), 60)
	night, err := OpenSleep(context.Background(), []string{filepath.Join(dir, "n.edf")}, sleepModel("Fpz-Cz", 10), SleepOptions{})
	if err != nil {
		t.Fatal(err)
	}
	texts := put(t, dir, "t.csv", "user,text\nu,"+strings.Repeat("good bad day ", 4)+"\n")
	for what, test := range map[string]struct {
		in   Input
		sets []string
	}{
		"pictures": {openPictures(t, filepath.Join(dir, "1.png")), []string{"crops", "augmix", "memo-cifar"}},
		"movement": {openMotion(t, 50, MotionOptions{}, put(t, dir, "m.csv", table(0, 100, nil))), []string{"", "usual", "jitter", "shift"}},
		"sleep":    {night, []string{"", "usual", "jitter", "shift"}},
		"texts":    {openTexts(t, textModel(t, len(pieces), 16), texts), []string{"", "usual", "words"}},
	} {
		for _, set := range test.sets {
			t.Run(what+"/"+set, func(t *testing.T) { checkViews(t, test.in, Views{set, 6}) })
		}
		if _, err := test.in.Loader(Views{"sparkle", 3}, 1); err == nil || !strings.Contains(err.Error(), `"sparkle"`) {
			t.Errorf("%s: a set that is none: %v", what, err)
		}
	}
}

func checkViews(t *testing.T, in Input, v Views) {
	one := 1
	for _, d := range in.Shape() {
		one *= int(d)
	}
	plain, a, b, c := make([]float32, one), make([]float32, 7*one), make([]float32, 7*one), make([]float32, 7*one)
	load := func(dst []float32, v Views, seed uint64) {
		l, err := in.Loader(v, 1)
		if err == nil {
			err = l(dst, 0, seed)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	load(plain, Views{}, 1)
	load(a, v, 1)
	load(b, v, 1)
	load(c, v, 2)
	if !slices.Equal(a[:one], plain) || !slices.Equal(c[:one], plain) {
		t.Error("the first view is not the plain input")
	}
	if !slices.Equal(a, b) {
		t.Error("one seed gives two answers")
	}
	if slices.Equal(a, c) {
		t.Error("the seed decides nothing")
	}
	changed := 0
	for k := 1; k < 7; k++ {
		if !slices.Equal(a[k*one:(k+1)*one], plain) {
			changed++
		}
	}
	if changed < 3 {
		t.Errorf("%d of 6 views differ from the plain input", changed)
	}
}
