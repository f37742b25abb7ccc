package models

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// hub is what the files of a Hugging Face repository say about a classifier: config.json of transformers or of timm, and
// preprocessor_config.json of transformers. Fields that are absent are nil or zero. These files are other programs', so they are
// read leniently: unknown fields are nothing to complain about.
type hub struct {
	config struct {
		ID2Label   map[string]string `json:"id2label"`
		ImageSize  json.RawMessage   `json:"image_size"` // number, or [height, width]
		LabelNames []string          `json:"label_names"`
		Timm       *timmConfig       `json:"pretrained_cfg"`
	}
	pre         *preprocessor
	configPath  string // "" if there is no config.json, or it is another program's
	preprocPath string
	notes       []string
}

// timmConfig is how timm describes the preprocessing of its networks.
type timmConfig struct {
	InputSize     []int     `json:"input_size"` // channels, height, width
	Interpolation string    `json:"interpolation"`
	CropPct       float64   `json:"crop_pct"`
	CropMode      string    `json:"crop_mode"` // center, squash or border
	Mean          []float64 `json:"mean"`
	Std           []float64 `json:"std"`
	LabelNames    []string  `json:"label_names"`
}

// preprocessor is how transformers describes it. Sizes are a number, {"height", "width"} or {"shortest_edge"}.
type preprocessor struct {
	Type1        string          `json:"image_processor_type"`
	Type2        string          `json:"feature_extractor_type"` // its name until 2022
	Size         json.RawMessage `json:"size"`
	CropSize     json.RawMessage `json:"crop_size"`
	CropPct      float64         `json:"crop_pct"`
	Resample     json.RawMessage `json:"resample"` // number of a PIL filter, or its name
	Mean         []float64       `json:"image_mean"`
	Std          []float64       `json:"image_std"`
	DoResize     *bool           `json:"do_resize"`
	DoCenterCrop *bool           `json:"do_center_crop"`
	DoRescale    *bool           `json:"do_rescale"`
	Rescale      float64         `json:"rescale_factor"`
	DoNormalize  *bool           `json:"do_normalize"`
}

// readHub looks for the files beside a model, and in the folder above if the model is in one called onnx, where exporters for the
// browser put it. Absent files are no error; unreadable ones are. Many programs have a config.json, so that one which does not fit is
// passed over, and said in notes.
func readHub(dir string) (*hub, error) {
	h := new(hub)
	dirs := []string{dir}
	if abs, err := filepath.Abs(dir); err == nil && filepath.Base(abs) == "onnx" {
		dirs = append(dirs, filepath.Dir(abs))
	}
	var err error
	h.configPath, err = readFirstJSON(dirs, "config.json", &h.config)
	var foreign *json.UnmarshalTypeError
	switch {
	case errors.As(err, &foreign):
		h = &hub{notes: []string{fmt.Sprintf("config.json beside the model was passed over: it is not what Hugging Face's programs write (%s is a JSON %s)", cmp.Or(foreign.Field, "the whole"), foreign.Value)}}
	case err != nil:
		return nil, err
	}
	var pre preprocessor
	if h.preprocPath, err = readFirstJSON(dirs, "preprocessor_config.json", &pre); err != nil {
		return nil, err
	}
	if h.preprocPath != "" {
		h.pre = &pre
	}
	return h, nil
}

func readFirstJSON(dirs []string, name string, v any) (path string, err error) {
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		f, err := openRegular(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		data, err := io.ReadAll(io.LimitReader(f, MaxManifestBytes))
		f.Close()
		if err != nil {
			return "", err
		}
		if err := json.Unmarshal(data, v); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		return path, nil
	}
	return "", nil
}

// labels returns the class names that the files give, or nil.
func (h *hub) labels() []string {
	switch {
	case len(h.config.LabelNames) > 0:
		return h.config.LabelNames
	case h.config.Timm != nil && len(h.config.Timm.LabelNames) > 0:
		return h.config.Timm.LabelNames
	}
	labels := make([]string, len(h.config.ID2Label))
	for key, name := range h.config.ID2Label {
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(labels) || labels[i] != "" {
			return nil
		}
		labels[i] = name
	}
	return labels
}

// side returns the size that the files give for a side that the graph leaves open, or 0.
func (h *hub) side() (height, width int) {
	if h.pre != nil {
		for _, raw := range []json.RawMessage{h.pre.CropSize, h.pre.Size} {
			if s := parseSize(raw); s.height > 0 {
				return s.height, s.width
			} else if s.shortest > 0 {
				return s.shortest, s.shortest
			}
		}
	}
	if t := h.config.Timm; t != nil && len(t.InputSize) == 3 {
		return t.InputSize[1], t.InputSize[2]
	}
	if s := parseSize(h.config.ImageSize); s.height > 0 {
		return s.height, s.width
	}
	return 0, 0
}

// size is one of transformers' three ways to say a size.
type size struct {
	height, width int // 0 if not given
	shortest      int // 0 if not given
	plain         bool
}

func parseSize(raw json.RawMessage) (s size) {
	var n int
	var pair []int
	var object struct {
		Height   int `json:"height"`
		Width    int `json:"width"`
		Shortest int `json:"shortest_edge"`
	}
	switch {
	case len(raw) == 0:
	case json.Unmarshal(raw, &n) == nil:
		s = size{height: n, width: n, plain: true}
	case json.Unmarshal(raw, &pair) == nil && len(pair) == 2:
		s = size{height: pair[0], width: pair[1]}
	case json.Unmarshal(raw, &object) == nil:
		s = size{height: object.Height, width: object.Width, shortest: object.Shortest}
	}
	return s
}

// apply puts what the files say into a manifest's input, whose Height and Width are settled, and returns the notes on it; ok is
// false if they say nothing about preprocessing.
func (h *hub) apply(in *Input) (notes []string, ok bool) {
	switch {
	case h.pre != nil && len(h.pre.Mean) == 3 && len(h.pre.Std) == 3:
		return append(h.pre.apply(in), "input: preprocessing from "+h.preprocPath), true
	case h.config.Timm != nil && len(h.config.Timm.Mean) == 3 && len(h.config.Timm.Std) == 3:
		return append(h.config.Timm.apply(in), "input: preprocessing from "+h.configPath), true
	}
	return nil, false
}

// apply follows timm's evaluation transform: the shorter edge is the input's over crop_pct, rounded down.
func (t *timmConfig) apply(in *Input) (notes []string) {
	in.Mean, in.Std = slices.Clone(t.Mean), slices.Clone(t.Std)
	in.Interpolation, notes = filterNamed(t.Interpolation, Bilinear)
	pct := t.CropPct
	if !(pct > 0 && pct <= 1) {
		pct = 0.875 // timm's default
	}
	in.Resize, in.Stretch = int(math.Floor(float64(max(in.Height, in.Width))/pct)), false
	if t.CropMode == "squash" {
		in.Stretch = true
	}
	if in.Stretch {
		in.Resize = 0
	}
	return notes
}

// apply follows the image processors of transformers. Their rescale factor times 255 is folded into mean and deviation, which in a
// manifest are of values from 0 to 1.
func (p *preprocessor) apply(in *Input) (notes []string) {
	mean, std := slices.Clone(p.Mean), slices.Clone(p.Std)
	if p.DoNormalize != nil && !*p.DoNormalize {
		mean, std = []float64{0, 0, 0}, []float64{1, 1, 1}
	}
	factor := p.Rescale
	if factor == 0 {
		factor = 1.0 / 255
	}
	if p.DoRescale != nil && !*p.DoRescale {
		factor = 1
	}
	if k := 255 * factor; math.Abs(k-1) > 1e-9 {
		for c := range 3 {
			mean[c] /= k
			std[c] /= k
		}
	}
	in.Mean, in.Std = mean, std
	in.Interpolation, notes = filterNumbered(p.Resample)
	p.applySize(in)
	return notes
}

func (p *preprocessor) applySize(in *Input) {
	kind := strings.ToLower(p.Type1 + p.Type2)
	s := parseSize(p.Size)
	if s.plain && !strings.Contains(kind, "vit") {
		s.shortest = s.height // ViT's processors stretch to a plain number; the others take it as the shorter edge
	}
	crop := p.DoCenterCrop == nil && len(p.CropSize) > 0 || p.DoCenterCrop != nil && *p.DoCenterCrop
	least := max(in.Height, in.Width)
	in.Resize, in.Stretch = 0, false
	switch {
	case strings.Contains(kind, "convnext") && s.shortest > 0 && s.shortest < 384:
		pct := p.CropPct
		if !(pct > 0 && pct <= 1) {
			pct = 224.0 / 256
		}
		in.Resize = max(least, int(float64(s.shortest)/pct))
	case strings.Contains(kind, "convnext"):
		in.Stretch = true
	case s.shortest > 0:
		in.Resize = max(least, s.shortest)
	case s.height > 0 && crop && s.height == s.width && s.height > least:
		// Stretched to a square larger than the input and cropped: a manifest cannot say that, and this is the nearest it can.
		in.Resize = s.height
	default:
		in.Stretch = true
	}
}

// filterNamed reads timm's name of a filter.
func filterNamed(name, fallback string) (string, []string) {
	name = strings.ToLower(name)
	if name == "" {
		return fallback, nil
	}
	if err := oneOf("", name, Bilinear, Bicubic, Nearest, Box, Hamming, Lanczos); err != nil {
		return fallback, []string{fmt.Sprintf("input.interpolation: %s (%q is unknown)", fallback, clip(name))}
	}
	return name, nil
}

// filterNumbered reads PIL's number of a filter, or its name.
func filterNumbered(raw json.RawMessage) (string, []string) {
	var n int
	var name string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return Bilinear, nil
	case json.Unmarshal(raw, &n) == nil && n >= 0 && n < 6:
		return []string{Nearest, Lanczos, Bilinear, Bicubic, Box, Hamming}[n], nil
	case json.Unmarshal(raw, &name) == nil:
		return filterNamed(name, Bilinear)
	}
	return Bilinear, []string{fmt.Sprintf("input.interpolation: bilinear (resample %s is unknown)", clip(string(raw)))}
}
