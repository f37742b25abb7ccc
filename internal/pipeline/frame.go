package pipeline

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// frame is what the journal holds of one batch: the outputs of the network, and the output file after the batch.
type frame struct {
	First   int   // index of the first item of the batch
	Counts        // of the whole run, after the batch
	Written int   // records in the output after the batch: fewer than items where answers wait for items to come
	Size    int64 // bytes of the output after the batch
	CRC     uint32
	Items   []outcome
}

// Counts are the tallies of a run so far.
type Counts struct {
	Items    int `json:"items"`
	Failures int `json:"failures"`
	Changed  int `json:"labels_changed"` // by the filter
}

// outcome is the network's output for one item, or the reason why there is none.
type outcome struct {
	raw     []float32 // [classes]; nil after a failure
	failure string
	stepped bool // the network ran on the item, which for a stream predictor is a step of the stream
}

const (
	itemOK         = 1
	itemFailed     = 2
	itemFailedStep = 3
)

func (f *frame) marshal(dst []byte) []byte {
	for _, v := range []int{f.First, f.Counts.Items, f.Failures, f.Changed, f.Written, int(f.Size), int(f.CRC), len(f.Items)} {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	for _, item := range f.Items {
		if item.raw == nil {
			kind := byte(itemFailed)
			if item.stepped {
				kind = itemFailedStep
			}
			dst = append(dst, kind)
			dst = binary.AppendUvarint(dst, uint64(len(item.failure)))
			dst = append(dst, item.failure...)
			continue
		}
		dst = append(dst, itemOK)
		for _, v := range item.raw {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
		}
	}
	return dst
}

var errFrame = errors.New("pipeline: malformed journal frame")

// unmarshalHead reads all but the items, and returns their number and bytes.
func (f *frame) unmarshalHead(data []byte) (items uint64, rest []byte, err error) {
	for _, set := range []func(uint64){
		func(v uint64) { f.First = int(v) },
		func(v uint64) { f.Counts.Items = int(v) },
		func(v uint64) { f.Failures = int(v) },
		func(v uint64) { f.Changed = int(v) },
		func(v uint64) { f.Written = int(v) },
		func(v uint64) { f.Size = int64(v) },
		func(v uint64) { f.CRC = uint32(v) },
		func(v uint64) { items = v },
	} {
		v, size := binary.Uvarint(data)
		if size <= 0 || v > math.MaxInt64 {
			return 0, nil, errFrame
		}
		set(v)
		data = data[size:]
	}
	return items, data, nil
}

// follows tells whether a head with so many items continues an output that has next items in size bytes.
func (f *frame) follows(next int, size int64, items uint64) bool {
	return f.First == next && uint64(f.Counts.Items-next) == items && f.Size >= size && f.Failures <= f.Counts.Items && f.Changed <= f.Written && f.Written <= f.Counts.Items
}

// unmarshal reads what marshal wrote. The journal's checksum has vouched for the bytes; the checks here are for journals of
// another program version or another model.
func (f *frame) unmarshal(data []byte, classes int) error {
	n, data, err := f.unmarshalHead(data)
	if err != nil {
		return err
	}
	if n > uint64(len(data)) {
		return errFrame
	}
	f.Items = make([]outcome, n)
	for i := range f.Items {
		if data, err = f.Items[i].unmarshal(data, classes); err != nil {
			return err
		}
	}
	if len(data) > 0 {
		return fmt.Errorf("%w: %d bytes too many", errFrame, len(data))
	}
	return nil
}

func (o *outcome) unmarshal(data []byte, classes int) ([]byte, error) {
	if len(data) == 0 {
		return nil, errFrame
	}
	kind, data := data[0], data[1:]
	switch {
	case kind == itemOK && len(data) >= 4*classes:
		o.raw = make([]float32, classes)
		for i := range o.raw {
			o.raw[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		o.stepped = true
		return data[4*classes:], nil
	case kind == itemFailed || kind == itemFailedStep:
		o.stepped = kind == itemFailedStep
		v, size := binary.Uvarint(data)
		if size <= 0 || v > uint64(len(data)-size) {
			return nil, errFrame
		}
		data = data[size:]
		if o.failure = string(data[:v]); o.failure == "" {
			return nil, errFrame
		}
		return data[v:], nil
	}
	return nil, errFrame
}
