package models

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oatta/oatta/models/onnx"
)

// The preprocessing of most networks for photographs: torchvision's, and what a guess falls back to.
var (
	imageNetMean = []float64{0.485, 0.456, 0.406}
	imageNetStd  = []float64{0.229, 0.224, 0.225}
)

// guesser makes a manifest for a network that has none. Every field it could not read off a declared fact becomes a note.
type guesser struct {
	sum   onnx.Summary
	hub   *hub
	dir   string // of the file
	m     Manifest
	notes []string
}

// guess works out a manifest for the network in the file at path, and says in words what it guessed. A network that is no classifier
// of pictures is an error that says why.
func guess(path string, sum onnx.Summary) (Manifest, []string, error) {
	h, err := readHub(filepath.Dir(path))
	if err != nil {
		return Manifest{}, nil, err
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	g := guesser{sum: sum, hub: h, dir: filepath.Dir(path), notes: h.notes, m: Manifest{Version: ManifestVersion, Name: name, Parameters: sum.Parameters}}
	for _, step := range []func() error{g.task, g.input, g.output, g.labels, g.preprocessing} {
		if err := step(); err != nil {
			return Manifest{}, nil, err
		}
	}
	if err := g.m.validate(); err != nil {
		return Manifest{}, nil, fmt.Errorf("the guessed manifest is unusable, write one: %w", err)
	}
	return g.m.withDefaults(), g.notes, nil
}

func (g *guesser) say(format string, args ...any) {
	g.notes = append(g.notes, fmt.Sprintf(format, args...))
}

// task refuses networks that say themselves that they do something else.
func (g *guesser) task() error {
	if task := g.sum.Metadata["task"]; task != "" && g.ultralytics() && task != "classify" {
		return fmt.Errorf("the model's task is %q, want a classifier", clip(task))
	}
	g.m.Description = clip(g.sum.Metadata["description"])
	g.m.License = clip(g.sum.Metadata["license"])
	return nil
}

func (g *guesser) ultralytics() bool { return g.sum.Metadata["author"] == "Ultralytics" }

func (g *guesser) input() error {
	if len(g.sum.Inputs) != 1 {
		return fmt.Errorf("%d inputs (%s), want one, of pictures (a network for texts needs a manifest)", len(g.sum.Inputs), valueNames(g.sum.Inputs))
	}
	in := g.sum.Inputs[0]
	if len(in.Dims) != 4 {
		return fmt.Errorf("input %s: want four sizes, [N,3,H,W] or [N,H,W,3] (a network for signals needs a manifest)", in)
	}
	g.m.Input.Name = in.Name
	height, width := in.Dims[2].Size, in.Dims[3].Size
	switch {
	case in.Dims[1].Size == 3:
		g.m.Input.Layout = NCHW
	case in.Dims[3].Size == 3:
		g.m.Input.Layout = NHWC
		height, width = in.Dims[1].Size, in.Dims[2].Size
	case in.Dims[1].Size < 0:
		g.m.Input.Layout = NCHW
		g.say("input.layout: NCHW (the graph leaves the number of channels open)")
	default:
		return fmt.Errorf("input %s: no size is 3, want pictures of three colours", in)
	}
	g.m.Input.Height, g.m.Input.Width = g.sides(height, width)
	return nil
}

// sides settles the size of the input: the graph's, else what the files beside it or its metadata say, else 224.
func (g *guesser) sides(height, width int64) (int, int) {
	if height > 0 && width > 0 {
		return int(min(height, math.MaxInt32)), int(min(width, math.MaxInt32))
	}
	h, w := g.hub.side()
	from := cmp.Or(g.hub.preprocPath, g.hub.configPath)
	var imgsz []int
	if h == 0 && json.Unmarshal([]byte(g.sum.Metadata["imgsz"]), &imgsz) == nil && len(imgsz) == 2 {
		h, w, from = imgsz[0], imgsz[1], "the model's metadata"
	}
	if h == 0 {
		h, w, from = 224, 224, "the graph leaves it open, and most networks were trained so"
	}
	if height > 0 {
		h = int(min(height, math.MaxInt32))
	}
	if width > 0 {
		w = int(min(width, math.MaxInt32))
	}
	g.say("input.height, input.width: %d, %d (%s)", h, w, from)
	return h, w
}

func (g *guesser) output() error {
	out, err := g.pickOutput()
	if err != nil {
		return err
	}
	g.m.Output.Name = out.Name
	switch out.Op {
	case "Softmax":
		g.m.Output.Kind = Probabilities
	case "LogSoftmax":
		g.m.Output.Kind = LogProbabilities
	case "Sigmoid", "HardSigmoid":
		if isOne(sizesOf(out)) {
			g.m.Output.Kind = Probabilities
			g.say("output.kind: probabilities (one number from a %s, taken for the probability of the second of two classes)", out.Op)
			return nil
		}
		return fmt.Errorf("output %s comes from %s: it scores each class by itself, want a network that picks one of its classes (write a manifest if it does)", out, out.Op)
	default:
		g.m.Output.Kind = Logits
		g.say("output.kind: logits (the output comes from %s, not from a softmax)", cmp.Or(out.Op, "no operator"))
		return nil
	}
	return nil
}

// classOutputs are words in the names that exporters give to the output of a classifier. Others, as "features", come first in some
// graphs.
var classOutputs = []string{"logit", "prob", "softmax", "score", "class"}

// pickOutput chooses the output that holds the classes: the one there is, or of those of rank two the first that is called like it, or
// the first.
func (g *guesser) pickOutput() (onnx.Value, error) {
	outs := g.sum.Outputs
	if len(outs) == 0 {
		return onnx.Value{}, fmt.Errorf("the graph has no outputs")
	}
	if len(outs) == 1 {
		return outs[0], nil
	}
	fits := func(v onnx.Value) bool { return len(v.Dims) == 2 && strings.HasPrefix(v.Type, "float") }
	i := slices.IndexFunc(outs, func(v onnx.Value) bool {
		return fits(v) && slices.ContainsFunc(classOutputs, func(w string) bool { return strings.Contains(strings.ToLower(v.Name), w) })
	})
	if i >= 0 {
		g.say("output.name: %s (of %d outputs the one that is called like it)", outs[i].Name, len(outs))
		return outs[i], nil
	}
	if i = slices.IndexFunc(outs, fits); i < 0 {
		return onnx.Value{}, fmt.Errorf("%d outputs (%s), none of them float of shape [N, classes]", len(outs), valueNames(outs))
	}
	g.say("output.name: %s (the first of %d outputs that could hold the classes)", outs[i].Name, len(outs))
	return outs[i], nil
}

func valueNames(values []onnx.Value) string {
	if len(values) == 0 {
		return "none"
	}
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = v.Name
	}
	return clip(strings.Join(names, ", "))
}

func (g *guesser) labels() error {
	out := g.sum.Outputs[slices.IndexFunc(g.sum.Outputs, func(v onnx.Value) bool { return v.Name == g.m.Output.Name })]
	classes, err := g.classes(out)
	if err != nil {
		return fmt.Errorf("output %s: %w", out, err)
	}
	labels, from, notes := metadataLabels(g.sum.Metadata, classes)
	g.notes = append(g.notes, notes...)
	hubLabels := g.hub.labels()
	switch {
	case labels != nil:
		g.say("labels: %d from the model's metadata %q", len(labels), from)
	case len(hubLabels) > 0 && (classes == 0 || len(hubLabels) == classes):
		labels = hubLabels
		g.say("labels: %d from %s", len(labels), g.hub.configPath)
	case g.labelsBeside(&labels, classes):
	case classes == 1000:
		labels = imageNetLabels()
		g.say("labels: the 1000 of ImageNet-1k (the model names none, and the number fits)")
	case classes == 0:
		return fmt.Errorf("output %s: the graph leaves the number of classes open and nothing names them; write a manifest", out)
	default:
		labels = numberedLabels(classes)
		g.say("labels: class_0 to class_%d (the model names none)", classes-1)
	}
	labels, notes = tidyLabels(labels)
	g.notes = append(g.notes, notes...)
	g.m.Labels = labels
	return nil
}

// classes returns the number of classes of an output, 0 if it is open.
func (g *guesser) classes(out onnx.Value) (int, error) {
	if !isOne(sizesOf(out)) {
		return classCount(sizesOf(out))
	}
	if g.m.Output.Kind == Logits {
		g.say("labels: 2, as one number is the logit of the second of two classes")
	}
	return 2, nil
}

// labelFiles are names that people give to files of labels, one a line.
var labelFiles = []string{"labels.txt", "classes.txt", "label.txt", "class_names.txt"}

// labelsBeside reads the labels from a file beside the model, if it has as many lines as there are classes.
func (g *guesser) labelsBeside(labels *[]string, classes int) bool {
	for _, name := range labelFiles {
		found, err := readLabels(osFiles{}, filepath.Join(g.dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			g.say("labels: %s beside the model was not used: %v", name, err)
		case classes > 0 && len(found) != classes:
			g.say("labels: %s beside the model was not used: %d lines for %d classes", name, len(found), classes)
		default:
			*labels = found
			g.say("labels: %d from %s beside the model", len(found), name)
			return true
		}
	}
	return false
}

// classCount returns the number of classes of an output of the given sizes, the batch first, or 0 if it is open. Old exporters
// leave sizes of 1 behind the classes.
func classCount(sizes []int64) (int, error) {
	if len(sizes) < 2 {
		return 0, fmt.Errorf("want at least two sizes, [N, classes]")
	}
	classes, open := int64(1), false
	for _, d := range sizes[1:] {
		switch {
		case d < 0:
			open = true
		case d != 1 && classes != 1:
			return 0, fmt.Errorf("want one size besides the batch that is not 1, the number of classes")
		case d != 1:
			classes = d
		}
	}
	if open && classes == 1 {
		return 0, nil
	}
	if open || classes < 2 || classes > maxLabels {
		return 0, fmt.Errorf("want 2 to %d classes", maxLabels)
	}
	return int(classes), nil
}

func (g *guesser) preprocessing() error {
	in := &g.m.Input
	if notes, ok := g.hub.apply(in); ok {
		g.notes = append(g.notes, notes...)
		if g.sum.Scaling.Scales() {
			g.say("input.mean, input.std: the graph scales its input too (%s): see that this is not done twice", g.scaling())
		}
		return nil
	}
	g.resize()
	in.Interpolation = Bilinear
	in.Color = RGB
	switch mean, std, ok := standardization(g.sum.Metadata); {
	case ok:
		in.Mean, in.Std = mean, std
		g.say("input.mean, input.std: from the model's metadata")
	case g.ultralytics():
		in.Mean, in.Std = []float64{0, 0, 0}, []float64{1, 1, 1}
		g.say("input.mean, input.std: 0 and 1, as Ultralytics trains classifiers")
	case g.scaled():
	default:
		in.Mean, in.Std = slices.Clone(imageNetMean), slices.Clone(imageNetStd)
		g.say("input.mean, input.std: ImageNet's (nothing beside the model says otherwise)")
	}
	g.say("input.color, input.interpolation: RGB, bilinear (nothing beside the model says otherwise)")
	return nil
}

// scaled sets mean and deviation for a graph that scales its input itself: plain values, of 0 to 255 or of 0 to 1. Which of them is told
// by how the graph would stretch them: a network wants values between about -3 and 3.
func (g *guesser) scaled() bool {
	s := g.sum.Scaling
	if !s.Scales() {
		return false
	}
	width := slices.Max(s.Scale) // for values of 0 to 1
	in, zero := &g.m.Input, []float64{0, 0, 0}
	const least, most = 0.4, 20
	switch far := slices.Min(s.Offset) < -20; {
	case width*255 >= least && width*255 <= most, width == 1 && far: // the second is as Caffe takes the mean away
		in.Mean, in.Std = zero, []float64{1. / 255, 1. / 255, 1. / 255}
		g.say("input.mean, input.std: 0 and 1/255, plain values of 0 to 255 (the graph scales them itself: %s)", g.scaling())
	case width >= least && width <= most && !far:
		in.Mean, in.Std = zero, []float64{1, 1, 1}
		g.say("input.mean, input.std: 0 and 1, plain values of 0 to 1 (the graph scales them itself: %s)", g.scaling())
	default:
		g.say("input.mean, input.std: the graph scales its input (%s), and what values it wants is not clear from that", g.scaling())
		return false
	}
	return true
}

// scaling says how the graph scales its input.
func (g *guesser) scaling() string {
	number := func(v []float64) string {
		words := make([]string, len(v))
		for i, x := range v {
			words[i] = fmt.Sprintf("%.4g", x)
		}
		if len(v) == 1 {
			return words[0]
		}
		return "[" + strings.Join(words, " ") + "]"
	}
	return fmt.Sprintf("x*%s + %s", number(g.sum.Scaling.Scale), number(g.sum.Scaling.Offset))
}

// resize guesses how a picture is brought to size: torchvision's 256 for 224, in proportion, for photographs; as it is for the tiny
// pictures of CIFAR; stretched if the input is no square, which nobody crops to.
func (g *guesser) resize() {
	in := &g.m.Input
	switch {
	case in.Height != in.Width:
		in.Stretch = true
		g.say("input.stretch: true (the input is no square)")
	case g.ultralytics() || in.Height < 96:
		in.Resize = in.Height
		g.say("input.resize: %d, the input's own size", in.Resize)
	default:
		in.Resize = int(math.Round(float64(in.Height) / 0.875))
		g.say("input.resize: %d, an eighth of which is cut off (torchvision's habit)", in.Resize)
	}
}

// standardization reads the two metadata keys that QGIS Deepness defines: JSON arrays in units of full scale.
func standardization(metadata map[string]string) (mean, std []float64, ok bool) {
	read := func(key string) (v []float64) {
		if json.Unmarshal([]byte(metadata[key]), &v) != nil || len(v) != 3 {
			return nil
		}
		return v
	}
	mean, std = read("standardization_mean"), read("standardization_std")
	return mean, std, mean != nil && std != nil
}
