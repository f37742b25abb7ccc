package jetstore

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/oatta/oatta/internal/frame"
	"github.com/oatta/oatta/internal/state"
)

// Headers of a stream's first message. Listing reads headers alone.
const (
	headerName  = "Oatta-Name"  // its name, sealed or not, in base64
	headerParts = "Oatta-Parts" // how many messages hold it; 0: it was removed
)

const frameVersion = 1

// head is the message that says of a shard:
//
//	1  version
//	.  how many streams it has
//	.  how often it was written: after each commit that has one
//	.  who holds it, for people who look
//	.  position, sealed or with a checksum
//
// Numbers are uvarints; text stands behind its length.
type head struct {
	streams  int
	writes   uint64
	member   string
	position state.Position

	revision uint64 // of the message; not in it
}

func (s *Store) encodeHead(h *head) ([]byte, error) {
	out := binary.AppendUvarint([]byte{frameVersion}, uint64(h.streams))
	out = binary.AppendUvarint(out, h.writes)
	out = frame.Append(out, h.member)
	if h.position == nil {
		return append(out, 0), nil
	}
	position, err := s.group.vault.Seal(s.positionPlace(), h.position)
	return frame.Append(append(out, 1), position), err
}

func (s *Store) positionPlace() string { return "position " + s.subject() }

func (s *Store) decodeHead(data []byte) (h head, err error) {
	r := frame.Reader{Data: data}
	version, streams, writes := r.Byte(), r.Uvarint(), r.Uvarint()
	h.streams, h.writes, h.member = int(streams), writes, string(r.Bytes())
	if version != frameVersion {
		return h, fmt.Errorf("head of version %d: want %d", version, frameVersion)
	}
	if r.Byte() == 1 {
		position, err := s.group.vault.Open(s.positionPlace(), r.Bytes())
		if err != nil {
			return h, fmt.Errorf("position: %w", err)
		}
		h.position = append(state.Position{}, position...)
	}
	return h, r.End()
}

// encodeBody is what is kept of a stream: filter and companion, each sealed or with a checksum, behind a version.
func (s *Store) encodeBody(stream string, snapshot, beside []byte) ([]byte, error) {
	filter, err := s.group.vault.Seal("state "+stream, snapshot)
	if err != nil {
		return nil, err
	}
	out := frame.Append([]byte{frameVersion}, filter)
	if len(beside) == 0 {
		return frame.Append(out, ""), nil
	}
	sealed, err := s.group.vault.Seal("beside "+stream, beside)
	return frame.Append(out, sealed), err
}

func (s *Store) decodeBody(stream string, data []byte) (snapshot, beside []byte, err error) {
	r := frame.Reader{Data: data}
	if v := r.Byte(); v != frameVersion {
		return nil, nil, fmt.Errorf("state of version %d: want %d", v, frameVersion)
	}
	filter, companion := r.Bytes(), r.Bytes()
	if err := r.End(); err != nil {
		return nil, nil, err
	}
	if snapshot, err = s.group.vault.Open("state "+stream, filter); err != nil || len(companion) == 0 {
		return snapshot, nil, err
	}
	beside, err = s.group.vault.Open("beside "+stream, companion)
	return snapshot, beside, err
}

// header is that of a stream's first message.
func (s *Store) header(stream string, parts int) (nats.Header, error) {
	name := []byte(stream)
	if s.group.vault.Sealed() {
		var err error
		if name, err = s.group.vault.Seal("name "+string(s.group.vault.ID(stream)), name); err != nil {
			return nil, err
		}
	}
	h := nats.Header{}
	h.Set(headerName, base64.RawURLEncoding.EncodeToString(name))
	h.Set(headerParts, strconv.Itoa(parts))
	return h, nil
}

// nameOf reads what header wrote, of a message of a subject, whose last word is the id.
func (s *Store) nameOf(subject string, h nats.Header) (stream string, parts int, err error) {
	if parts, err = strconv.Atoi(h.Get(headerParts)); err != nil || parts < 0 {
		return "", 0, errors.New("damaged: a message without its parts")
	}
	id := subject[strings.LastIndexByte(subject, '.')+1:]
	name, err := base64.RawURLEncoding.DecodeString(h.Get(headerName))
	if err == nil && s.group.vault.Sealed() {
		var raw []byte
		if raw, err = base64.RawURLEncoding.DecodeString(id); err == nil {
			stream, err = s.group.vault.Name(raw, name)
		}
	} else {
		stream = string(name)
	}
	if err == nil && s.id(stream) != id {
		err = errors.New("it is another's")
	}
	if err != nil {
		return "", 0, fmt.Errorf("damaged: name of a stream: %w", err)
	}
	return stream, parts, nil
}
