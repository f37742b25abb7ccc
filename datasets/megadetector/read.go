package megadetector

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/oatta/oatta/datasets/internal/rawjson"
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
		err = f.parse(data)
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
	text := rawjson.NewFile(data)
	f.Note = text.Note()
	err := text.Scan(func(s *rawjson.Scanner, name []byte) error {
		known, err := f.Member(s, name)
		if !known && err == nil {
			_, err = s.Value()
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := f.checkHead(); err != nil {
		return err
	}
	if f.Images == nil {
		return errors.New("no images: not the results of MegaDetector")
	}
	for i := range f.Images {
		if err := f.Images[i].check(); err != nil {
			return fmt.Errorf("images[%d]: %w", i, err)
		}
	}
	return nil
}

// Member reads a member of the object that results are; false if it is none of the format's. Images and detections must be objects;
// whether they hold what the format wants is for [Read] to say.
func (f *File) Member(s *rawjson.Scanner, name []byte) (known bool, err error) {
	switch string(name) {
	case "info":
		f.info, err = s.Value()
	case "detection_categories":
		f.detectionCategories, err = s.Value()
	case "classification_categories":
		f.classCategories, err = s.Value()
	case "images":
		if !s.IsArray() {
			return true, fmt.Errorf("images: %w", s.Array(nil))
		}
		f.Images = []Image{}
		err = s.Array(func(i int) error {
			im, err := f.image(s)
			if err != nil {
				return fmt.Errorf("images[%d]: %w", i, err)
			}
			f.Images = append(f.Images, im)
			return nil
		})
	default:
		return false, nil
	}
	return true, err
}

// checkHead reads what a file says of all of its images.
func (f *File) checkHead() error {
	info, err := f.info.Members()
	if err != nil {
		return fmt.Errorf("info: %w", err)
	}
	if v := info.Value("format_version").String(); v != "" && v != "1" && !strings.HasPrefix(v, "1.") {
		return fmt.Errorf("format_version %q: want 1.0 to 1.6", v)
	}
	named, err := f.detectionCategories.Members()
	if err != nil {
		return fmt.Errorf("detection_categories: %w", err)
	}
	for _, m := range named {
		f.categories = append(f.categories, category{m.Name, m.Value.String()})
	}
	if f.categories == nil {
		f.categories = megaDetectors
	}
	return nil
}

func (f *File) image(s *rawjson.Scanner) (im Image, _ error) {
	at := s.Next()
	err := s.Object(func(name []byte) error {
		if string(name) == "detections" && s.IsArray() {
			return s.Array(func(k int) error {
				d, err := f.detection(s)
				if err != nil {
					return fmt.Errorf("%sdetections[%d]: %w", im.before(), k, err)
				}
				im.Detections = append(im.Detections, d)
				return nil
			})
		}
		value, err := s.Value()
		im.Fields = append(im.Fields, rawjson.Member{Name: string(name), Value: value})
		return err
	})
	if err != nil {
		return im, err
	}
	im.Raw = s.Since(at)
	im.File, im.Failure = im.Fields.Value("file").String(), im.Fields.Value("failure").String()
	return im, nil
}

// before is what messages of a detection begin with, as far as it is known.
func (im *Image) before() string {
	if name := im.Fields.Value("file").String(); name != "" {
		return name + ": "
	}
	return ""
}

// check tells of what no picture's result may have.
func (im *Image) check() error {
	if im.File == "" {
		return errors.New("no file name")
	}
	if other := im.Fields.Value("detections"); other.Set() {
		return fmt.Errorf("%s: detections: %s: want an array", im.File, rawjson.Clip(other.Text))
	}
	return nil
}

func (f *File) detection(s *rawjson.Scanner) (d Detection, _ error) {
	at := s.Next()
	d.Conf, d.Box = math.NaN(), [4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	err := s.Object(func(name []byte) error {
		value, err := s.Value()
		switch string(name) {
		case "category":
			d.Category = value.String()
		case "conf":
			d.Conf = number(value)
		case "bbox":
			d.setBox(value)
		case "classifications":
			if value.Set() {
				f.Earlier++
			}
		}
		return err
	})
	if err == nil {
		d.Raw = s.Since(at)
	}
	return d, err
}

func (d *Detection) setBox(list rawjson.Value) {
	if box, err := list.Elements(); err == nil && len(box) == len(d.Box) {
		for i, v := range box {
			d.Box[i] = number(v)
		}
	}
}

// number reads a number; NaN for anything else.
func number(v rawjson.Value) float64 {
	x, err := rawjson.Number(v.Text)
	if err != nil {
		return math.NaN()
	}
	return x
}
