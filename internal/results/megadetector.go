package results

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/oatta/oatta/datasets/megadetector"
)

// megaDetector writes MegaDetector results JSON, format version 1.6 (https://lila.science/megadetector-output-format), which
// Timelapse, AddaxAI and the tools of the MegaDetector package read.
//
// The format carries classifications inside detections, and a classifier of whole pictures has no detections. Each picture
// therefore gets one that covers it, of category "animal", on which downstream tools depend. Its classifications are the adapted
// ones, so that every tool shows them; its confidence is the adapted probability of the best class. The raw ones stand beside them
// in raw_classifications, the gate's weight in gate, fields that the format does not know and readers pass over. Capture time is in
// datetime, as the MegaDetector package writes it, the stream in stream. Where the items are boxes of a detector, its file is written
// again instead, with these fields in its detections; see [Boxes].
type megaDetector struct{ Options }

type detection struct {
	Category        string                        `json:"category"`
	Conf            megadetector.Decimal          `json:"conf"`
	BBox            [4]megadetector.Decimal       `json:"bbox"`
	Classifications []megadetector.Classification `json:"classifications"`
	Raw             []megadetector.Classification `json:"raw_classifications"`
	Gate            megadetector.Decimal          `json:"gate"`
	Mode            string                        `json:"adapted_mode"`
}

type picture struct {
	File       string      `json:"file"`
	Detections []detection `json:"detections"` // null after a failure
	Failure    string      `json:"failure,omitempty"`
	Datetime   string      `json:"datetime,omitempty"`
	Stream     string      `json:"stream,omitempty"`
}

func (f megaDetector) Header(dst []byte) ([]byte, error) {
	classes := make([]string, len(f.Labels))
	for i, l := range f.Labels {
		name, err := appendJSON(nil, l)
		if err != nil {
			return dst, err
		}
		classes[i] = fmt.Sprintf("  %q: %s", strconv.Itoa(i), bytes.TrimSpace(name))
	}
	detector, categories := detectorless, fmt.Appendf(nil, "{%q: \"animal\"}", megadetector.Animal)
	if f.Boxes != nil {
		detector, categories = f.Boxes.AppendInfo(nil), f.Boxes.AppendCategories(nil)
	}
	added, err := appendJSON(nil, struct {
		Classifier string `json:"classifier,omitempty"`
		Run        any    `json:"oatta,omitempty"`
	}{classifierName(f.Info), f.Info})
	if err != nil {
		return dst, err
	}
	dst = fmt.Appendf(dst, "{\n\"info\": %s,\n", join(detector, added))
	dst = fmt.Appendf(dst, "\"detection_categories\": %s,\n", categories)
	dst = fmt.Appendf(dst, "\"classification_categories\": {\n%s\n},\n\"images\": [", strings.Join(classes, ",\n"))
	return dst, nil
}

// detectorless is the info of a run without a detector, open for more.
var detectorless = []byte(`{"format_version":"` + megadetector.FormatVersion + `","detector":"none: one detection covers each whole picture"`)

// join adds the members of an object to one that is open, and closes it.
func join(open, object []byte) []byte {
	members := bytes.TrimSpace(object)[1:]
	if len(members) > 1 {
		open = append(slices.Clip(open), ',')
	}
	return append(slices.Clip(open), members...)
}

// Classifier is implemented by a run's manifest to give the name of its model.
type Classifier interface{ ClassifierName() string }

func classifierName(info any) string {
	if c, ok := info.(Classifier); ok {
		return c.ClassifierName()
	}
	return ""
}

func (f megaDetector) Record(dst []byte, n int, r *Record) ([]byte, error) {
	if f.Boxes != nil {
		if own, ok, err := f.boxed(dst, n, r); ok || err != nil {
			return own, err
		}
	}
	if n > 0 {
		dst = append(dst, ',')
	}
	dst = append(dst, '\n')
	p := picture{File: r.File, Failure: r.Failure, Stream: r.Stream}
	if !r.Time.IsZero() {
		p.Datetime = r.Time.Format("2006-01-02 15:04:05")
	}
	if !r.Failed() {
		_, conf := r.Label()
		p.Detections = []detection{{
			Category: megadetector.Animal, Conf: megadetector.Decimal(conf), BBox: [4]megadetector.Decimal{0, 0, 1, 1},
			Classifications: f.adapted(r), Raw: f.top(r.Raw), Gate: megadetector.Decimal(r.Gate), Mode: r.Mode,
		}}
	}
	dst, err := appendJSON(dst, p)
	return bytes.TrimSuffix(dst, []byte("\n")), err
}

// adapted lists the classes after the filter, in front the one on the path if there is one: programs take the first for the label.
func (f megaDetector) adapted(r *Record) []megadetector.Classification {
	out := f.top(r.Adapted)
	class, p := r.Label()
	if at := slices.IndexFunc(out, func(c megadetector.Classification) bool { return c.Class == class }); at >= 0 {
		out = slices.Delete(out, at, at+1)
	} else {
		out = out[:len(out)-1]
	}
	return slices.Insert(out, 0, megadetector.Classification{Class: class, Probability: p})
}

func (f megaDetector) top(p []float64) []megadetector.Classification {
	ranked := megadetector.Ranked(p, f.Top)
	out := make([]megadetector.Classification, len(ranked))
	for i, class := range ranked {
		out[i] = megadetector.Classification{Class: class, Probability: p[class]}
	}
	return out
}

func (f megaDetector) Footer(dst []byte, n int) ([]byte, error) {
	if f.Boxes != nil {
		dst = f.Boxes.AppendRest(dst, n > 0)
	}
	return append(dst, "\n]\n}\n"...), nil
}
