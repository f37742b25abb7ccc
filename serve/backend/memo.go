package backend

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/oatta/oatta/internal/frame"
	"github.com/oatta/oatta/internal/state"
)

// memo is what is kept beside the filter of a stream, in little-endian bytes:
//
//	1  version, 3; 2 had no number, and 1 no keys before those either
//	8  when its last item came, in nanoseconds since 1970
//	.  its clock, as timeline marshals it
//	.  number of keyed requests, oldest first, and each: key, 8 bytes of digest, answer
//	.  number of keys before those, oldest first, and 8 bytes of the hash of each
//	.  highest number of a request; 0: none had one
//
// Lengths and numbers are uvarints; what has no fixed size stands behind its length.
type memo struct {
	last  time.Time
	clock []byte // empty: at its start
	known []keyed
	past  []uint64 // hashes of keys whose answers are no longer kept
	// number is the highest of the requests that have one.
	number uint64
}

// mostPast is how many keys are known after their answers have gone: a request that was on its way for long, while its sender asked again and went
// on, is refused then, and no second step.
const mostPast = 512

// keyed is a request that has its answer.
type keyed struct {
	key    string
	digest uint64 // of what was asked
	answer []byte // see answer.go
}

const (
	memoVersion   = 3
	endingVersion = 2
)

// mostAnswers bounds the bytes of all answers of a stream: with a clock of the greatest size, they are within a companion.
const mostAnswers = state.MaxCompanion - 16<<10

func (m *memo) encode() []byte {
	out := binary.LittleEndian.AppendUint64([]byte{memoVersion}, uint64(m.last.UnixNano()))
	out = frame.Append(out, m.clock)
	out = binary.AppendUvarint(out, uint64(len(m.known)))
	for _, k := range m.known {
		out = frame.Append(out, k.key)
		out = binary.LittleEndian.AppendUint64(out, k.digest)
		out = frame.Append(out, k.answer)
	}
	out = binary.AppendUvarint(out, uint64(len(m.past)))
	for _, hash := range m.past {
		out = binary.LittleEndian.AppendUint64(out, hash)
	}
	return binary.AppendUvarint(out, m.number)
}

// decodeMemo reads what encode wrote; nothing is the memo of a new stream. Its slices are those of data.
func decodeMemo(data []byte) (m memo, err error) {
	if data == nil {
		return m, nil
	}
	r := frame.Reader{Data: data}
	version := r.Byte()
	if r.Err == nil && (version < 1 || version > memoVersion) {
		return m, fmt.Errorf("backend: memo of version %d: want 1 to %d", version, memoVersion)
	}
	m.last = time.Unix(0, int64(r.Word()))
	m.clock = r.Bytes()
	n := r.Number()
	for range n {
		if r.Err != nil {
			break
		}
		m.known = append(m.known, keyed{string(r.Bytes()), r.Word(), r.Bytes()})
	}
	if version > 1 {
		for range r.Number() {
			m.past = append(m.past, r.Word())
		}
	}
	if version > 2 {
		m.number = r.Uvarint()
	}
	return m, ended(&r, "memo")
}

// find returns the request of a key.
func (m *memo) find(key string) *keyed {
	for i := range m.known {
		if m.known[i].key == key {
			return &m.known[i]
		}
	}
	return nil
}

// add makes a request known, and forgets the oldest beyond so many, or beyond what there is room for.
func (m *memo) add(k keyed, most int) {
	m.known = append(m.known, k)
	size := 0
	for i := len(m.known) - 1; i >= 0; i-- {
		if size += m.known[i].size(); size > mostAnswers || len(m.known)-i > most {
			for _, k := range m.known[:i+1] {
				m.past = append(m.past, hashOf(k.key))
			}
			m.past = m.past[max(0, len(m.past)-mostPast):]
			m.known = slices.Clone(m.known[i+1:])
			return
		}
	}
}

func (k *keyed) size() int { return len(k.key) + len(k.answer) + 32 }

// ended tells whether all of something was read, and no more.
func ended(r *frame.Reader, what string) error {
	if err := r.End(); err != nil {
		return fmt.Errorf("backend: %s: %w", what, err)
	}
	return nil
}
