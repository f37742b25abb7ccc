package ort

import (
	"fmt"
	"strings"

	"github.com/oatta/oatta/runtime"
)

// runError puts a name to what ONNX Runtime says about a failed run. Its text has the node and the shapes already. Where a
// destination has the wrong one of a size that each call chooses, the text names a node but no port; we know which it was.
func runError(text string, ports []runtime.Port, dst []runtime.Tensor) error {
	text = strings.TrimSpace(text)
	if i, ok := blamed(text, dst); ok {
		return fmt.Errorf("runtime/ort: run: output %q: the destination's shape %v does not fit: %s", ports[i].Name, dst[i].Shape, text)
	}
	return fmt.Errorf("runtime/ort: run: %s", text)
}

// blamed finds the one destination whose shape a message "... Current shape:{2,3} Requested shape:{1,3}" complains about.
func blamed(text string, dst []runtime.Tensor) (int, bool) {
	found := -1
	for i, t := range dst {
		if t.Data == nil || !strings.Contains(text, "Current shape:"+bracedShape(t.Shape)) {
			continue
		}
		if found >= 0 {
			return 0, false
		}
		found = i
	}
	return found, found >= 0
}

// bracedShape writes a shape as ONNX Runtime does: {1,3}.
func bracedShape(shape []int64) string {
	return "{" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ","), "[]") + "}"
}
