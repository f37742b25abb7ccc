package pipeline

import (
	"crypto/sha256"
	"encoding/binary"
)

// itemSeed returns the seed of what is random in an item: the first 8 bytes, little-endian, of the SHA-256 of the job's seed and the
// lengths and bytes of the names of stream and item. It depends on nothing else, so that a run repeats bit for bit however it is cut
// into batches, resumed or extended by other items.
func itemSeed(seed uint64, item *Item) uint64 {
	text := binary.LittleEndian.AppendUint64(make([]byte, 0, 256), seed) // which the stack holds, but for long names
	for _, name := range []string{item.Stream, item.Name} {
		text = binary.LittleEndian.AppendUint64(text, uint64(len(name)))
		text = append(text, name...)
	}
	sum := sha256.Sum256(text)
	return binary.LittleEndian.Uint64(sum[:])
}
