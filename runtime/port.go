package runtime

import (
	"fmt"
	"strconv"
	"strings"
)

// Dynamic is the size of a [Port] dimension that each call may choose.
const Dynamic = -1

// Port describes one input or output of a session. Sizes in Shape are at least 0, or [Dynamic]. An empty Shape is a scalar;
// a nil Shape says that the model's file does not tell even the rank, and any shape fits.
type Port struct {
	Name  string
	Type  DType
	Shape []int64
}

// String returns name, type and shape as "input float32[?,3,224,224]".
func (p Port) String() string {
	return fmt.Sprintf("%s %s%s", p.Name, p.Type, p.shapeString())
}

// shapeString returns the shape as "[?,3,224,224]", where ? is any size, or "[...]" where the rank is unknown.
func (p Port) shapeString() string {
	if p.Shape == nil {
		return "[...]"
	}
	dims := make([]string, len(p.Shape))
	for i, d := range p.Shape {
		if dims[i] = "?"; d >= 0 {
			dims[i] = strconv.FormatInt(d, 10)
		}
	}
	return "[" + strings.Join(dims, ",") + "]"
}

// Check reports a tensor that the port cannot take or fill: of another element type, of a shape that does not fit, or with
// data that does not fill its own shape. The caller adds which input or output it was. A tensor that fits costs no
// allocation, so that every run can afford the check.
func (p Port) Check(t Tensor) error {
	if got := t.Type(); got != p.Type {
		if got == Invalid {
			return fmt.Errorf("data is %T, want %s", t.Data, p.Type)
		}
		return fmt.Errorf("type %s, want %s", got, p.Type)
	}
	if !p.fits(t.Shape) {
		return fmt.Errorf("shape %v, want %s", t.Shape, p.shapeString())
	}
	return t.Check()
}

// fits tells whether every size of shape is the port's, or free there.
func (p Port) fits(shape []int64) bool {
	if p.Shape == nil {
		return true
	}
	if len(shape) != len(p.Shape) {
		return false
	}
	for i, d := range shape {
		if want := p.Shape[i]; want >= 0 && d != want {
			return false
		}
	}
	return true
}

// CheckInputs reports sources that a session with these inputs cannot take: too many or few of them, or one that its port
// refuses, by name: `input "x": shape [1 3 32 32], want [?,3,224,224]`. Engines call it before they run, and add their own
// name.
func CheckInputs(ports []Port, src []Tensor) error { return checkAll("input", ports, src, false) }

// CheckOutputs reports destinations that a session with these outputs cannot fill. One whose Data is nil is to be allocated,
// and always fits.
func CheckOutputs(ports []Port, dst []Tensor) error { return checkAll("output", ports, dst, true) }

func checkAll(kind string, ports []Port, tensors []Tensor, nilFits bool) error {
	if len(tensors) != len(ports) {
		names := make([]string, len(ports))
		for i, p := range ports {
			names[i] = p.String()
		}
		return fmt.Errorf("%d %ss, want %d: %s", len(tensors), kind, len(ports), strings.Join(names, ", "))
	}
	for i, t := range tensors {
		if t.Data == nil && nilFits {
			continue
		}
		if err := ports[i].Check(t); err != nil {
			return fmt.Errorf("%s %q: %w", kind, ports[i].Name, err)
		}
	}
	return nil
}
