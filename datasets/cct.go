package datasets

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/internal/plainjson"
	"github.com/oatta/oatta/datasets/internal/textfile"
)

// COCO Camera Traps is the format of LILA's camera-trap collections: one JSON object with the arrays images (id, file_name, location,
// datetime, seq_id, frame_num), annotations (image_id, category_id) and categories (id, name), in any order. It is described at
// https://github.com/agentmorris/MegaDetector, file megadetector/data_management/README.md. Files of 500 MB are usual, so the arrays are
// read element by element, and only what concerns pictures at hand is kept.

// cctImage is an element of images. Ids and locations are texts or numbers, as a collection likes.
type cctImage struct {
	ID       jsonText `json:"id"`
	FileName jsonText `json:"file_name"`
	Location jsonText `json:"location"`
	DateTime jsonText `json:"datetime"`
	Captured jsonText `json:"date_captured"` // of plain COCO, and of iWildCam
	SeqID    jsonText `json:"seq_id"`
	FrameNum jsonText `json:"frame_num"`
	// Of iWildCam 2021 and 2022: the frame, and one of several views of a location.
	SeqFrameNum jsonText `json:"seq_frame_num"`
	SubLocation jsonText `json:"sub_location"`
}

// stream is the camera: the location, or the view of it where there are several.
func (img *cctImage) stream() jsonText {
	if img.Location == "" || img.SubLocation == "" {
		return img.Location
	}
	return img.Location + "/" + jsonText(strings.TrimSuffix(string(img.SubLocation), ".0")) // a number from a table
}

// frame returns the number of the picture in its sequence, and whether there is one that can be read. Programs that hold numbers in
// tables write 2.0 for 2.
func (img *cctImage) frame() (n int, ok bool) {
	text := strings.TrimSpace(string(cmp.Or(img.FrameNum, img.SeqFrameNum)))
	if text == "" {
		return 0, true
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v != math.Trunc(v) || math.Abs(v) > 1<<31 {
		return 0, false
	}
	return int(v), true
}

type cctAnnotation struct {
	ImageID    jsonText `json:"image_id"`
	CategoryID jsonText `json:"category_id"`
}

type cctCategory struct {
	ID   jsonText `json:"id"`
	Name jsonText `json:"name"`
}

// jsonText holds a JSON string, or the literal of a number or boolean; null, objects and arrays become "".
type jsonText string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *jsonText) UnmarshalJSON(b []byte) error {
	*t = ""
	switch b[0] {
	case '"':
		if inner := b[1 : len(b)-1]; utf8.Valid(inner) && !bytes.ContainsRune(inner, '\\') { // most are plain
			*t = jsonText(inner)
			return nil
		}
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*t = jsonText(s)
	case '{', '[', 'n':
	default:
		*t = jsonText(b)
	}
	return nil
}

// cctReader gathers the three arrays.
type cctReader struct {
	ctx        context.Context
	name       string
	fields     Fields
	want       wanted
	md         *metadata
	images     map[jsonText]int      // of a kept image, its record
	categories map[jsonText]string   // names
	labels     map[int]jsonText      // of a record, its category
	clash      map[int]bool          // records with several categories
	seen       map[string]bool       // arrays seen so far
	late       bool                  // annotations came before images, so a second pass must read them
	fieldSeen  bool                  // the stream field asked for occurs
	views      map[jsonText]bool     // streams that are of a view of a location
	unknown    int                   // values that JSON does not know
	sections   map[string]cctSection // how to read an element of each array
}

type cctSection func(dec *json.Decoder) error

// readCCT reads COCO Camera Traps metadata. open is called once, or twice where the annotations come before the images.
func readCCT(ctx context.Context, name string, open func() (*textfile.File, error), f Fields, want wanted) (*metadata, error) {
	c := &cctReader{
		ctx: ctx, name: name, fields: f, want: want, md: &metadata{}, images: map[jsonText]int{}, categories: map[jsonText]string{},
		labels: map[int]jsonText{}, clash: map[int]bool{}, views: map[jsonText]bool{}, seen: map[string]bool{},
	}
	c.sections = map[string]cctSection{"images": c.image, "annotations": c.annotation, "categories": c.category}
	if err := c.pass(open); err != nil {
		return nil, err
	}
	if !c.seen["images"] {
		return nil, fmt.Errorf("datasets: %s: no array images, so not COCO Camera Traps", message.Show(name))
	}
	if c.late {
		c.sections = map[string]cctSection{"annotations": c.annotation}
		if err := c.pass(open); err != nil {
			return nil, err
		}
	}
	if f.Stream != "" && !c.fieldSeen && len(c.md.records) > 0 {
		return nil, fmt.Errorf("datasets: %s: no image has a field %q", message.Show(name), f.Stream)
	}
	c.nameLabels()
	if note := plainjson.Note(c.unknown); note != "" {
		c.md.warnings = append(c.md.warnings, message.Show(filepath.Base(name))+": "+note)
	}
	return c.md, nil
}

// pass reads the file once.
func (c *cctReader) pass(open func() (*textfile.File, error)) error {
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close()
	plain := plainjson.NewReader(in)
	b := textfile.NewBudget(plain)
	if err := c.object(json.NewDecoder(b), b); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("datasets: %s: %w", message.Show(c.name), err)
	}
	c.unknown = plain.Unknown // another pass meets the same
	return nil
}

// object reads the outer object.
func (c *cctReader) object(dec *json.Decoder, b *textfile.Budget) error {
	if t, err := dec.Token(); err != nil {
		return err
	} else if t != json.Delim('{') {
		return errors.New("want a JSON object")
	}
	for dec.More() {
		b.Renew()
		key, err := dec.Token()
		if err != nil {
			return err
		}
		if err := c.member(dec, b, fmt.Sprint(key)); err != nil {
			return err
		}
	}
	_, err := dec.Token() // the closing brace, or what is wrong instead
	return err
}

// member reads one member of the outer object: an array that is wanted element by element, anything else past.
func (c *cctReader) member(dec *json.Decoder, b *textfile.Budget, key string) error {
	element, ok := c.sections[key]
	if !ok {
		return skipValue(dec, b)
	}
	c.seen[key] = true
	if t, err := dec.Token(); err != nil {
		return err
	} else if t != json.Delim('[') {
		return fmt.Errorf("%s: want an array", key)
	}
	for i := 0; dec.More(); i++ {
		b.Renew()
		if err := element(dec); err != nil {
			return fmt.Errorf("%s[%d]: %w", key, i, err)
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// skipValue reads past a value without holding it.
func skipValue(dec *json.Decoder, b *textfile.Budget) error {
	for depth := 0; ; {
		b.Renew()
		t, err := dec.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// image reads one element of images, and keeps it if the picture could be here.
func (c *cctReader) image(dec *json.Decoder) error {
	var img cctImage
	stream, err := c.decodeImage(dec, &img)
	if err != nil {
		return err
	}
	if img.FileName == "" {
		return errors.New("no file_name")
	}
	if !c.want.has(string(img.FileName)) {
		c.md.absent.add(string(img.FileName))
		return nil
	}
	rec := record{file: cleanName(string(img.FileName)), stream: string(stream), sequence: string(img.SeqID)}
	var ok bool
	if rec.frame, ok = img.frame(); !ok {
		c.md.badFrames.add(fmt.Sprintf("%q (%s)", string(cmp.Or(img.FrameNum, img.SeqFrameNum)), img.FileName))
	}
	c.md.setTime(&rec, string(cmp.Or(img.DateTime, img.Captured)), c.fields.TimeLayout, string(img.FileName))
	if img.SubLocation != "" && c.fields.Stream == "" && !c.views[stream] {
		c.views[stream] = true
		c.md.views.add(string(stream))
	}
	if img.ID != "" {
		c.images[img.ID] = len(c.md.records)
	}
	c.md.records = append(c.md.records, rec)
	return nil
}

// decodeImage reads an element of images and the field of it that is the stream.
func (c *cctReader) decodeImage(dec *json.Decoder, img *cctImage) (jsonText, error) {
	field := cmp.Or(c.fields.Stream, defaultLocation)
	if field == defaultLocation { // the usual case needs no second look at the element
		err := dec.Decode(img)
		c.fieldSeen = c.fieldSeen || img.Location != ""
		if c.fields.Stream != "" { // asked for, and nothing else
			return img.Location, err
		}
		return img.stream(), err
	}
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return "", err
	}
	var all map[string]jsonText
	if err := errors.Join(json.Unmarshal(raw, img), json.Unmarshal(raw, &all)); err != nil {
		return "", err
	}
	c.fieldSeen = c.fieldSeen || all[field] != ""
	return all[field], nil
}

// annotation reads one element of annotations. Several boxes of one category are one label; several categories are none.
func (c *cctReader) annotation(dec *json.Decoder) error {
	if !c.seen["images"] {
		c.late = true
	}
	var a cctAnnotation
	if err := dec.Decode(&a); err != nil {
		return err
	}
	i, ok := c.images[a.ImageID]
	if !ok || a.CategoryID == "" {
		return nil
	}
	if old, ok := c.labels[i]; ok && old != a.CategoryID {
		c.clash[i] = true
	}
	c.labels[i] = a.CategoryID
	return nil
}

// category reads one element of categories. Labels are resolved at the end, because this array may come last.
func (c *cctReader) category(dec *json.Decoder) error {
	var cat cctCategory
	if err := dec.Decode(&cat); err != nil {
		return err
	}
	c.categories[cat.ID] = string(cat.Name)
	return nil
}

// nameLabels turns categories into labels. A category without a name is its own name.
func (c *cctReader) nameLabels() {
	for i := range c.md.records {
		id, ok := c.labels[i]
		switch {
		case c.clash[i]:
			c.md.ambiguous.add(c.md.records[i].file)
		case ok:
			c.md.records[i].label = cmp.Or(c.categories[id], string(id))
		}
	}
}
