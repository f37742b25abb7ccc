package inputs

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/oatta/oatta/models"
)

// tables returns the rows of a network's tables of pieces and of places, found by the names that they have in PyTorch; 0 for one that
// has another. The file, which may have gigabytes, is passed over and not held.
func tables(m *models.Model) (words, places int, err error) {
	if m.Path == "" {
		return 0, 0, nil // no model for texts is embedded
	}
	f, err := os.Open(m.Path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	file := message{bufio.NewReader(f), info.Size()}
	err = file.each(func(field uint64, size int64) error {
		if field != graphOfModel {
			return file.skip(size)
		}
		return file.within(size, func(graph *message) error {
			return graph.tensors(func(name string, dims []uint64) {
				switch {
				case len(dims) != 2 || dims[0] > math.MaxInt32:
				case strings.HasSuffix(name, "word_embeddings.weight"):
					words = int(dims[0])
				case strings.HasSuffix(name, "position_embeddings.weight"):
					places = int(dims[0])
				}
			})
		})
	}, nil)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", m.Path, err)
	}
	return words, places, nil
}

// Numbers of fields in onnx.proto.
const (
	graphOfModel       = 7
	initializerOfGraph = 5
	dimsOfTensor       = 1
	nameOfTensor       = 8
)

// message reads a message of protocol buffers field by field.
type message struct {
	r    *bufio.Reader
	left int64 // bytes of it
}

var errProto = errors.New("not an ONNX file: a field is longer than what it is in")

// ReadByte implements [io.ByteReader].
func (m *message) ReadByte() (byte, error) {
	if m.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	m.left--
	return m.r.ReadByte()
}

func (m *message) skip(n int64) error {
	m.left -= n
	for n > 0 {
		k, err := m.r.Discard(int(min(n, 1<<30)))
		if err != nil {
			return err
		}
		n -= int64(k)
	}
	return nil
}

// within reads a field of size bytes as a message, and what read leaves of it.
func (m *message) within(size int64, read func(*message) error) error {
	m.left -= size
	inner := message{m.r, size}
	if err := read(&inner); err != nil {
		return err
	}
	return inner.skip(inner.left)
}

// each calls visit for every field that has a length, which must read it or skip it, and number, unless it is nil, for every whole
// number.
func (m *message) each(visit func(field uint64, size int64) error, number func(field, value uint64)) error {
	for m.left > 0 {
		key, err := binary.ReadUvarint(m)
		if err != nil {
			return err
		}
		switch key & 7 {
		case 0:
			var value uint64
			if value, err = binary.ReadUvarint(m); err == nil && number != nil {
				number(key>>3, value)
			}
		case 1:
			err = m.skip(8)
		case 2:
			var size uint64
			if size, err = binary.ReadUvarint(m); err == nil && size > uint64(m.left) {
				err = errProto
			}
			if err == nil {
				err = visit(key>>3, int64(size))
			}
		case 5:
			err = m.skip(4)
		default:
			err = errProto
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tensors shows the initialisers of a graph.
func (m *message) tensors(show func(name string, dims []uint64)) error {
	return m.each(func(field uint64, size int64) error {
		if field != initializerOfGraph {
			return m.skip(size)
		}
		return m.within(size, func(tensor *message) error {
			name, dims, err := tensor.shape()
			if err == nil {
				show(name, dims)
			}
			return err
		})
	}, nil)
}

// shape reads the name and the sizes of a tensor, which version 2 of protocol buffers does not pack.
func (m *message) shape() (name string, dims []uint64, err error) {
	err = m.each(func(field uint64, size int64) error {
		if field != nameOfTensor || size > 4096 {
			return m.skip(size)
		}
		text := make([]byte, size)
		m.left -= size
		_, err := io.ReadFull(m.r, text)
		name = string(text)
		return err
	}, func(field, value uint64) {
		if field == dimsOfTensor && len(dims) < 8 {
			dims = append(dims, value)
		}
	})
	return name, dims, err
}
