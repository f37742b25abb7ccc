package models

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/onnx/onnxpb"
	"github.com/oatta/oatta/runtime"
)

// Exporters of classical machine learning give a network an output beside the classes' that no engine of package runtime hands out: the
// label as a word, or a list of maps. Nobody reads it: it is taken from the outputs, so that the rest can be used.

// unread names the outputs that cannot be read and that nobody wants.
func (m *Model) unread() (names []string) {
	if m.Made() != "" {
		return nil
	}
	for _, v := range m.Graph.Outputs {
		if v.Name != m.Manifest.Output.Name && dtype(v.Type) == runtime.Invalid {
			names = append(names, v.Name)
		}
	}
	if len(names) == len(m.Graph.Outputs) { // of another network: the manifest's output is missing, which is told
		return nil
	}
	return names
}

// rework is what sessions take otherwise than the file has it.
type rework struct {
	drop []string // outputs that are left out
	both bool     // the second of two classes is given the first, see withBoth
}

// none tells that the file is taken as it is.
func (r rework) none() bool { return len(r.drop) == 0 && !r.both }

// apply changes the bytes of a file.
func (r rework) apply(data []byte, out Output) (_ []byte, err error) {
	if len(r.drop) > 0 {
		if data, err = withoutOutputs(data, r.drop); err != nil {
			return nil, err
		}
	}
	if r.both {
		if data, err = withBoth(data, out); err != nil {
			return nil, fmt.Errorf("output %q, for two classes: %w", out.Name, err)
		}
	}
	return data, nil
}

// makeUsable takes outputs away that cannot be read, and gives a network of one output the other one, if its manifest has two classes.
func (m *Model) makeUsable() error {
	r := rework{drop: m.unread()}
	if _, one := oneOutput(m.Graph, m.Manifest.Output.Name); one && len(m.Manifest.Labels) == 2 {
		r.both = true
	}
	if r.none() {
		return nil
	}
	data, err := r.apply(m.data, m.Manifest.Output)
	if err != nil {
		return err
	}
	external := m.Graph.External
	if err := m.inspect(data); err != nil {
		return err
	}
	m.Graph.External, m.rework = external, r
	return nil
}

// withoutOutputs returns the file of a network without some of its outputs.
func withoutOutputs(data []byte, names []string) ([]byte, error) {
	p, err := onnx.Decode(data)
	if err != nil {
		return nil, err
	}
	g := p.GetGraph()
	g.Output = slices.DeleteFunc(g.GetOutput(), func(v *onnxpb.ValueInfoProto) bool { return slices.Contains(names, v.GetName()) })
	return onnx.Encode(p)
}
