package backend

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/oatta/oatta/internal/frame"
	"github.com/oatta/oatta/internal/state"
)

// endings are the last requests with a key that ended their streams, oldest first: a retry must find its answer though the stream is gone. They
// are committed as the position of the store.
type endings []ending

type ending struct {
	stream uint64 // see hashOf
	keyed
}

// How many endings are kept, and the bytes of their answers.
const (
	mostEndings     = 64
	mostEndingBytes = 128 << 10
)

func hashOf(stream string) uint64 {
	sum := sha256.Sum256([]byte(stream))
	return binary.LittleEndian.Uint64(sum[:])
}

func (e *endings) add(stream string, k keyed) {
	*e = append(*e, ending{hashOf(stream), k})
	size := 0
	for i := len(*e) - 1; i >= 0; i-- {
		if size += (*e)[i].size(); size > mostEndingBytes || len(*e)-i > mostEndings {
			*e = append(endings{}, (*e)[i+1:]...)
			return
		}
	}
}

func (e endings) find(stream, key string) *keyed {
	if len(e) == 0 {
		return nil
	}
	hash := hashOf(stream)
	for i := len(e) - 1; i >= 0; i-- {
		if e[i].stream == hash && e[i].key == key {
			return &e[i].keyed
		}
	}
	return nil
}

// forget drops what is known of a stream, and tells whether there was something.
func (e *endings) forget(stream string) bool {
	hash, had := hashOf(stream), len(*e)
	*e = slices.DeleteFunc(*e, func(k ending) bool { return k.stream == hash })
	return len(*e) < had
}

func (e endings) encode() state.Position {
	out := binary.AppendUvarint([]byte{endingVersion}, uint64(len(e)))
	for _, k := range e {
		out = binary.LittleEndian.AppendUint64(out, k.stream)
		out = frame.Append(out, k.key)
		out = binary.LittleEndian.AppendUint64(out, k.digest)
		out = frame.Append(out, k.answer)
	}
	return out
}

func decodeEndings(data state.Position) (e endings, err error) {
	if len(data) == 0 {
		return nil, nil
	}
	r := frame.Reader{Data: data}
	if v := r.Take(1); r.Err == nil && v[0] != endingVersion {
		return nil, fmt.Errorf("backend: endings of version %d: want %d", v[0], endingVersion)
	}
	for range r.Number() {
		if r.Err != nil {
			break
		}
		e = append(e, ending{r.Word(), keyed{string(r.Bytes()), r.Word(), r.Bytes()}})
	}
	return e, ended(&r, "endings")
}
