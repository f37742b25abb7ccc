package tent_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"

	"github.com/oatta/oatta/models/onnx"
)

// file is what a program in any language reads from the metadata.
type file struct {
	Classes int
	Kind    string
	Lanes   int
	OneLane string `json:"one_lane"`
	Ports   struct {
		Data              []string
		Theta, Rate, Step string
		Slots             []string
		Prediction        string
		Before, Entropy   string
		NextTheta         string   `json:"next_theta"`
		NextStep          string   `json:"next_step"`
		NextSlots         []string `json:"next_slots"`
	}
	Parameters []struct {
		Name   string
		Shape  []int64
		Offset int
	}
	source []float32
}

func fileOf(t *testing.T, m *onnx.Model) file {
	t.Helper()
	var f file
	if err := json.Unmarshal([]byte(m.Meta("oatta.tent")), &f); err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(m.Meta("oatta.tent.source"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(raw); i += 4 {
		f.source = append(f.source, math.Float32frombits(binary.LittleEndian.Uint32(raw[i:])))
	}
	return f
}

// zeros returns the metadata entry of a source whose parameters are all 0.
func zeros(n int) string { return base64.StdEncoding.EncodeToString(make([]byte, 4*n)) }
