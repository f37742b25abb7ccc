package vault

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/oatta/oatta/adapt"
)

// Vault turns names into ids and values into what is stored: the identity without a key. With one, an id is a keyed hash of the
// name, for names of cameras and people are data too.
type Vault struct {
	key   []byte
	idKey []byte
}

// New makes a vault; without a key it seals nothing.
func New(key []byte) (Vault, error) {
	if key == nil {
		return Vault{}, nil
	}
	if len(key) != adapt.KeySize {
		return Vault{}, fmt.Errorf("key of %d bytes: want %d", len(key), adapt.KeySize)
	}
	idKey, err := hkdf.Key(sha256.New, key, nil, "oatta stream ids v1", sha256.Size)
	return Vault{key, idKey}, err
}

// ID returns the key under which a stream is stored. In the clear it begins with a byte, as bbolt has no empty keys.
func (v Vault) ID(stream string) []byte {
	if v.key == nil {
		return append([]byte{'='}, stream...)
	}
	h := hmac.New(sha256.New, v.idKey)
	h.Write([]byte(stream))
	return h.Sum(nil)
}

// Seal and Open bind a value to its place: "position", or "state ", "name " or "beside " and whose. In the clear that is a CRC-32C of both at its
// end, but for states: a snapshot has one.
func (v Vault) Seal(place string, value []byte) ([]byte, error) {
	switch {
	case v.key != nil:
		return adapt.Seal(v.key, place, value)
	case strings.HasPrefix(place, "state "):
		return value, nil
	}
	return binary.LittleEndian.AppendUint32(slices.Clip(value), checksum(place, value)), nil
}

func checksum(place string, value []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(place+"\x00"), castagnoli), castagnoli, value)
}

// Open returns a copy: what bbolt hands out ends with its transaction.
func (v Vault) Open(place string, stored []byte) ([]byte, error) {
	switch {
	case v.key != nil:
		return adapt.Open(v.key, place, stored)
	case strings.HasPrefix(place, "state "):
		return bytes.Clone(stored), nil
	}
	end := len(stored) - 4
	if end < 0 || binary.LittleEndian.Uint32(stored[end:]) != checksum(place, stored[:end]) {
		return nil, errors.New("damaged: it does not fit its checksum")
	}
	return bytes.Clone(stored[:end]), nil
}

// Name returns the name of the stream of an id.
func (v Vault) Name(id, stored []byte) (string, error) {
	if v.key == nil {
		if len(id) == 0 || id[0] != '=' {
			return "", fmt.Errorf("damaged: a stream with the id %q", id)
		}
		return string(id[1:]), nil
	}
	name, err := v.Open("name "+string(id), stored)
	if err != nil {
		return "", fmt.Errorf("name of a stream: %w", err)
	}
	return string(name), nil
}

// castagnoli is the polynomial of the checksums.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var markText = []byte("oatta states")

// Mark returns what tells a later Admit that the key is the same: nil without one.
func (v Vault) Mark() ([]byte, error) {
	if v.key == nil {
		return nil, nil
	}
	return v.Seal("mark", markText)
}

// Admit refuses a key that is missing, superfluous or wrong.
func (v Vault) Admit(mark []byte) error {
	switch {
	case mark == nil && v.key == nil:
		return nil
	case mark == nil:
		return errors.New("it is not sealed, but a key was given")
	case v.key == nil:
		return errors.New("it is sealed: a key is needed")
	}
	if text, err := v.Open("mark", mark); err != nil || !bytes.Equal(text, markText) {
		return errors.New("it is sealed with another key, or damaged")
	}
	return nil
}

// Sealed tells whether there is a key.
func (v Vault) Sealed() bool { return v.key != nil }
