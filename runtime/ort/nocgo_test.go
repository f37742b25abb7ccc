//go:build !cgo

package ort

import (
	"errors"
	"strings"
	"testing"

	"github.com/oatta/oatta/runtime"
)

func TestWithoutCgo(t *testing.T) {
	e, err := Load("libonnxruntime.so")
	if e != nil || err == nil || !strings.Contains(err.Error(), "built without cgo: ONNX Runtime can't be loaded") {
		t.Errorf("Load: %v, %v", e, err)
	}
	if _, err := (&Engine{}).Open(nil, runtime.Config{}); !errors.Is(err, errNoCgo) {
		t.Errorf("Open: %v", err)
	}
	if _, err := (&Engine{}).OpenFile("", runtime.Config{}); !errors.Is(err, errNoCgo) {
		t.Errorf("OpenFile: %v", err)
	}
}
