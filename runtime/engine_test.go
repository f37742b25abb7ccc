package runtime

import (
	"strings"
	"testing"
)

func TestConfigValidate(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		err    string
	}{
		"zero value":   {Config{}, ""},
		"all set":      {Config{Device: DeviceAuto, DeviceID: 3, IntraThreads: 8, InterThreads: 2, Optimization: OptimizeNone}, ""},
		"most threads": {Config{IntraThreads: 1 << 16}, ""},
		"device":       {Config{Device: "tpu"}, `device "tpu": want cpu, cuda or auto`},
		"optimization": {Config{Optimization: "O3"}, `optimization "O3"`},
		"device id":    {Config{DeviceID: -1}, "device id -1: want 0 to 65536"},
		"intra":        {Config{IntraThreads: 1<<16 + 1}, "intra threads 65537"},
		"inter":        {Config{InterThreads: -2}, "inter threads -2"},
	} {
		err := c.config.Validate()
		if (c.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", name, err, c.err)
		}
	}
}
