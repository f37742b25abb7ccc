package backend

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/oatta/oatta/internal/frame"
	"github.com/oatta/oatta/internal/state"
)

// endings are what is known of streams that have ended, oldest first: the last requests with a key that ended them, as a retry must find its answer
// though the stream is gone, and the highest numbers of the last that had some, as what was late on its way must begin no stream. They are committed
// as the position of the store.
type endings struct {
	answers []ending
	numbers []lastNumber
}

type ending struct {
	stream uint64 // see hashOf
	keyed
}

type lastNumber struct {
	stream uint64
	number uint64
}

// How many endings are kept, the bytes of their answers, and how many numbers.
const (
	mostEndings     = 64
	mostEndingBytes = 128 << 10
	mostNumbers     = 1024
)

func hashOf(stream string) uint64 {
	sum := sha256.Sum256([]byte(stream))
	return binary.LittleEndian.Uint64(sum[:])
}

func (e *endings) add(stream string, k keyed) {
	e.answers = append(e.answers, ending{hashOf(stream), k})
	size := 0
	for i := len(e.answers) - 1; i >= 0; i-- {
		if size += e.answers[i].size(); size > mostEndingBytes || len(e.answers)-i > mostEndings {
			e.answers = slices.Clone(e.answers[i+1:])
			return
		}
	}
}

// note keeps the highest number of a stream that ends, in place of that of an earlier life.
func (e *endings) note(stream string, number uint64) {
	if number == 0 {
		return
	}
	n := lastNumber{hashOf(stream), number}
	e.numbers = slices.DeleteFunc(e.numbers, func(other lastNumber) bool { return other.stream == n.stream })
	e.numbers = append(e.numbers, n)
	e.numbers = e.numbers[max(0, len(e.numbers)-mostNumbers):]
}

// number returns the highest of an ended stream; 0 of one that had none, or ended too long ago.
func (e *endings) number(stream string) uint64 {
	if len(e.numbers) == 0 {
		return 0
	}
	hash := hashOf(stream)
	for _, n := range e.numbers {
		if n.stream == hash {
			return n.number
		}
	}
	return 0
}

func (e *endings) find(stream, key string) *keyed {
	if len(e.answers) == 0 {
		return nil
	}
	hash := hashOf(stream)
	for i := len(e.answers) - 1; i >= 0; i-- {
		if e.answers[i].stream == hash && e.answers[i].key == key {
			return &e.answers[i].keyed
		}
	}
	return nil
}

// forget drops what is known of a stream, and tells whether there was something.
func (e *endings) forget(stream string) bool {
	hash, had := hashOf(stream), len(e.answers)+len(e.numbers)
	e.answers = slices.DeleteFunc(e.answers, func(k ending) bool { return k.stream == hash })
	e.numbers = slices.DeleteFunc(e.numbers, func(n lastNumber) bool { return n.stream == hash })
	return len(e.answers)+len(e.numbers) < had
}

// encode writes, behind a version, how many answers there are, and each: 8 bytes of the hash of its stream, key, 8 bytes of digest, answer; then how
// many numbers, and each: 8 bytes of the hash, 8 of the number. Version 1 had no numbers.
func (e *endings) encode() state.Position {
	out := binary.AppendUvarint([]byte{endingVersion}, uint64(len(e.answers)))
	for _, k := range e.answers {
		out = binary.LittleEndian.AppendUint64(out, k.stream)
		out = frame.Append(out, k.key)
		out = binary.LittleEndian.AppendUint64(out, k.digest)
		out = frame.Append(out, k.answer)
	}
	out = binary.AppendUvarint(out, uint64(len(e.numbers)))
	for _, n := range e.numbers {
		out = binary.LittleEndian.AppendUint64(out, n.stream)
		out = binary.LittleEndian.AppendUint64(out, n.number)
	}
	return out
}

func decodeEndings(data state.Position) (e endings, err error) {
	if len(data) == 0 {
		return e, nil
	}
	r := frame.Reader{Data: data}
	version := r.Byte()
	if r.Err == nil && (version < 1 || version > endingVersion) {
		return e, fmt.Errorf("backend: endings of version %d: want 1 to %d", version, endingVersion)
	}
	for range r.Number() {
		if r.Err != nil {
			break
		}
		e.answers = append(e.answers, ending{r.Word(), keyed{string(r.Bytes()), r.Word(), r.Bytes()}})
	}
	if version > 1 {
		for range r.Number() {
			e.numbers = append(e.numbers, lastNumber{r.Word(), r.Word()})
		}
	}
	return e, ended(&r, "endings")
}
