package models

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/oatta/oatta/adapt/population"
)

// ManifestVersion is the version of the manifest format that this program reads and writes.
const ManifestVersion = 1

// The words that a manifest uses.
const (
	ImageClassification = "image-classification" // Task

	NCHW = "NCHW" // Input.Layout: planes of one colour each, as PyTorch exports
	NHWC = "NHWC" // Input.Layout: pixels of three values each, as TensorFlow exports
	RGB  = "RGB"  // Input.Color
	BGR  = "BGR"  // Input.Color, as networks trained on OpenCV's pictures expect

	Bilinear = "bilinear" // Input.Interpolation, as the next five: Pillow's filters, all but nearest with antialiasing
	Bicubic  = "bicubic"
	Nearest  = "nearest"
	Box      = "box"
	Hamming  = "hamming"
	Lanczos  = "lanczos"

	Logits           = "logits"            // Output.Kind: any real numbers; softmax makes them probabilities
	Probabilities    = "probabilities"     // Output.Kind: the network ends in a softmax
	LogProbabilities = "log-probabilities" // Output.Kind: the network ends in a log-softmax
)

// Limits on what a manifest may say.
const (
	maxSide      = 4096    // pixels
	maxLabels    = 1 << 20 // classes
	maxLabelSize = 1024    // bytes
	maxTextSize  = 1 << 16 // bytes of a description, a licence or notes
)

// Manifest says what a network expects and what its outputs mean. It is kept as JSON beside the model.
type Manifest struct {
	Version     int    `json:"oatta_manifest"`        // 1
	Name        string `json:"name"`                  // short, as "efficientnet-lite0"
	Description string `json:"description,omitempty"` // one sentence
	Task        string `json:"task,omitempty"`        // image-classification (default), signal-classification or text-classification

	// Labels names the classes in the order of the network's output; two, where that is one number, of which it is the probability or
	// the logit of the second. LabelsFile, a path relative to the manifest, may stand in for
	// it in a file: one label a line. A manifest as Load returns it has Labels.
	Labels     []string `json:"labels,omitempty"`
	LabelsFile string   `json:"labels_file,omitempty"`
	// Codes are the whole numbers that files of true labels write for labels, of 32 bits; not all need one, and no two share one.
	Codes map[string]int `json:"codes,omitempty"`

	// One of these, as Task says: what the network takes.
	Input  Input   `json:"input,omitzero"`
	Signal *Signal `json:"signal,omitempty"`
	Text   *Text   `json:"text,omitempty"`

	Output Output `json:"output"`

	// Temperature divides the logits before the softmax; over 0 and at most 1000; 0 is 1.
	Temperature float64 `json:"temperature,omitempty"`
	// Prior is the share of each class in the data that the network was trained on, in the order of Labels: positive, sums to 1.
	// Empty is uniform.
	Prior []float64 `json:"prior,omitempty"`
	// Transitions is what labelled streams taught of the order of the classes, which must be Labels, in any order.
	Transitions *population.Order `json:"transitions,omitempty"`

	License string `json:"license,omitempty"` // SPDX identifier of the weights, as "Apache-2.0"
	Source  string `json:"source,omitempty"`  // where the weights come from
	Score   string `json:"score,omitempty"`   // how much is right of which data, as "91.7 % of the test set of CIFAR-10"
	Notes   string `json:"notes,omitempty"`   // what else a user should know

	SHA256     string `json:"sha256,omitempty"`     // of the ONNX file, in hex; "" is not checked
	Parameters int64  `json:"parameters,omitempty"` // number of weights; for information
}

// Input says how a picture becomes the network's input.
//
// Either the shorter edge of the picture is resized to Resize pixels and the middle Height x Width pixels are cut out, as
// torchvision's Resize and CenterCrop do, or, with Stretch, the whole picture is resized to Height x Width regardless of its
// proportions. Then every value v of 0 to 255 becomes (v/255 - Mean)/Std of its colour.
type Input struct {
	Name          string    `json:"name"`                    // of the graph's input
	Height        int       `json:"height"`                  // pixels, 1 to 4096
	Width         int       `json:"width"`                   // pixels, 1 to 4096
	Layout        string    `json:"layout,omitempty"`        // NCHW (default) or NHWC
	Color         string    `json:"color,omitempty"`         // order of the channels: RGB (default) or BGR
	Mean          []float64 `json:"mean"`                    // of red, green, blue, whatever Color says; units of full scale, -1000 to 1000
	Std           []float64 `json:"std"`                     // of red, green, blue; units of full scale, 0.000001 to 1000
	Resize        int       `json:"resize,omitempty"`        // pixels of the shorter edge, at least Height and Width; 0: the larger of them
	Interpolation string    `json:"interpolation,omitempty"` // bilinear (default), bicubic, nearest, box, hamming, lanczos
	Stretch       bool      `json:"stretch,omitempty"`       // resize without keeping proportions; Resize must then be 0
}

// Output says which output holds the classes and what its numbers are.
type Output struct {
	Name string `json:"name"`           // of the graph's output
	Kind string `json:"kind,omitempty"` // logits (default), probabilities or log-probabilities
}

// withDefaults returns the manifest with every optional field that has a default filled in, and the prior made to sum to 1 exactly.
func (m Manifest) withDefaults() Manifest {
	fill := func(s *string, value string) {
		if *s == "" {
			*s = value
		}
	}
	fill(&m.Task, ImageClassification)
	fill(&m.Output.Kind, Logits)
	if m.Temperature == 0 {
		m.Temperature = 1
	}
	switch {
	case m.Signal != nil:
		signal := m.Signal.withDefaults()
		m.Signal = &signal
	case m.Text == nil:
		m.Input = m.Input.withDefaults()
	}
	m.Prior = normalised(m.Prior)
	return m
}

func (in Input) withDefaults() Input {
	in.Layout = cmp.Or(in.Layout, NCHW)
	in.Color = cmp.Or(in.Color, RGB)
	in.Interpolation = cmp.Or(in.Interpolation, Bilinear)
	if in.Resize == 0 && !in.Stretch {
		in.Resize = max(in.Height, in.Width)
	}
	return in
}

func normalised(prior []float64) []float64 {
	if len(prior) == 0 {
		return nil
	}
	total := 0.0
	for _, p := range prior {
		total += p
	}
	out := make([]float64, len(prior))
	for i, p := range prior {
		out[i] = p / total
	}
	return out
}

// Validate reports the first field that is missing or out of range, by its name in the file. Optional fields may be empty. Labels
// may be missing only if LabelsFile says where they are.
func (m Manifest) Validate() error {
	if err := m.validate(); err != nil {
		return fmt.Errorf("models: manifest: %w", err)
	}
	return nil
}

func (m Manifest) validate() error {
	if m.Version != ManifestVersion {
		return fmt.Errorf("oatta_manifest: version %d, this program reads version %d", m.Version, ManifestVersion)
	}
	for _, check := range []func() error{m.checkTexts, m.checkLabels, m.checkCodes, m.checkInput, m.Output.check, m.checkNumbers, m.checkTransitions, m.checkHash} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (m Manifest) checkTexts() error {
	if m.Name == "" || len(m.Name) > 256 || strings.ContainsFunc(m.Name, unicode.IsControl) {
		return fmt.Errorf("name: %q, want 1 to 256 printable bytes", clip(m.Name))
	}
	for _, t := range []struct{ field, text string }{
		{"description", m.Description}, {"license", m.License}, {"source", m.Source}, {"score", m.Score}, {"notes", m.Notes}, {"labels_file", m.LabelsFile},
	} {
		if len(t.text) > maxTextSize {
			return fmt.Errorf("%s: %d bytes, want at most %d", t.field, len(t.text), maxTextSize)
		}
	}
	return nil
}

func (m Manifest) checkLabels() error {
	switch {
	case m.LabelsFile != "" && len(m.Labels) > 0:
		return fmt.Errorf("labels: give labels or labels_file, not both")
	case m.LabelsFile != "":
		return nil
	}
	return checkLabels(m.Labels)
}

// checkLabels reports a set of labels that cannot name classes: fewer than two, or a label that is empty, repeated or unprintable.
func checkLabels(labels []string) error {
	if len(labels) < 2 || len(labels) > maxLabels {
		return fmt.Errorf("labels: %d labels, want 2 to %d", len(labels), maxLabels)
	}
	seen := make(map[string]int, len(labels))
	for i, l := range labels {
		switch first, repeated := seen[l]; {
		case l == "" || l != strings.TrimSpace(l):
			return fmt.Errorf("labels[%d]: %q is empty or has spaces around it", i, clip(l))
		case len(l) > maxLabelSize || !utf8.ValidString(l) || strings.ContainsFunc(l, unicode.IsControl):
			return fmt.Errorf("labels[%d]: %q: want at most %d bytes of printable UTF-8", i, clip(l), maxLabelSize)
		case repeated:
			return fmt.Errorf("labels[%d]: %q is labels[%d] already", i, clip(l), first)
		}
		seen[l] = i
	}
	return nil
}

// checkCodes reports codes of labels that are not there, and those that two share. Labels of a file are not known yet.
func (m Manifest) checkCodes() error {
	of := map[int]string{}
	for _, label := range slices.Sorted(maps.Keys(m.Codes)) {
		code := m.Codes[label]
		if m.LabelsFile == "" && !slices.Contains(m.Labels, label) {
			return fmt.Errorf("codes: %q is none of the labels", clip(label))
		}
		if code != int(int32(code)) {
			return fmt.Errorf("codes: %d for %q, want 32 bits", code, clip(label))
		}
		if other, twice := of[code]; twice {
			return fmt.Errorf("codes: %d is of %q and of %q", code, clip(other), clip(label))
		}
		of[code] = label
	}
	return nil
}

// checkInput checks the section that the task has; another one would be ignored and is refused.
func (m Manifest) checkInput() error {
	if err := oneOf("task", m.Task, ImageClassification, SignalClassification, TextClassification); err != nil {
		return err
	}
	image := !reflect.ValueOf(m.Input).IsZero()
	for _, s := range []struct {
		name, task string
		there      bool
	}{{"input", ImageClassification, image}, {"signal", SignalClassification, m.Signal != nil}, {"text", TextClassification, m.Text != nil}} {
		if task := cmp.Or(m.Task, ImageClassification); s.there && s.task != task {
			return fmt.Errorf("%s: is of the task %s, the manifest's task is %s", s.name, s.task, task)
		} else if !s.there && s.task == task && s.name != "input" {
			return fmt.Errorf("%s: missing, and the task is %s", s.name, task)
		}
	}
	switch {
	case m.Signal != nil:
		return m.Signal.check()
	case m.Text != nil:
		return m.Text.check()
	}
	return m.Input.check()
}

func (in Input) check() error {
	if in.Name == "" {
		return fmt.Errorf("input.name: missing")
	}
	if err := oneOf("input.layout", in.Layout, NCHW, NHWC); err != nil {
		return err
	}
	if err := oneOf("input.color", in.Color, RGB, BGR); err != nil {
		return err
	}
	if err := oneOf("input.interpolation", in.Interpolation, Bilinear, Bicubic, Nearest, Box, Hamming, Lanczos); err != nil {
		return err
	}
	if err := in.checkSizes(); err != nil {
		return err
	}
	return in.checkScale()
}

func (in Input) checkSizes() error {
	for _, s := range []struct {
		field string
		size  int
	}{{"input.height", in.Height}, {"input.width", in.Width}} {
		if s.size < 1 || s.size > maxSide {
			return fmt.Errorf("%s: %d pixels, want 1 to %d", s.field, s.size, maxSide)
		}
	}
	least := max(in.Height, in.Width)
	switch {
	case in.Resize == 0:
	case in.Stretch:
		return fmt.Errorf("input.resize: %d pixels together with input.stretch, which needs none", in.Resize)
	case in.Resize < least || in.Resize > 2*maxSide:
		// A shorter edge below the crop would leave parts of the input empty.
		return fmt.Errorf("input.resize: %d pixels, want %d (the crop's longer side) to %d", in.Resize, least, 2*maxSide)
	}
	return nil
}

func (in Input) checkScale() error {
	if len(in.Mean) != 3 || len(in.Std) != 3 {
		return fmt.Errorf("input.mean, input.std: %d and %d values, want 3 and 3 (0, 0, 0 and 1, 1, 1 if the network takes plain values of 0 to 1)", len(in.Mean), len(in.Std))
	}
	for i := range 3 {
		if !(math.Abs(in.Mean[i]) <= 1000) {
			return fmt.Errorf("input.mean[%d]: %v, want -1000 to 1000 (in units of full scale)", i, in.Mean[i])
		}
		if !(in.Std[i] >= 1e-6 && in.Std[i] <= 1000) {
			return fmt.Errorf("input.std[%d]: %v, want 0.000001 to 1000 (in units of full scale)", i, in.Std[i])
		}
	}
	return nil
}

func (o Output) check() error {
	if o.Name == "" {
		return fmt.Errorf("output.name: missing")
	}
	return oneOf("output.kind", o.Kind, Logits, Probabilities, LogProbabilities)
}

func (m Manifest) checkNumbers() error {
	if m.Temperature != 0 && !(m.Temperature > 0 && m.Temperature <= 1000) {
		return fmt.Errorf("temperature: %v, want over 0 and at most 1000", m.Temperature)
	}
	if m.Parameters < 0 {
		return fmt.Errorf("parameters: %d is negative", m.Parameters)
	}
	if len(m.Prior) == 0 {
		return nil
	}
	if len(m.Labels) > 0 && len(m.Prior) != len(m.Labels) {
		return fmt.Errorf("prior: %d values for %d labels", len(m.Prior), len(m.Labels))
	}
	total := 0.0
	for i, p := range m.Prior {
		if !(p > 0 && p <= 1) {
			return fmt.Errorf("prior[%d]: %v, want over 0 and at most 1", i, p)
		}
		total += p
	}
	if !(math.Abs(total-1) <= 1e-6) {
		return fmt.Errorf("prior: sums to %v, want 1 within 0.000001", total)
	}
	return nil
}

func (m Manifest) checkTransitions() error {
	if m.Transitions == nil {
		return nil
	}
	err := m.Transitions.Validate()
	if err == nil && len(m.Labels) > 0 {
		_, err = m.Transitions.For(m.Labels)
	}
	return err
}

func (m Manifest) checkHash() error {
	if m.SHA256 == "" {
		return nil
	}
	if b, err := hex.DecodeString(m.SHA256); err != nil || len(b) != 32 || m.SHA256 != strings.ToLower(m.SHA256) {
		return fmt.Errorf("sha256: %q, want 64 lower-case hexadecimal digits", clip(m.SHA256))
	}
	return nil
}

// oneOf checks a word; the empty word stands for the first.
func oneOf(field, got string, words ...string) error {
	if got == "" {
		return nil
	}
	for _, w := range words {
		if got == w {
			return nil
		}
	}
	return fmt.Errorf("%s: %q, want %s", field, clip(got), strings.Join(words, " or "))
}

// clip shortens a text for an error message.
func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "..."
	}
	return s
}
