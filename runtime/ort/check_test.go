package ort

import (
	"strings"
	"testing"

	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/runtimetest"
)

func TestRunErrorNamesTheDestination(t *testing.T) {
	const text = "Non-zero status code returned while running Add node. Name:'n' Status Message: OrtValue shape verification failed. " +
		"Current shape:{2,3} Requested shape:{1,3}"
	ports := []runtime.Port{{Name: "mask"}, {Name: "logits"}, {Name: "loss"}}
	two, three := runtime.NewTensor[float32](2, 3), runtime.NewTensor[float32](3, 3)
	for want, dst := range map[string][]runtime.Tensor{
		`output "logits"`:           {three, two, {Shape: []int64{2, 3}}},
		"runtime/ort: run: Non-zer": {two, two, three}, // it could be either
		"ort: run: Non-zero":        {three, three, three},
	} {
		if err := runError(text+"\n", ports, dst); !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), text) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestBracedShape(t *testing.T) {
	for want, shape := range map[string][]int64{"{}": {}, "{1}": {1}, "{1,3,224,224}": {1, 3, 224, 224}} {
		if got := bracedShape(shape); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestDeviceReasonOfAnotherEngine(t *testing.T) {
	if got := DeviceReason(runtimetest.Model{}.Open()); got != "" {
		t.Errorf("reason %q of a fake", got)
	}
}
