package inputs

import (
	"context"
	"encoding/json"
	"fmt"
	goimage "image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/megadetector"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/preprocess/image"
)

func usualBoxes(path string) BoxOptions {
	return BoxOptions{Path: path, Confidence: 0.2, Categories: []string{"animal"}}
}

func listed(t *testing.T, dir string) *datasets.Listing {
	t.Helper()
	l, err := ListPictures(context.Background(), []string{dir}, datasets.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func openCrops(t *testing.T, l *datasets.Listing, o BoxOptions, p PictureOptions) *Crops {
	t.Helper()
	b, err := ReadBoxes(l, o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCrops(b, pictureModel(), p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// mixedBoxes has pictures of all kinds: several boxes out of order and beside others, none, a failure, boxes that are wrong, one that is
// elsewhere; pictures 5 and 6 are not in it.
const mixedBoxes = `{"info": {"format_version": "1.5", "detector": "md"},
"detection_categories": {"1": "animal", "2": "person"},
"images": [
 {"file": "cam/3.png", "failure": "Failure image access", "detections": null},
 {"file": "cam/1.png", "detections": [
  {"category": "2", "conf": 0.99, "bbox": [0, 0, 0.5, 0.5]},
  {"category": "1", "conf": 0.3, "bbox": [0.5, 0, 0.5, 0.5]},
  {"category": "1", "conf": 0.1, "bbox": [0, 0, 1, 1]},
  {"category": "1", "conf": 0.8, "bbox": [0, 0.5, 0.5, 0.5]},
  {"category": "1", "conf": 0.3, "bbox": [0, 0, 1, 1]},
  {"category": "2", "conf": 0.2, "bbox": [0, 0, 1, 1]}]},
 {"file": "cam/2.png", "detections": []},
 {"file": "elsewhere.png", "detections": [{"category": "1", "conf": 0.9, "bbox": [0, 0, 1, 1]}]},
 {"file": "cam/4.png", "detections": [
  {"category": "1", "conf": 0.7, "bbox": [0.5, NaN, 0.1, 0.1]},
  {"category": "1", "conf": 0.6, "bbox": [0.5, 0.5, 0, 0.1]},
  {"category": "1", "conf": NaN, "bbox": [0.5, 0.5, 0.1, 0.1]}]},
 {"file": "raw.cr2", "detections": [{"category": "1", "conf": 0.6, "bbox": [0, 0, 1, 1]}]}
]}`

func mixed(t *testing.T) *Crops {
	t.Helper()
	dir := t.TempDir()
	for i := range 6 {
		put(t, dir, fmt.Sprintf("cam/%d.png", i+1), "")
		putPNG(t, filepath.Join(dir, "cam", fmt.Sprintf("%d.png", i+1)), 40*i)
	}
	put(t, dir, "raw.cr2", "raw")
	l := listed(t, dir)
	for i := range l.Pictures {
		l.Pictures[i].Label = "label of " + l.Pictures[i].Name
	}
	return openCrops(t, l, usualBoxes(put(t, t.TempDir(), "d.json", mixedBoxes)), PictureOptions{})
}

func TestCropsInOrder(t *testing.T) {
	c := mixed(t)
	var got []string
	for i, item := range c.Items() {
		got = append(got, fmt.Sprintf("%s|%s|%s|%v", item.Name, item.Stream, c.Label(i), item.Box != nil))
	}
	want := []string{
		"cam/1.png#3|cam|label of cam/1.png|true", "cam/1.png#1|cam|label of cam/1.png|true", "cam/1.png#4|cam|label of cam/1.png|true",
		"cam/3.png|cam|label of cam/3.png|false",
		"cam/4.png#0|cam|label of cam/4.png|false", "cam/4.png#1|cam|label of cam/4.png|false", "cam/4.png#2|cam|label of cam/4.png|false",
		"raw.cr2#0|||false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("items\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if box := c.Items()[1].Box; box.Category != "animal" || box.Conf != 0.3 || box.BBox != [4]float64{0.5, 0, 0.5, 0.5} {
		t.Errorf("box %+v", box)
	}
	if c.Noun() != "crop" || c.Streams() != 1 {
		t.Errorf("%d streams of %ss", c.Streams(), c.Noun())
	}
	for _, w := range []string{"d.json: 1 picture is without a box of animal", "d.json: 2 pictures here are not in it", "d.json: 1 picture in it is not here"} {
		if !strings.Contains(strings.Join(c.Warnings(), "\n"), w) {
			t.Errorf("warnings %q, want %q", c.Warnings(), w)
		}
	}
	if lines := c.boxes.InPicture(0); len(lines) != 3 || lines[0] != "#3 animal 0.8 [0 0.5 0.5 0.5]" || c.boxes.Len() != 8 {
		t.Errorf("for people: %q of %d", lines, c.boxes.Len())
	}
}

// What fails says which file, picture and detection are at fault.
func TestCropsThatFail(t *testing.T) {
	c := mixed(t)
	load, err := c.Loader(Views{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float32, 3*16*16)
	for i, want := range []string{
		"", "", "", "the detector has no boxes: Failure image access", "d.json: images[4] (cam/4.png), detections[0]: bbox [0.5 NaN 0.1 0.1]: value 1",
		"detections[1]: bbox [0.5 0.5 0 0.1]: has no area", "detections[2]: conf NaN", "not supported",
	} {
		err := load(dst, i, 0)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", c.Items()[i].Name, err, want)
		}
	}
	if err := os.WriteFile(c.boxes.listing.Pictures[0].Path, []byte("now a letter"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := load(dst, i, 0); err == nil || strings.Contains(err.Error(), filepath.Dir(c.boxes.listing.Pictures[0].Path)) {
			t.Errorf("a picture that cannot be read: %v", err)
		}
	}
}

// The detector's file is written again around the answers: each detection once, and in its order where that is of falling confidence.
func TestCropsAround(t *testing.T) {
	c := mixed(t)
	text := []byte("[")
	for n := range c.Items() {
		before, after, detection := c.Around(n)
		if before == nil {
			t.Fatalf("the file does not know item %d", n)
		}
		if n > 0 {
			text = append(text, ',')
		}
		text = append(text, before...)
		if detection {
			text = append(append(text, fmt.Sprintf(`,"answer":%d}`, n)...), after...)
		}
	}
	text = append(c.AppendRest(text, true), ']')
	var pictures []struct {
		File, Stream string
		Detections   []struct {
			Conf   *float64
			Answer *int
		}
	}
	if err := json.Unmarshal(text, &pictures); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	var got []string
	for _, p := range pictures {
		line := p.File + " " + p.Stream
		for _, d := range p.Detections {
			if d.Conf != nil {
				line += fmt.Sprintf(" %g", *d.Conf)
			}
			if d.Answer != nil {
				line += fmt.Sprintf("=%d", *d.Answer)
			}
		}
		got = append(got, line)
	}
	want := []string{
		"cam/1.png cam 0.99 0.1 0.8=0 0.3=1 0.3=2 0.2", "cam/3.png ", "cam/4.png cam 0.7=4 0.6=5=6", "raw.cr2  0.6=7", "cam/2.png ", "elsewhere.png  0.9",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// savePNG writes a picture that a test has made.
func savePNG(t *testing.T, path string, img goimage.Image) {
	t.Helper()
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

// A box is of the picture as EXIF turns it, or as stored where EXIF is ignored; its crop is what a picture of these pixels would be, views
// included.
func TestCropIsThePictureInTheBox(t *testing.T) {
	data, err := os.ReadFile("../../preprocess/image/testdata/pictures/png_orient6.png")
	if err != nil {
		t.Fatal(err)
	}
	dir, plain := t.TempDir(), t.TempDir()
	put(t, dir, "p.png", string(data))
	stored, meta, err := image.Decode(data, image.Limits{})
	if err != nil || meta.Orientation != 6 {
		t.Fatal(err, meta)
	}
	b := stored.Bounds()
	shown := goimage.NewNRGBA(goimage.Rect(0, 0, b.Dy(), b.Dx()))
	for y := range b.Dx() {
		for x := range b.Dy() {
			shown.Set(x, y, stored.At(b.Min.X+y, b.Min.Y+b.Dy()-1-x)) // a quarter turn to the right
		}
	}
	boxes := usualBoxes(put(t, t.TempDir(), "d.json", `{"images": [{"file": "p.png", "detections": [{"category": "1", "conf": 1, "bbox": [0.25, 0.5, 0.5, 0.25]}]}]}`))
	for _, ignore := range []bool{false, true} {
		var picture goimage.Image = shown
		if ignore {
			picture = stored
		}
		r := picture.Bounds()
		w, h := float64(r.Dx()), float64(r.Dy())
		x0, x1 := edges(w/4, w*3/4, r.Dx())
		y0, y1 := edges(h/2, h*3/4, r.Dy())
		part := picture.(interface {
			SubImage(goimage.Rectangle) goimage.Image
		}).SubImage(goimage.Rect(x0, y0, x1, y1).Add(r.Min))
		savePNG(t, filepath.Join(plain, "p.png"), part)
		crops, whole := openCrops(t, listed(t, dir), boxes, PictureOptions{IgnoreOrientation: ignore}), openPictures(t, plain)
		for _, v := range []Views{{}, {"augmix", 4}, {"memo-imagenet", 4}} {
			if a, c := loaded(t, crops, v), loaded(t, whole, v); !slices.Equal(a, c) {
				t.Errorf("views %v, EXIF ignored %v: the crop differs from the picture", v, ignore)
			}
		}
	}
}

func loaded(t *testing.T, in Input, v Views) []float32 {
	t.Helper()
	dst := make([]float32, (1+v.Count)*3*16*16)
	load, err := in.Loader(v, 1)
	if err == nil {
		err = load(dst, 0, 7)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dst
}

// The pixels of boxes, as PIL's crop((x*w, y*h, (x+w)*w, (y+h)*h)) takes them.
func TestRectangle(t *testing.T) {
	for _, test := range []struct {
		box    [4]float64
		margin float64
		want   goimage.Rectangle
	}{
		{[4]float64{0, 0, 1, 1}, 0, goimage.Rect(0, 0, 100, 50)},
		{[4]float64{0.1, 0.2, 0.3, 0.4}, 0, goimage.Rect(10, 10, 40, 30)},
		{[4]float64{0.105, 0.05, 0.01, 0.04}, 0, goimage.Rect(10, 2, 12, 4)}, // 10.5, 2.5, 11.5, 4.5: half to even
		{[4]float64{0.5, 0.5, 0.001, 0.001}, 0, goimage.Rect(50, 25, 51, 26)},
		{[4]float64{0.9999, 0.9999, 0.001, 0.001}, 0, goimage.Rect(99, 49, 100, 50)},
		{[4]float64{-0.005, 0.2, 0.2, 0.81}, 0, goimage.Rect(0, 10, 20, 50)},
		{[4]float64{0.4, 0.4, 0.2, 0.2}, 0.5, goimage.Rect(30, 10, 70, 40)}, // 10 pixels on all sides
		{[4]float64{0.0, 0.0, 0.2, 0.2}, 1, goimage.Rect(0, 0, 40, 30)},
	} {
		if got := rectangle(&megadetector.Detection{Box: test.box}, 100, 50, test.margin); got != test.want {
			t.Errorf("%v, margin %v: %v, want %v", test.box, test.margin, got, test.want)
		}
	}
}

func TestBoxesRefused(t *testing.T) {
	dir := t.TempDir()
	putPNG(t, filepath.Join(dir, "1.png"), 0)
	l := listed(t, dir)
	file := func(images string) string { return put(t, t.TempDir(), "d.json", `{"images": [`+images+`]}`) }
	box := `"detections": [{"category": "1", "conf": 0.5, "bbox": [0, 0, 1, 1]}]}`
	good := usualBoxes(file(`{"file": "1.png", ` + box))
	change := func(f func(o *BoxOptions)) BoxOptions {
		o := good
		f(&o)
		return o
	}
	for want, o := range map[string]BoxOptions{
		"want 0 to 1":          change(func(o *BoxOptions) { o.Confidence = 1.1 }),
		"of the longer side":   change(func(o *BoxOptions) { o.Margin = -1 }),
		"no category of boxes": change(func(o *BoxOptions) { o.Categories = nil }),
		`no category "cat"`:    change(func(o *BoxOptions) { o.Categories = []string{"animal", "cat"} }),
		"d.json: no box of animal with a confidence of 0.6 or more": change(func(o *BoxOptions) { o.Confidence = 0.6 }),
		`its first is "2.png", the folder's first "1.png"`:          usualBoxes(file(`{"file": "2.png", ` + box)),
		"d.json: has no picture":                                    usualBoxes(file("")),
		"are of one picture":                                        usualBoxes(file(`{"file": "1.png", ` + box + `, {"file": "1.png", ` + box)),
		"no such file":                                              usualBoxes(filepath.Join(dir, "none.json")),
	} {
		if _, err := ReadBoxes(l, o); err == nil || !strings.Contains(testdata.Plain(err.Error()), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	b, err := ReadBoxes(l, good)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewCrops(b, sleepModel("x", 10), PictureOptions{}); err == nil {
		t.Error("a model for sleep: no error")
	}
	c, err := NewCrops(b, pictureModel(), PictureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Loader(Views{"sparkle", 3}, 1); err == nil {
		t.Error("a set of views that is none: no error")
	}
	hashes := map[string]bool{c.Hash(): true}
	for _, o := range []BoxOptions{
		change(func(o *BoxOptions) { o.Confidence = 0.3 }), change(func(o *BoxOptions) { o.Categories = []string{"1"} }),
		usualBoxes(file(`{"file": "1.png", "x": 1, ` + box)),
	} {
		hashes[openCrops(t, l, o, PictureOptions{}).Hash()] = true
	}
	if len(hashes) != 4 {
		t.Errorf("%d hashes of four inputs", len(hashes))
	}
}

// A picture is decoded once for all of its boxes, from however many goroutines they are asked for, and then let go.
func TestOpenedPictures(t *testing.T) {
	dir := t.TempDir()
	putPNG(t, filepath.Join(dir, "1.png"), 0)
	tr, err := image.New(image.Settings{Height: 8, Width: 8}, image.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var opened atomic.Int32
	open := func() (*image.Opened, error) {
		opened.Add(1)
		return tr.Open(filepath.Join(dir, "1.png"))
	}
	a := openedPictures()
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			if _, err := a.get(i%3, 20, open); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if opened.Load() != 3 || len(a.held) != 0 || a.bytes != 0 {
		t.Errorf("3 pictures were opened %d times; %d of them, %d bytes, are held", opened.Load(), len(a.held), a.bytes)
	}
	for i := range 3 { // of whose boxes one comes later
		if _, err := a.get(i, 2, open); err != nil {
			t.Fatal(err)
		}
	}
	if len(a.held) != 3 || a.bytes != 3*4*32*32 {
		t.Errorf("%d pictures of %d bytes are held", len(a.held), a.bytes)
	}
	a.bytes += openedMost // as if they were large
	if _, err := a.get(3, 2, open); err != nil || len(a.held) != 1 || a.held[0].key != 3 {
		t.Errorf("beyond the bound %d pictures are held (%v)", len(a.held), err)
	}
}
