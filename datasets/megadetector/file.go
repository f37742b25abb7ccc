package megadetector

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/internal/rawjson"
)

// File is the results of a detector.
type File struct {
	Name   string // for messages
	SHA256 string // of the file's bytes, in hexadecimal
	Images []Image
	Note   string // of values that JSON does not know, for people; "" if there are none

	// Earlier counts the detections that a classifier has been at. Its classifications are left out when detections are written, as
	// classes of another set.
	Earlier int

	info, detectionCategories, classCategories rawjson.Value

	categories []category // of detections
}

// Image is what a detector says of one picture.
type Image struct {
	File       string // as it stands in the file
	Failure    string // why there are no detections; "" if the detector has looked
	Detections []Detection

	Fields rawjson.Object // all members but the list of detections
	Raw    rawjson.Value  // the object as it stands
}

// Detection is one box.
type Detection struct {
	Category string     // the id
	Conf     float64    // 0 to 1; NaN if it is no number
	Box      [4]float64 // x, y, width, height in shares of the picture; NaN where it is no number

	Raw rawjson.Value // the object as it stands
}

// category is an id and its name.
type category struct{ id, name string }

// megaDetectors are the categories of a file that names none.
var megaDetectors = []category{{Animal, "animal"}, {"2", "person"}, {"3", "vehicle"}}

// AllCategories selects all categories in [File.Category].
const AllCategories = "all"

// Category returns the ids of the categories of a name or id; of AllCategories, of all.
func (f *File) Category(name string) ([]string, error) {
	var ids, known []string
	for _, c := range f.categories {
		known = append(known, fmt.Sprintf("%s (%q)", c.name, c.id))
		if strings.EqualFold(c.name, name) || name == AllCategories {
			ids = append(ids, c.id)
		}
	}
	if ids == nil && slices.ContainsFunc(f.categories, func(c category) bool { return c.id == name }) {
		ids = []string{name}
	}
	if ids == nil {
		return nil, fmt.Errorf("%s: no category %q: it has %s", f.Name, name, strings.Join(known, ", "))
	}
	return ids, nil
}

// Classes returns the names of the classes by their ids, as "classification_categories" has them.
func (f *File) Classes() (ids []string, names map[string]string, _ error) {
	all, err := f.classCategories.Members()
	names = make(map[string]string, len(all))
	for _, m := range all {
		name, bad := rawjson.Unquoted(m.Value.Text)
		if bad != nil {
			err = fmt.Errorf("%q: %w", rawjson.Clip([]byte(m.Name)), bad)
			break
		}
		ids, names[m.Name] = append(ids, m.Name), string(name)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("classification_categories %w", err)
	}
	return ids, names, nil
}

// CategoryName returns the name of a category; its id if it has none.
func (f *File) CategoryName(id string) string {
	for _, c := range f.categories {
		if c.id == id {
			return cmp.Or(c.name, id)
		}
	}
	return id
}

// Place names detection k of image i for messages.
func (f *File) Place(i, k int) string {
	return fmt.Sprintf("%s: images[%d] (%s), detections[%d]", f.Name, i, f.Images[i].File, k)
}

// slack is how far a box may reach beyond the picture, in shares of it: detectors round, and guess a little outside.
const slack = 0.01

// Check tells what is wrong with a detection. One that reaches beyond the picture by no more than 0.01 is right; see [Detection.Within].
func (d *Detection) Check() error {
	if !(d.Conf >= 0 && d.Conf <= 1) {
		return fmt.Errorf("conf %v: want 0 to 1", d.Conf)
	}
	for i, v := range d.Box {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("bbox %v: value %d is no finite number: want x, y, width, height", d.Box, i)
		}
	}
	x, y, w, h := d.Box[0], d.Box[1], d.Box[2], d.Box[3]
	switch {
	case !(w > 0 && h > 0):
		return fmt.Errorf("bbox %v: has no area", d.Box)
	case x < -slack || y < -slack || x+w > 1+slack || y+h > 1+slack:
		return fmt.Errorf("bbox %v: reaches beyond the picture: want shares of it, x, y, width, height", d.Box)
	}
	if x, y, right, bottom := d.Within(); !(x < right && y < bottom) {
		return fmt.Errorf("bbox %v: lies outside of the picture", d.Box)
	}
	return nil
}

// Within returns the edges of the box, what is beyond the picture cut off.
func (d *Detection) Within() (left, top, right, bottom float64) {
	return max(0, d.Box[0]), max(0, d.Box[1]), min(1, d.Box[0]+d.Box[2]), min(1, d.Box[1]+d.Box[3])
}
