package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
)

// Match finds the manifest's input and output among the ports of a network and checks that they agree: names, types, ranks, sizes
// and the number of classes. It returns their indexes, which are the places of their tensors in [runtime.Session.Run].
func (m Manifest) Match(inputs, outputs []runtime.Port) (in, out int, err error) {
	if in, out, err = m.match(inputs, outputs); err != nil {
		return 0, 0, fmt.Errorf("models: %w", err)
	}
	return in, out, nil
}

func (m Manifest) match(inputs, outputs []runtime.Port) (in, out int, err error) {
	names := m.inputNames()
	in, err = findPort("input", names[0], inputs)
	if err != nil {
		return 0, 0, err
	}
	for _, name := range names[1:] {
		i, err := findPort("input", name, inputs)
		if err == nil {
			err = matchTokens(inputs[i])
		}
		if err != nil {
			return 0, 0, err
		}
	}
	if len(inputs) != len(names) {
		return 0, 0, fmt.Errorf("the model has %d inputs (%s), the manifest fills %s alone", len(inputs), portNames(inputs), strings.Join(names, ", "))
	}
	if out, err = findPort("output", m.Output.Name, outputs); err != nil {
		return 0, 0, err
	}
	if err = m.matchInput(inputs[in]); err != nil {
		return 0, 0, err
	}
	return in, out, m.matchOutput(outputs[out])
}

func findPort(kind, name string, ports []runtime.Port) (int, error) {
	for i, p := range ports {
		if p.Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("the manifest's %s is %q, the model's are %s", kind, clip(name), portNames(ports))
}

func portNames(ports []runtime.Port) string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = fmt.Sprintf("%q", p.Name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// inputNames returns the graph's inputs that the manifest fills, the first of them that of the data.
func (m Manifest) inputNames() []string {
	switch {
	case m.Signal != nil:
		return []string{m.Signal.Name}
	case m.Text != nil:
		return slices.DeleteFunc([]string{m.Text.IDs, m.Text.Mask, m.Text.Types}, func(name string) bool { return name == "" })
	}
	return []string{m.Input.Name}
}

func (m Manifest) matchInput(p runtime.Port) error {
	switch {
	case m.Signal != nil:
		return m.Signal.match(p)
	case m.Text != nil:
		return matchTokens(p)
	}
	return m.matchPicture(p)
}

// match checks the input of a network for signals, [N, channels, samples] or [N, features].
func (s Signal) match(p runtime.Port) error {
	if p.Type != runtime.Float32 && p.Type != runtime.Float16 {
		return fmt.Errorf("input %s: want float32 or float16", p)
	}
	if p.Shape == nil || fits(p.Shape, append([]int64{runtime.Dynamic}, s.Shape()...)) {
		return nil
	}
	if s.Features != "" {
		return fmt.Errorf("the model's input is %s, the manifest's %s of %s has %d features", p, s.Features, strings.Join(s.Roles, ", "), s.Shape()[0])
	}
	return fmt.Errorf("the model's input is %s, the manifest's has %d channels of %d samples", p, len(s.Channels), s.Samples)
}

// matchTokens checks an input of a network for texts, [N, length].
func matchTokens(p runtime.Port) error {
	if p.Type != runtime.Int64 || p.Shape != nil && len(p.Shape) != 2 {
		return fmt.Errorf("input %s: want int64 [N, length]", p)
	}
	return nil
}

// fits tells whether a declared shape allows a wanted one.
func fits(shape, want []int64) bool {
	return slices.EqualFunc(shape, want, func(d, w int64) bool { return d == w || d == runtime.Dynamic || w == runtime.Dynamic })
}

func (m Manifest) matchPicture(p runtime.Port) error {
	m = m.withDefaults()
	if p.Type != runtime.Float32 && p.Type != runtime.Float16 {
		return fmt.Errorf("input %s: want float32 or float16", p)
	}
	want := []int64{runtime.Dynamic, 3, int64(m.Input.Height), int64(m.Input.Width)}
	if m.Input.Layout == NHWC {
		want = []int64{runtime.Dynamic, int64(m.Input.Height), int64(m.Input.Width), 3}
	}
	if p.Shape == nil { // the file does not tell
		return nil
	}
	if len(p.Shape) != len(want) {
		return fmt.Errorf("the model's input is %s, the manifest's %s needs four sizes", p, m.Input.Layout)
	}
	if !fits(p.Shape, want) {
		return fmt.Errorf("the model's input is %s, the manifest's is %s of %d x %d pixels", p, m.Input.Layout, m.Input.Height, m.Input.Width)
	}
	return nil
}

func (m Manifest) matchOutput(p runtime.Port) error {
	if p.Type != runtime.Float32 && p.Type != runtime.Float16 {
		return fmt.Errorf("output %s: want float32 or float16", p)
	}
	if p.Shape == nil {
		return nil
	}
	if isOne(p.Shape) && len(m.Labels) != 2 {
		return fmt.Errorf("the model's output is %s, one number, which can be of two classes; the manifest has %d labels", p, len(m.Labels))
	}
	classes, err := classCount(p.Shape)
	if err != nil {
		return fmt.Errorf("output %s: %w", p, err)
	}
	if classes != 0 && classes != len(m.Labels) {
		return fmt.Errorf("the model's output is %s, %d classes; the manifest has %d labels", p, classes, len(m.Labels))
	}
	return nil
}

// graphPorts describes the inputs or outputs that a graph declares as a session would. A type that runtime does not know is Invalid.
func graphPorts(values []onnx.Value) []runtime.Port {
	ports := make([]runtime.Port, len(values))
	for i, v := range values {
		ports[i] = runtime.Port{Name: v.Name, Type: dtype(v.Type)}
		if v.Dims != nil {
			ports[i].Shape = make([]int64, len(v.Dims))
		}
		for j, d := range v.Dims {
			if ports[i].Shape[j] = d.Size; d.Size < 0 {
				ports[i].Shape[j] = runtime.Dynamic
			}
		}
	}
	return ports
}

func dtype(name string) runtime.DType {
	for t := runtime.Float32; t <= runtime.Bool; t++ {
		if t.String() == name {
			return t
		}
	}
	return runtime.Invalid
}
