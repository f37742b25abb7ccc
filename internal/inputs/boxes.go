package inputs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/megadetector"
)

// BoxOptions say which boxes of a detector's file are classified, and how they are cut.
type BoxOptions struct {
	Path       string   // of the results of MegaDetector
	Confidence float64  // the least of the detector's that counts, 0 to 1
	Categories []string // names or ids of categories; megadetector.AllCategories for all
	Margin     float64  // by which a crop is enlarged on each side, in shares of the box's longer side, 0 to 1
}

// Validate reports the first option that is out of its range.
func (o BoxOptions) Validate() error {
	switch {
	case !(o.Confidence >= 0 && o.Confidence <= 1):
		return fmt.Errorf("confidence of boxes %v: want 0 to 1", o.Confidence)
	case !(o.Margin >= 0 && o.Margin <= 1):
		return fmt.Errorf("margin of boxes %v: want 0 to 1 of the longer side", o.Margin)
	case len(o.Categories) == 0:
		return errors.New("no category of boxes")
	}
	return nil
}

// Boxes are the boxes of a detector's file in the pictures of a listing, in processing order: pictures in that of the listing, the boxes of
// a picture by falling confidence.
type Boxes struct {
	listing  *datasets.Listing
	file     *megadetector.File
	options  BoxOptions
	boxes    []box
	failed   []box // of pictures that could not be listed
	warnings []string
	rest     []int // images that no box is of
}

// box is one item. A picture that the detector or the listing could not read is one, too, without a detection.
type box struct {
	picture   int // of the listing, or of its failures
	image     int // of the file; none: it does not know the picture
	detection int // of the image, or none
	failure   string
}

const none = -1

// ReadBoxes reads a detector's file and finds its boxes in the pictures of a listing.
func ReadBoxes(l *datasets.Listing, o BoxOptions) (*Boxes, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	file, err := megadetector.Open(o.Path)
	if err != nil {
		return nil, err
	}
	b := &Boxes{listing: l, file: file, options: o}
	wanted := map[string]bool{}
	for _, name := range o.Categories {
		ids, err := file.Category(name)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			wanted[id] = true
		}
	}
	return b, b.find(wanted)
}

// find makes an item of each box that is wanted.
func (b *Boxes) find(wanted map[string]bool) error {
	failed := make([]string, len(b.listing.Failures))
	for i, f := range b.listing.Failures {
		failed[i] = f.Name
	}
	of, note, err := b.file.Match(b.listing.Pictures, failed...)
	if err != nil {
		return err
	}
	if note != "" {
		b.warnings = append(b.warnings, b.file.Name+": "+note)
	}
	used := make([]bool, len(b.file.Images))
	unknown, empty := 0, 0
	for p, image := range of {
		if image < 0 {
			unknown++
			continue
		}
		used[image] = true
		before := len(b.boxes)
		if b.boxes = b.of(b.boxes, p, image, wanted); len(b.boxes) == before {
			empty++
		}
	}
	b.unlisted(used, wanted)
	elsewhere := 0
	for _, u := range used {
		if !u {
			elsewhere++
		}
	}
	b.note(unknown, empty, elsewhere)
	b.leave()
	if unknown == len(of) && unknown > 0 {
		return b.strangers()
	}
	if len(b.boxes)+len(b.failed) == 0 {
		return fmt.Errorf("%s: no box of %s with a confidence of %g or more in the pictures here", b.file.Name, strings.Join(b.options.Categories, ", "), b.options.Confidence)
	}
	return nil
}

// of appends the boxes of a picture.
func (b *Boxes) of(dst []box, picture, image int, wanted map[string]bool) []box {
	im := &b.file.Images[image]
	start := len(dst)
	for k := range im.Detections {
		d := &im.Detections[k]
		if !wanted[d.Category] || d.Conf < b.options.Confidence {
			continue
		}
		item := box{picture: picture, image: image, detection: k}
		if err := d.Check(); err != nil {
			item.failure = b.file.Place(image, k) + ": " + err.Error()
		}
		dst = append(dst, item)
	}
	if im.Failure != "" {
		return append(dst[:start], box{picture, image, none, "the detector has no boxes: " + im.Failure})
	}
	slices.SortStableFunc(dst[start:], func(x, y box) int {
		return cmp.Compare(im.Detections[y.detection].Conf, im.Detections[x.detection].Conf) // what is no number comes last
	})
	return dst
}

// unlisted fails the boxes of pictures that could not be listed, and the pictures that the file does not know.
func (b *Boxes) unlisted(used []bool, wanted map[string]bool) {
	for i, f := range b.listing.Failures {
		image := b.file.MatchName(f.Name)
		if image < 0 || used[image] {
			b.failed = append(b.failed, box{i, none, none, f.Reason})
			continue
		}
		used[image] = true
		for _, item := range b.of(nil, i, image, wanted) {
			item.failure = cmp.Or(item.failure, f.Reason)
			b.failed = append(b.failed, item)
		}
	}
}

// note says what was left out.
func (b *Boxes) note(unknown, empty, elsewhere int) {
	warn := func(n int, one, many string) {
		switch {
		case n == 1:
			b.warnings = append(b.warnings, b.file.Name+": 1 "+one)
		case n > 1:
			b.warnings = append(b.warnings, fmt.Sprintf("%s: %d %s", b.file.Name, n, many))
		}
	}
	above := fmt.Sprintf("without a box of %s with a confidence of %g or more", strings.Join(b.options.Categories, ", "), b.options.Confidence)
	warn(empty, "picture is "+above, "pictures are "+above)
	warn(unknown, "picture here is not in it, and is not classified", "pictures here are not in it, and are not classified")
	warn(elsewhere, "picture in it is not here", "pictures in it are not here")
	if b.file.Note != "" {
		b.warnings = append(b.warnings, b.file.Name+": "+b.file.Note)
	}
	warn(b.file.Earlier, "detection has classifications already, which are left out", "detections have classifications already, which are left out")
}

// leave gathers the images without an item.
func (b *Boxes) leave() {
	has := make([]bool, len(b.file.Images))
	for _, list := range [][]box{b.boxes, b.failed} {
		for _, item := range list {
			if item.image >= 0 {
				has[item.image] = true
			}
		}
	}
	for i := range has {
		if !has[i] {
			b.rest = append(b.rest, i)
		}
	}
}

// strangers is the error of a file of which no picture is here.
func (b *Boxes) strangers() error {
	if len(b.file.Images) == 0 {
		return fmt.Errorf("%s: has no picture", b.file.Name)
	}
	return fmt.Errorf("%s: none of its pictures is here: its first is %q, the folder's first %q", b.file.Name, b.file.Images[0].File, b.listing.Pictures[0].Name)
}

// Warnings say what of the pictures and the file was left out.
func (b *Boxes) Warnings() []string { return b.warnings }

// InPicture describes the boxes of picture i of the listing, a line each, for people.
func (b *Boxes) InPicture(i int) (lines []string) {
	from, _ := slices.BinarySearchFunc(b.boxes, i, func(x box, p int) int { return cmp.Compare(x.picture, p) })
	for _, item := range b.boxes[from:] {
		if item.picture != i {
			break
		}
		line := item.failure
		if item.detection != none {
			d := b.detection(item)
			line = strings.TrimSuffix(fmt.Sprintf("#%d %s %g %v: %s", item.detection, b.file.CategoryName(d.Category), d.Conf, d.Box, item.failure), ": ")
		}
		lines = append(lines, line)
	}
	return lines
}

// Len returns how many boxes there are, those that fail included.
func (b *Boxes) Len() int { return len(b.boxes) + len(b.failed) }

func (b *Boxes) detection(item box) *megadetector.Detection {
	return &b.file.Images[item.image].Detections[item.detection]
}

// name is that of an item of a picture.
func (item box) name(picture string) string {
	if item.detection == none {
		return Readable(picture)
	}
	return fmt.Sprintf("%s#%d", Readable(picture), item.detection)
}
