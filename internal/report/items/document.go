package items

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/oatta/oatta/datasets"
)

// document is what the members before and behind the items say.
type document struct {
	classes map[string]string // name by number, of MegaDetector's categories
	pattern *regexp.Regexp
	group   int
	index   map[string]int // of the classes
	vectors [2][]float64
}

// look reads a document but for its items, and finds out what it is.
func (f *File) look(r io.Reader) error {
	if p := f.options.StreamPattern; p != "" {
		var err error
		if f.doc.pattern, err = regexp.Compile(p); err != nil {
			return fmt.Errorf("--stream-pattern: %w", err)
		}
		f.doc.group = datasets.GroupOf(f.doc.pattern, "stream")
	}
	scores := map[string]jsontext.Value{}
	err := eachMember(r, func(name string, d *jsontext.Decoder) error {
		switch name {
		case "images", "predictions":
			f.Format = map[string]string{"images": "megadetector", "predictions": "speciesnet"}[name]
			return d.SkipValue()
		}
		v, err := d.ReadValue()
		if err != nil {
			return err
		}
		switch name {
		case "classification_categories":
			return json.Unmarshal(v, &f.doc.classes, lenient)
		case "info":
			return f.info(v)
		case "raw", "adapted", "flips", "settings":
			scores[name] = v.Clone()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if f.Format == "document" {
		if scores["raw"] == nil || scores["adapted"] == nil || scores["flips"] == nil {
			return fmt.Errorf("neither results of MegaDetector or SpeciesNet nor scores of oatta eval --format json: %w", ErrNoResults)
		}
		f.Format = "scores"
		if m := scores["settings"]; m != nil && f.Manifest == nil {
			f.Manifest, err = parseManifest([]byte(`{"complete":true,"settings":` + string(m) + `}`))
		}
		return err
	}
	f.orderClasses()
	return nil
}

// info takes what `oatta run` says of itself in a document whose manifest is not beside it.
func (f *File) info(v jsontext.Value) error {
	var in struct {
		Run jsontext.Value `json:"oatta"`
	}
	if err := json.Unmarshal(v, &in, lenient); err != nil {
		return nil // another program's: anything may stand there
	}
	if len(in.Run) > 0 && f.Manifest == nil {
		f.Manifest, _ = parseManifest([]byte(`{"settings":` + string(in.Run) + `}`))
		if f.Manifest != nil {
			f.Manifest.Partial = true
		}
	}
	return nil
}

// orderClasses lists the categories in the order of their numbers.
func (f *File) orderClasses() {
	if f.doc.classes == nil {
		return
	}
	f.Classes, f.doc.index = nil, map[string]int{}
	for i := range len(f.doc.classes) {
		if name, ok := f.doc.classes[strconv.Itoa(i)]; ok {
			f.doc.index[strconv.Itoa(i)] = len(f.Classes)
			f.Classes = append(f.Classes, name)
		}
	}
	if len(f.Classes) != len(f.doc.classes) { // numbered otherwise: labels alone tell
		f.Classes, f.doc.index = nil, nil
	}
}

// eachMember calls of for each member of the object that r holds, which reads its value.
func eachMember(r io.Reader, of func(name string, d *jsontext.Decoder) error) error {
	d := jsontext.NewDecoder(&pythonic{r: bufio.NewReader(r)}, lenient)
	if t, err := d.ReadToken(); err != nil {
		return err
	} else if t.Kind() != '{' {
		return fmt.Errorf("begins with %s: want a JSON object", t.Kind())
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		if err := of(name.String(), d); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// detection is what classifications hang on: a box, or a picture.
type detection struct {
	BBox            []float64      `json:"bbox"`
	Conf            *float64       `json:"conf"`
	Classifications jsontext.Value `json:"classifications"`
	Raw             jsontext.Value `json:"raw_classifications"`
	AdaptedLists    jsontext.Value `json:"adapted_classifications"` // SpeciesNet
	AdaptedLabel    text           `json:"adapted_label"`           // SpeciesNet
	Gate            *float64       `json:"gate"`
	Mode            text           `json:"adapted_mode"`
	Failure         text           `json:"failure"`

	// What the ensemble of SpeciesNet said, of a picture or of a box: that is the label before the filter.
	Prediction text `json:"prediction"`
	Processed  struct {
		Class text `json:"class"`
	} `json:"processed_classification"`
}

// picture is an element of images or of predictions.
type picture struct {
	detection
	File       text        `json:"file"`
	Path       text        `json:"filepath"`
	Datetime   text        `json:"datetime"`
	Stream     text        `json:"stream"`
	Truth      text        `json:"truth"`
	Failures   []text      `json:"failures"` // of SpeciesNet's parts
	Detections []detection `json:"detections"`
}

// document reads the items of a document, picture by picture.
func (f *File) document(r io.Reader, h Handler) error {
	f.Untouched = 0
	err := eachMember(r, func(name string, d *jsontext.Decoder) error {
		if name != "images" && name != "predictions" {
			return d.SkipValue()
		}
		if d.PeekKind() != '[' {
			return d.SkipValue()
		}
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		for n := 0; d.PeekKind() != ']'; n++ {
			v, err := d.ReadValue()
			if err != nil {
				return err
			}
			var p picture
			if err := json.Unmarshal(v, &p, lenient); err != nil {
				h.bad(LineError{Name: f.Path, Line: n + 1, Err: fmt.Errorf("picture %d: %w", n+1, shortened(err))})
				continue
			}
			if err := f.picture(&p, h); err != nil {
				return handled{err}
			}
		}
		_, err := d.ReadToken()
		return err
	})
	if own, ok := err.(handled); ok {
		return own.error
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	return nil
}

// handled is an error of the handler, which needs no place.
type handled struct{ error }

// picture tells the items of one picture. Boxes that share a list were not classified one by one, and are one item.
func (f *File) picture(p *picture, h Handler) error {
	it := Item{File: string(first(p.File, p.Path)), Time: f.timeOf(string(p.Datetime)), Truth: string(p.Truth), Prob: nan, AdaptedProb: nan, Gate: nan}
	it.Stream = f.streamOf(it.File, string(p.Stream))
	switch {
	case p.Failure != "":
		it.Failure = string(p.Failure)
		return h.Item(&it)
	case p.answered():
		f.answer(&it, &p.detection)
		return h.Item(&it)
	case len(p.Failures) > 0 && len(p.Detections) == 0:
		it.Failure = fmt.Sprintf("SpeciesNet: %s", p.Failures)
		return h.Item(&it)
	}
	if len(p.Classifications) > 0 {
		f.Untouched++
		return nil
	}
	seen, name := map[string]bool{}, it.File
	for k := range p.Detections {
		d := &p.Detections[k]
		switch {
		case d.Failure != "":
		case !d.answered():
			f.Untouched++
			continue
		case seen[string(d.Raw)]:
			continue
		}
		seen[string(d.Raw)] = true
		one := it
		if len(d.BBox) == 4 && !(d.BBox[0] == 0 && d.BBox[1] == 0 && d.BBox[2] == 1 && d.BBox[3] == 1) {
			one.Box = (*[4]float64)(d.BBox)
			one.File = fmt.Sprintf("%s#%d", name, k)
		}
		if one.Failure = string(d.Failure); one.Failure == "" {
			f.answer(&one, d)
		}
		if err := h.Item(&one); err != nil {
			return err
		}
	}
	return nil
}

// answered tells whether the filter has seen it.
func (d *detection) answered() bool {
	return d.Mode != "" && (len(d.Raw) > 0 || len(d.AdaptedLists) > 0)
}

// answer gives an item its labels.
func (f *File) answer(it *Item, d *detection) {
	it.Gate, it.Mode = number(d.Gate), string(d.Mode)
	raw, after := d.Raw, d.Classifications
	if len(d.AdaptedLists) > 0 { // SpeciesNet
		if raw, after = d.Classifications, d.AdaptedLists; len(raw) == 0 {
			raw = d.Raw
		}
	}
	before, top := f.ranked(raw), f.ranked(after)
	if len(before) > 0 {
		it.Raw, it.Prob = before[0].label, before[0].p
		for _, c := range before {
			if c.p > it.Prob {
				it.Raw, it.Prob = c.label, c.p
			}
		}
	}
	if said := string(first(d.Prediction, d.Processed.Class)); said != "" {
		it.Raw, it.Prob = said, probOf(before, said)
	}
	if len(top) > 0 {
		it.Adapted, it.AdaptedProb = top[0].label, top[0].p
	}
	if d.AdaptedLabel != "" {
		it.Adapted, it.AdaptedProb = string(d.AdaptedLabel), probOf(top, string(d.AdaptedLabel))
	}
	if k := len(f.Classes); k > 0 && len(before) == k && len(top) == k { // all of them are listed
		it.Probs, it.AdaptedProbs = f.expand(0, before), f.expand(1, top)
	}
}

// probOf is the probability of a label in a list; NaN if it is not there.
func probOf(list []ranked, label string) float64 {
	for _, c := range list {
		if c.label == label {
			return c.p
		}
	}
	return nan
}

type ranked struct {
	id, label string
	p         float64
}

// ranked reads [["3", 0.9], ...], or {"classes": [...], "scores": [...]}.
func (f *File) ranked(v jsontext.Value) (out []ranked) {
	if len(v) == 0 {
		return nil
	}
	if v.Kind() == '{' {
		var lists struct {
			Classes []text    `json:"classes"`
			Scores  []float64 `json:"scores"`
		}
		if json.Unmarshal(v, &lists, lenient) != nil || len(lists.Classes) != len(lists.Scores) {
			return nil
		}
		for i, c := range lists.Classes {
			out = append(out, ranked{string(c), string(c), lists.Scores[i]})
		}
		return out
	}
	var pairs [][]jsontext.Value
	if json.Unmarshal(v, &pairs, lenient) != nil {
		return nil
	}
	for _, pair := range pairs {
		if len(pair) != 2 {
			return nil
		}
		id := string(asText(pair[0]))
		p, err := strconv.ParseFloat(string(pair[1]), 64)
		if err != nil {
			p = nan
		}
		name, ok := f.doc.classes[id]
		if !ok {
			name = id
		}
		out = append(out, ranked{id, name, p})
	}
	return out
}

func (f *File) expand(which int, list []ranked) []float64 {
	p := f.doc.vectors[which]
	if p == nil {
		p = make([]float64, len(f.Classes))
		f.doc.vectors[which] = p
	}
	for _, c := range list {
		at, ok := f.doc.index[c.id]
		if !ok || math.IsNaN(c.p) {
			return nil
		}
		p[at] = c.p
	}
	return p
}

// streamOf is the stream of a picture: what it says, else what the pattern finds in its name, else its folder.
func (f *File) streamOf(file, said string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	if re := f.doc.pattern; re != nil {
		if m := re.FindStringSubmatch(file); m != nil && m[f.doc.group] != "" {
			return m[f.doc.group]
		}
	}
	if said != "" {
		return said
	}
	if i := strings.LastIndexByte(file, '/'); i > 0 {
		return f.word([]byte(file[:i]))
	}
	return "."
}

// pythonic passes JSON on with NaN and Infinity, which Python writes, as null: unknown values. Words inside strings stay.
type pythonic struct {
	r       *bufio.Reader
	quoted  bool
	escaped bool
	rest    string // of null
}

// Read implements [io.Reader].
func (p *pythonic) Read(dst []byte) (n int, err error) {
	for n < len(dst) {
		if p.rest != "" {
			k := copy(dst[n:], p.rest)
			p.rest, n = p.rest[k:], n+k
			continue
		}
		if n > 0 && p.r.Buffered() == 0 {
			return n, nil
		}
		b, err := p.r.ReadByte()
		if err != nil {
			return n, err
		}
		if p.unknown(b) {
			p.rest = "null"
			continue
		}
		dst[n] = b
		n++
	}
	return n, nil
}

// unknown tells whether b begins one of the words, which it then takes from the input.
func (p *pythonic) unknown(b byte) bool {
	switch {
	case p.quoted:
		p.quoted = p.escaped || b != '"'
		p.escaped = !p.escaped && b == '\\'
	case b == '"':
		p.quoted = true
	case b == 'N':
		return p.take("aN")
	case b == 'I':
		return p.take("nfinity")
	case b == '-':
		return p.take("Infinity")
	}
	return false
}

func (p *pythonic) take(rest string) bool {
	head, _ := p.r.Peek(len(rest))
	if string(head) != rest {
		return false
	}
	_, err := p.r.Discard(len(rest))
	return err == nil
}
