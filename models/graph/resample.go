package graph

import (
	"fmt"
	"math"
)

// Resampling is what a Resize does along one axis.
type Resampling struct {
	In, Out int64
	Scale   float64
	// Length is that of the output for align_corners: Out, as engines have it, or In times Scale, which may lie between whole numbers, as
	// ONNX has it.
	Length float64
}

// Origin returns where among the inputs, in their own units, place p of the output lies. It may be beyond the first or last of them.
func (r Resampling) Origin(n *Node, p int64) (float64, error) {
	at, in := float64(p), float64(r.In)
	switch mode := n.Str("coordinate_transformation_mode", "half_pixel"); mode {
	case "half_pixel":
		return (at+0.5)/r.Scale - 0.5, nil
	case "half_pixel_symmetric":
		return in/2*(1-float64(r.Out)/(in*r.Scale)) + (at+0.5)/r.Scale - 0.5, nil
	case "pytorch_half_pixel":
		if r.Out > 1 {
			return (at+0.5)/r.Scale - 0.5, nil
		}
		return 0, nil
	case "align_corners":
		if r.Length == 1 || r.Out <= 1 {
			return 0, nil
		}
		return at * (in - 1) / (r.Length - 1), nil
	case "asymmetric":
		return at / r.Scale, nil
	default: // tf_crop_and_resize cuts a region that is found at run time
		return 0, fmt.Errorf("no rule for coordinate_transformation_mode %q", mode)
	}
}

// Nearest returns the input that the mode nearest takes for an origin. It may be beyond the first or last.
func (r Resampling) Nearest(n *Node, origin float64) (int64, error) {
	switch mode := n.Str("nearest_mode", "round_prefer_floor"); mode {
	case "round_prefer_floor":
		return int64(math.Ceil(origin - 0.5)), nil
	case "round_prefer_ceil":
		return int64(math.Floor(origin + 0.5)), nil
	case "floor":
		return int64(math.Floor(origin)), nil
	case "ceil":
		return int64(math.Ceil(origin)), nil
	default:
		return 0, fmt.Errorf("attribute nearest_mode: %q", mode)
	}
}
