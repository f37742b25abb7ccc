package forms

import (
	"cmp"
	"os"
	goruntime "runtime"
	"strings"
)

// Machine names what times depend on beside the case: the processor, and the version of ONNX Runtime.
func Machine(version string) string {
	text, _ := os.ReadFile("/proc/cpuinfo") // Linux alone has it
	name := cmp.Or(processor(string(text)), os.Getenv("PROCESSOR_IDENTIFIER"), "processor")
	return goruntime.GOOS + "/" + goruntime.GOARCH + ", " + name + ", ONNX Runtime " + version
}

// processor reads what tells processors apart, of the first one.
func processor(cpuinfo string) string {
	var out []string
	for line := range strings.Lines(cpuinfo) {
		name, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "vendor_id", "cpu family", "model", "model name", "stepping", "CPU implementer", "CPU part", "CPU variant":
			out = append(out, strings.TrimSpace(value))
		case "processor":
			if len(out) > 0 { // the next one
				return strings.Join(out, " ")
			}
		}
	}
	return strings.Join(out, " ")
}
