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
	return fmt.Sprintf("%s %s%s", p.Name, p.Type, p.ShapeString())
}

// ShapeString returns the shape as "[?,3,224,224]", where ? is any size, or "[...]" where the rank is unknown.
func (p Port) ShapeString() string {
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
		return fmt.Errorf("shape %v, want %s", t.Shape, p.ShapeString())
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
