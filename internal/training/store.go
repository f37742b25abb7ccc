package training

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/oatta/oatta/runtime"
)

// Store holds the inputs of items, and makes the network's inputs of them. It is safe for concurrent use once it is filled.
type Store interface {
	// Batch makes the inputs of items, one row an item, in the order of the network's inputs. With a seed, an item is shown changed, as the
	// seed has it; nil shows all as they are.
	Batch(items []int, seed func(item int) uint64) ([]runtime.Tensor, error)
	// Changes reports whether a seed changes anything.
	Changes() bool
	// Digest writes what decides the input of an item: equal bytes mean equal inputs.
	Digest(w io.Writer, item int)
}

// writeFloats writes numbers as bytes.
func writeFloats(w io.Writer, values []float32) {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	_, _ = w.Write(raw) // hashes do not fail
}

// finite tells whether all numbers are.
func finite(values []float32) bool {
	for _, v := range values {
		if v-v != 0 {
			return false
		}
	}
	return true
}
