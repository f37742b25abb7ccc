//go:build noengine && !cgo

package ort

import (
	"errors"
	"testing"
)

func TestNoEngine(t *testing.T) {
	if _, err := openLibrary("libonnxruntime.so"); !errors.Is(err, ErrNoEngine) {
		t.Error(err)
	}
}
