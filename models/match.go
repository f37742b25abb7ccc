package models

import (
	"fmt"
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
	in, err = findPort("input", m.Input.Name, inputs)
	if err != nil {
		return 0, 0, err
	}
	if len(inputs) != 1 {
		return 0, 0, fmt.Errorf("the model has %d inputs (%s), the manifest fills %s alone", len(inputs), portNames(inputs), m.Input.Name)
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

func (m Manifest) matchInput(p runtime.Port) error {
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
	for i, d := range p.Shape {
		if d != runtime.Dynamic && want[i] != runtime.Dynamic && d != want[i] {
			return fmt.Errorf("the model's input is %s, the manifest's is %s of %d x %d pixels", p, m.Input.Layout, m.Input.Height, m.Input.Width)
		}
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
