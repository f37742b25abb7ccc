package inputs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	goimage "image"
	"math"
	"slices"

	"github.com/oatta/oatta/datasets/megadetector"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/preprocess/image"
)

// Crops is the boxes of a detector, each an item in the stream of its picture, at the picture's time. A filter takes a step a box.
//
// A crop has the shape of its box and goes through the network's transform like a picture. Boxes are of the picture as it is shown, which
// is how MegaDetector sees it; with PictureOptions.IgnoreOrientation, of the picture as it is stored, for detectors that do not look at
// EXIF.
type Crops struct {
	collection
	boxes    *Boxes
	pictures *Pictures
	opened   cache[int, *image.Opened] // pictures that several boxes are in
	of       []box                     // of each item
	each     []int                     // boxes that can be cut, by picture
}

// NewCrops makes items of boxes, for a network of a manifest.
func NewCrops(b *Boxes, m models.Manifest, o PictureOptions) (*Crops, error) {
	p, err := NewPictures(b.listing, m, o)
	if err != nil {
		return nil, err
	}
	c := &Crops{boxes: b, pictures: p, opened: openedPictures(), of: slices.Concat(b.boxes, b.failed), each: make([]int, len(b.listing.Pictures))}
	c.collection = collection{noun: "crop", shape: p.shape, hash: b.hash(), warnings: slices.Concat(p.warnings, b.warnings)}
	for _, item := range b.boxes {
		pic := &b.listing.Pictures[item.picture]
		c.items = append(c.items, pipeline.Item{
			Name: item.name(pic.Name), Stream: Readable(pic.Stream), Time: pic.Time, Zoned: pic.Zoned, Box: b.shown(item),
		})
		c.labels = append(c.labels, pic.Label)
		if item.failure == "" {
			c.each[item.picture]++
		}
	}
	for _, item := range b.failed {
		c.failures = append(c.failures, failure{item.name(b.listing.Failures[item.picture].Name), item.failure})
	}
	c.close()
	return c, nil
}

// openedMost bounds what decoded pictures may take. Beyond, one is dropped, and decoded again if there are boxes left.
const openedMost = 256 << 20

func openedPictures() cache[int, *image.Opened] {
	return cache[int, *image.Opened]{mostBytes: openedMost, size: (*image.Opened).Bytes}
}

// shown is a box as outputs show it; nil for one that they could not.
func (b *Boxes) shown(item box) *pipeline.Box {
	if item.failure != "" {
		return nil
	}
	d := b.detection(item)
	return &pipeline.Box{Category: b.file.CategoryName(d.Category), Conf: d.Conf, BBox: d.Box}
}

// hash is over the listing, the file, and what is wanted of it.
func (b *Boxes) hash() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %v %q", listingHash(b.listing), b.file.SHA256, b.options.Confidence, b.options.Categories))
	return hex.EncodeToString(sum[:])
}

// Prepared implements [Input].
func (c *Crops) Prepared() any {
	type cut struct {
		SHA256     string   `json:"sha256"`
		Confidence float64  `json:"confidence"`
		Categories []string `json:"categories"`
		Margin     float64  `json:"margin"`
	}
	o := c.boxes.options
	return struct {
		Pictures any `json:"pictures"`
		Boxes    cut `json:"boxes"`
	}{c.pictures.Prepared(), cut{c.boxes.file.SHA256, o.Confidence, o.Categories, o.Margin}}
}

// Loader implements [Input]. The views are sets of package image, of the crop: nothing beyond it shows in them.
func (c *Crops) Loader(v Views, _ int) (pipeline.Loader, error) {
	if v.none() {
		return c.loader(func(dst []float32, part goimage.Image, _ uint64) error {
			return c.pictures.transform.Picture(dst, part, 1)
		}), nil
	}
	viewer, err := c.pictures.viewer(v)
	if err != nil {
		return nil, err
	}
	return c.loader(func(dst []float32, part goimage.Image, seed uint64) error { return viewer.Picture(dst, part, 1, seed) }), nil
}

func (c *Crops) loader(write func(dst []float32, part goimage.Image, seed uint64) error) pipeline.Loader {
	return func(dst []float32, i int, seed uint64) error {
		if err := c.failed(i); err != nil {
			return err
		}
		item := c.of[i]
		if item.failure != "" {
			return errors.New(item.failure)
		}
		part, err := c.cut(item)
		if err != nil {
			return err
		}
		return write(dst, part, seed)
	}
}

// cut opens the picture of a box, unless it is open, and cuts the box out.
func (c *Crops) cut(item box) (goimage.Image, error) {
	path := c.boxes.listing.Pictures[item.picture].Path
	picture, err := c.opened.get(item.picture, c.each[item.picture], func() (*image.Opened, error) { return c.pictures.transform.Open(path) })
	if err != nil {
		return nil, withoutPath(err, path)
	}
	w, h := picture.Size()
	return picture.Cut(rectangle(c.boxes.detection(item), w, h, c.boxes.options.Margin))
}

// rectangle returns the pixels of a box in a picture of w x h, enlarged on each side by a share of the longer side, as far as the picture
// goes. Edges are rounded as PIL's crop rounds them, half to even, and a box that would vanish keeps a pixel.
func rectangle(d *megadetector.Detection, w, h int, margin float64) goimage.Rectangle {
	left, top, right, bottom := d.Within()
	left, right = left*float64(w), right*float64(w)
	top, bottom = top*float64(h), bottom*float64(h)
	grow := margin * max(right-left, bottom-top)
	x0, x1 := edges(left-grow, right+grow, w)
	y0, y1 := edges(top-grow, bottom+grow, h)
	return goimage.Rect(x0, y0, x1, y1)
}

// edges rounds a range of pixels, within the first n.
func edges(from, to float64, n int) (int, int) {
	lo := int(math.RoundToEven(max(from, 0)))
	hi := int(math.RoundToEven(min(to, float64(n))))
	lo = min(lo, n-1)
	return lo, max(hi, lo+1)
}

// AppendInfo, with the three methods after it, is what MegaDetector JSON keeps of the detector's file.
func (c *Crops) AppendInfo(dst []byte) []byte { return c.boxes.file.AppendInfo(dst) }

// AppendCategories appends the detector's categories.
func (c *Crops) AppendCategories(dst []byte) []byte { return c.boxes.file.AppendCategories(dst) }

// Around returns what stands around the answer of item n.
func (c *Crops) Around(n int) (before, after []byte, detection bool) {
	item := c.of[n]
	if item.image == none {
		return nil, nil, false
	}
	im := &c.boxes.file.Images[item.image]
	if item.detection == none {
		return im.Append(nil), nil, false
	}
	siblings, at := c.siblings(n)
	if at == 0 {
		when := ""
		if t := c.items[n].Time; !t.IsZero() {
			when = t.Format("2006-01-02 15:04:05")
		}
		before = im.AppendOpen(before, [2]string{"datetime", when}, [2]string{"stream", c.items[n].Stream})
		before = append(before, `,"detections":[`...)
	}
	earlier := none // the last in the file of those that stand before this one
	for _, s := range siblings[:at] {
		earlier = max(earlier, s.detection)
	}
	for k := earlier + 1; k < item.detection; k++ {
		if !contains(siblings, k) {
			before = append(im.Detections[k].AppendOpen(before), "},"...)
		}
	}
	before = im.Detections[item.detection].AppendOpen(before)
	if at == len(siblings)-1 {
		for k := max(earlier, item.detection) + 1; k < len(im.Detections); k++ {
			after = append(im.Detections[k].AppendOpen(append(after, ',')), '}')
		}
		after = append(after, "]}"...)
	}
	return before, after, true
}

// siblings are the boxes of an item's picture; at is its place among them.
func (c *Crops) siblings(n int) (boxes []box, at int) {
	first, last := n, n+1
	for first > 0 && c.of[first-1].image == c.of[n].image {
		first--
	}
	for last < len(c.of) && c.of[last].image == c.of[n].image {
		last++
	}
	return c.of[first:last], n - first
}

func contains(boxes []box, detection int) bool {
	return slices.ContainsFunc(boxes, func(b box) bool { return b.detection == detection })
}

// AppendRest appends the pictures that no item is of.
func (c *Crops) AppendRest(dst []byte, some bool) []byte {
	for _, i := range c.boxes.rest {
		if some {
			dst = append(dst, ',')
		}
		some = true
		dst = c.boxes.file.Images[i].Append(append(dst, '\n'))
	}
	return dst
}
