package megadetector

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/oatta/oatta/datasets/internal/plainjson"
)

// maxBytes bounds a file; a million pictures take 300 MB.
const maxBytes = 1 << 30

// Open reads the file at path. In messages it is called by its base name.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("megadetector: %w", err)
	}
	defer f.Close() // it was only read
	return Read(filepath.Base(path), f)
}

// Read reads a file. The name is for messages.
func Read(name string, r io.Reader) (*File, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err == nil && len(data) > maxBytes {
		err = fmt.Errorf("more than %d bytes", maxBytes)
	}
	f := &File{Name: name}
	if err == nil {
		sum := sha256.Sum256(data)
		f.SHA256 = hex.EncodeToString(sum[:])
		plain := plainjson.New(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
		f.Note = plainjson.Note(plain.Unknown)
		err = f.parse(plain.Text)
	}
	if err != nil {
		return nil, fmt.Errorf("megadetector: %s: %w", name, err)
	}
	return f, nil
}

func (f *File) parse(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("is empty")
	}
	top, err := members(data)
	if err != nil {
		return placed(data, err)
	}
	if err := f.parseHead(top.value("info"), top.value("detection_categories")); err != nil {
		return err
	}
	raw := top.value("images")
	if raw == nil {
		return errors.New("no images: not the results of MegaDetector")
	}
	images, err := elements(raw)
	if err != nil {
		return fmt.Errorf("images: %w", err)
	}
	f.Images = make([]Image, len(images))
	for i, raw := range images {
		if err := f.Images[i].parse(raw, f); err != nil {
			return fmt.Errorf("images[%d]: %w", i, err)
		}
	}
	return nil
}

// placed adds the line to an error of syntax.
func placed(data []byte, err error) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return err
	}
	at := min(int(syntax.ByteOffset), len(data))
	return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:at], []byte("\n")), syntax.Err)
}

func (f *File) parseHead(info, categories json.RawMessage) (err error) {
	if f.info, err = members(info); err != nil {
		return fmt.Errorf("info: %w", err)
	}
	if v := f.info.text("format_version"); v != "" && v != "1" && !strings.HasPrefix(v, "1.") {
		return fmt.Errorf("format_version %q: want 1.0 to 1.6", v)
	}
	named, err := members(categories)
	if err != nil {
		return fmt.Errorf("detection_categories: %w", err)
	}
	for _, m := range named {
		f.categories = append(f.categories, category{m.name, text(m.value)})
	}
	if f.categories == nil {
		f.categories = megaDetectors
	}
	return nil
}

// parse reads an image. Errors are of what no picture's result may have.
func (im *Image) parse(raw json.RawMessage, f *File) error {
	all, err := members(raw)
	if err != nil {
		return err
	}
	if im.File = all.text("file"); im.File == "" {
		return errors.New("no file name")
	}
	im.Failure = all.text("failure")
	var list []json.RawMessage
	if raw := all.value("detections"); raw != nil {
		if list, err = elements(raw); err != nil {
			return fmt.Errorf("%s: detections: %w", im.File, err)
		}
	}
	im.fields = all.without("detections")
	im.Detections = make([]Detection, len(list))
	for k, raw := range list {
		classified, err := im.Detections[k].parse(raw)
		if err != nil {
			return fmt.Errorf("%s: detections[%d]: %w", im.File, k, err)
		}
		if classified {
			f.Earlier++
		}
	}
	return nil
}

// parse reads a detection and tells whether a classifier has been at it.
func (d *Detection) parse(raw json.RawMessage) (classified bool, err error) {
	all, err := members(raw)
	if err != nil {
		return false, err
	}
	d.Category, d.Conf = all.text("category"), number(all.value("conf"))
	for i := range d.Box {
		d.Box[i] = math.NaN()
	}
	if box, err := elements(all.value("bbox")); err == nil && len(box) == len(d.Box) {
		for i, v := range box {
			d.Box[i] = number(v)
		}
	}
	d.raw = raw
	return all.value("classifications") != nil, nil
}

// number reads a number; NaN for anything else.
func number(raw json.RawMessage) float64 {
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
