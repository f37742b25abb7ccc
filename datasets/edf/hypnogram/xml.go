package hypnogram

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/oatta/oatta/datasets/edf"
)

// The roots of the two kinds of XML: that of the National Sleep Research Resource, and the Profusion of Compumedics that it is made of.
const (
	nsrrRoot      = "PSGAnnotation"
	profusionRoot = "CMPStudyConfig"
)

// newXML decodes what such files are written in: UTF-8, UTF-16 or a code page.
func newXML(r io.Reader) *xml.Decoder {
	d := xml.NewDecoder(transform.NewReader(r, unicode.BOMOverride(encoding.Nop.NewDecoder())))
	d.CharsetReader = func(charset string, r io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(charset), "utf-16") {
			return r, nil // its mark has told already
		}
		e, err := htmlindex.Get(charset)
		if err != nil {
			return nil, fmt.Errorf("encoding %s: %w", show(charset), err)
		}
		return e.NewDecoder().Reader(r), nil
	}
	return d
}

// rootOf returns the name of the first element.
func rootOf(d *xml.Decoder) (string, error) {
	for {
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		if e, ok := token.(xml.StartElement); ok {
			return e.Name.Local, nil
		}
	}
}

// isScoresXML tells whether a file is XML of one of the two kinds.
func isScoresXML(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	root, err := rootOf(newXML(&limited{r: f, left: 1 << 16}))
	return err == nil && (root == nsrrRoot || root == profusionRoot)
}

// readXML reads the stages of an XML file of either kind. Times count from the start of the recording.
func readXML(r io.Reader, _ time.Time, o Options) ([]edf.Annotation, []string, error) {
	d := newXML(r)
	root, err := rootOf(d)
	if err != nil {
		return nil, nil, err
	}
	switch root {
	case nsrrRoot:
		return readNSRR(d, o)
	case profusionRoot:
		return readProfusion(d)
	}
	return nil, nil, fmt.Errorf("the XML is of %s: want %s or %s", show(root), nsrrRoot, profusionRoot)
}

// eachElement calls f with every element of one of the names; f may decode it.
func eachElement(d *xml.Decoder, f func(e *xml.StartElement) error) error {
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e, ok := token.(xml.StartElement); ok {
			if err := f(&e); err != nil {
				return err
			}
		}
	}
}

// readNSRR reads scored events, of which those of the type "Stages" have a concept as "Stage 2 sleep|2".
func readNSRR(d *xml.Decoder, o Options) (out []edf.Annotation, notes []string, err error) {
	bad := tally{what: "events of stages"}
	err = eachElement(d, func(e *xml.StartElement) error {
		if e.Name.Local != "ScoredEvent" {
			return nil
		}
		var event struct {
			EventType, EventConcept, Start, Duration string
		}
		if err := d.DecodeElement(&event, e); err != nil {
			return err
		}
		if !strings.HasPrefix(plain(event.EventType), "stages") {
			return nil
		}
		word, _, _ := strings.Cut(event.EventConcept, "|")
		start, err1 := seconds(event.Start)
		duration, err2 := seconds(event.Duration)
		if err1 != nil || err2 != nil {
			bad.add(event.Start + " " + event.Duration)
			return nil
		}
		out = append(out, o.stageEvent(word, start, duration))
		return nil
	})
	return out, bad.notes(), err
}

// stageEvent is an annotation of what is known to be a stage, whatever the word.
func (o Options) stageEvent(word string, start, duration float64) edf.Annotation {
	if _, ok := o.stage(word); !ok {
		word = "Sleep stage " + strings.TrimSpace(word)
	}
	return edf.Annotation{Onset: start, Duration: duration, HasDuration: true, Text: word}
}

// profusionCodes are those of Compumedics; all others are not scored, such as 9.
var profusionCodes = map[string]string{"0": "W", "1": "1", "2": "2", "3": "3", "4": "4", "5": "R", "6": "M"}

// readProfusion reads one code for each page.
func readProfusion(d *xml.Decoder) (out []edf.Annotation, _ []string, err error) {
	page := 0.0
	var codes []string
	err = eachElement(d, func(e *xml.StartElement) error {
		var text string
		if e.Name.Local != "EpochLength" && e.Name.Local != "SleepStage" {
			return nil
		}
		if err := d.DecodeElement(&text, e); err != nil {
			return err
		}
		if e.Name.Local == "SleepStage" {
			codes = append(codes, strings.TrimSpace(text))
			return nil
		}
		var err error
		if page, err = seconds(text); err != nil || page <= 0 {
			return fmt.Errorf("EpochLength %s: want seconds", show(text))
		}
		return nil
	})
	if err == nil && page == 0 && codes != nil {
		err = errors.New("no EpochLength")
	}
	for i, code := range codes {
		word, ok := profusionCodes[code]
		if !ok {
			word = "?"
		}
		out = append(out, edf.Annotation{Onset: float64(i) * page, Duration: page, HasDuration: true, Text: "Sleep stage " + word})
	}
	return out, nil, err
}

// seconds reads a number of seconds, with a point or a comma.
func seconds(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(s), ",", ".", 1), 64)
	if err == nil && !(math.Abs(v) < 1e12) { // NaN, too
		err = errors.New("no time")
	}
	return v, err
}
