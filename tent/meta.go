package tent

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/oatta/oatta/models/optim"
)

// Metadata entries of a file, which anyone may read who has ONNX Runtime: what the graph is, how it is used, and the parameters of the
// source network, which a stream begins with.
const (
	metaGraph  = "oatta.graph"       // "tent"
	metaTent   = "oatta.tent"        // JSON, see description
	metaSource = "oatta.tent.source" // base64 of P little-endian float32
)

// description is the metadata entry oatta.tent.
type description struct {
	Version    int         `json:"version"`
	Classes    int         `json:"classes"`
	Kind       string      `json:"kind"` // of the prediction
	Lanes      int         `json:"lanes"`
	OneLane    string      `json:"one_lane,omitempty"` // why there is one, though any number was asked for
	Steps      int         `json:"steps"`
	Predict    string      `json:"predict"` // before or after the last step
	Batch      float64     `json:"batch_statistics"`
	Together   bool        `json:"together,omitempty"`
	Rate       float64     `json:"rate"`
	Optimizer  optimizer   `json:"optimizer"`
	Reset      resetPolicy `json:"reset"`
	Ports      ports       `json:"ports"`
	Parameters []parameter `json:"parameters"`
}

type optimizer struct {
	Method   string  `json:"method"`
	Momentum float64 `json:"momentum,omitempty"`
	Nesterov bool    `json:"nesterov,omitempty"`
	Beta1    float64 `json:"beta1,omitempty"`
	Beta2    float64 `json:"beta2,omitempty"`
	Epsilon  float64 `json:"epsilon,omitempty"`
	Decay    float64 `json:"decay,omitempty"`
}

type resetPolicy struct {
	When  string  `json:"when"`
	Items int     `json:"items,omitempty"`
	Keep  float64 `json:"keep,omitempty"`
	Below float64 `json:"below,omitempty"`
}

// parameter says where a scale or bias lies in a row of theta.
type parameter struct {
	Name   string  `json:"name"`
	Shape  []int64 `json:"shape"`
	Offset int     `json:"offset"`
}

func describeReset(r Reset) resetPolicy {
	out := resetPolicy{When: r.When.String()}
	switch r.When {
	case Every:
		out.Items = r.Items
	case Collapse:
		out.Keep, out.Below = r.Keep, r.Below
	}
	return out
}

func (p resetPolicy) parse() (Reset, error) {
	when, err := ParseWhen(p.When)
	r := Reset{When: when, Items: p.Items, Keep: p.Keep, Below: p.Below}
	if err != nil {
		return r, err
	}
	return r.filled(), r.Validate()
}

func describeOptimizer(s optim.Settings) optimizer {
	return optimizer{s.Method.String(), s.Momentum, s.Nesterov, s.Beta1, s.Beta2, s.Epsilon, s.Decay}
}

// finish writes the metadata and puts the graph into order.
func (b *builder) finish() error {
	if err := b.g.Infer(); err != nil {
		return err
	}
	b.g.Fold()
	if err := narrow(b.g); err != nil {
		return err
	}
	classes := b.g.TypeOf(b.g.Lookup(b.ports.Prediction)).Shape[1]
	d := description{
		Version: 1, Classes: int(classes.Size), Kind: b.s.Kind, OneLane: b.why, Steps: b.s.Steps, Predict: "after",
		Batch: b.s.Batch, Together: b.s.Together, Rate: b.s.Rate, Optimizer: describeOptimizer(b.s.Optimizer), Reset: describeReset(b.s.Reset), Ports: b.ports,
	}
	if b.s.Before {
		d.Predict = "before"
	}
	if !b.lanes {
		d.Lanes = 1
	}
	for i, name := range b.flat.Names {
		d.Parameters = append(d.Parameters, parameter{name, b.flat.Shapes[i], b.flat.Offsets[i]})
	}
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	b.g.Name += "_tent"
	b.m.SetMeta(metaGraph, "tent")
	b.m.SetMeta(metaTent, string(text))
	b.m.SetMeta(metaSource, encodeFloats(b.flat.Initial))
	b.m.Doc = b.describe()
	return b.m.Check()
}

func encodeFloats(values []float32) string {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func decodeFloats(text string) ([]float32, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	if len(raw)%4 != 0 || len(raw) == 0 {
		return nil, fmt.Errorf("%d bytes are no float32 numbers", len(raw))
	}
	out := make([]float32, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		if !finite(out[i]) {
			return nil, fmt.Errorf("number %d is %v", i, out[i])
		}
	}
	return out, nil
}

func finite(v float32) bool { return v-v == 0 }

// readDescription reads and checks what a file says about itself. It is from outside: nothing in it is believed before it is checked.
func readDescription(custom map[string]string) (description, []float32, Reset, error) {
	var d description
	if got := custom[metaGraph]; got != "tent" {
		return d, nil, Reset{}, fmt.Errorf("metadata entry %s is %q, want tent: build the graph with oatta models export --graph tent", metaGraph, got)
	}
	if err := json.NewDecoder(strings.NewReader(custom[metaTent])).Decode(&d); err != nil {
		return d, nil, Reset{}, fmt.Errorf("metadata entry %s: %w", metaTent, err)
	}
	if d.Version != 1 {
		return d, nil, Reset{}, fmt.Errorf("metadata entry %s: version %d, this program knows 1", metaTent, d.Version)
	}
	source, err := decodeFloats(custom[metaSource])
	if err != nil {
		return d, nil, Reset{}, fmt.Errorf("metadata entry %s: %w", metaSource, err)
	}
	reset, err := d.Reset.parse()
	if err != nil {
		return d, nil, reset, fmt.Errorf("metadata entry %s: %w", metaTent, err)
	}
	switch {
	case len(d.Ports.Data) == 0 || len(d.Ports.Slots) != len(d.Ports.NextSlots) || (d.Ports.Step == "") != (d.Ports.NextStep == ""):
		err = fmt.Errorf("ports %+v do not go together", d.Ports)
	case d.Classes < 2:
		err = fmt.Errorf("%d classes", d.Classes)
	case !(d.Rate > 0 && d.Rate <= maxRate):
		err = fmt.Errorf("rate %v", d.Rate)
	}
	if err != nil {
		return d, nil, reset, fmt.Errorf("metadata entry %s: %w", metaTent, err)
	}
	return d, source, reset, nil
}
