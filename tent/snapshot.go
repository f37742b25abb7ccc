package tent

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"math"
)

// A snapshot is, little-endian:
//
//	 0  8  magic "OATTATNT"
//	 8  4  version, 1
//	12  8  mark of the graph: its metadata, and with it the source's parameters
//	20  4  parameters P
//	24  4  tensors n of the optimiser
//	28  8  steps of the optimiser
//	36  8  items since the source's parameters
//	44  8  items of the stream
//	52  8  running mean of the entropy, float64
//	60  1  1 if the next item meets the source
//	61  .  parameters, then the optimiser's tensors, 4 bytes a number
//	    4  CRC-32C of all before
const (
	snapshotMagic   = "OATTATNT"
	snapshotVersion = 1
	snapshotHead    = 61
	snapshotTail    = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fingerprint tells graphs apart whose snapshots must not be mixed.
func fingerprint(custom map[string]string) uint64 {
	h := fnv.New64a()
	for _, key := range []string{metaGraph, metaTent, metaSource} {
		fmt.Fprintf(h, "%d:%s", len(custom[key]), custom[key])
	}
	return h.Sum64()
}

// Snapshot returns what a lane's stream has learned: parameters, the optimiser's state and counters, versioned and checksummed. A lane
// restored from it continues bit for bit on the same machine. It holds no input, but parameters bear traces of what moved them.
func (p *Predictor) Snapshot(lane int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if lane < 0 || lane >= len(p.lanes) || p.lanes[lane] == nil {
		panic(fmt.Sprintf("tent: snapshot of lane %d, which has not begun", lane))
	}
	l := p.lanes[lane]
	out := make([]byte, 0, p.snapshotSize())
	out = append(out, snapshotMagic...)
	out = binary.LittleEndian.AppendUint32(out, snapshotVersion)
	out = binary.LittleEndian.AppendUint64(out, p.mark)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(l.theta)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(l.slots)))
	out = binary.LittleEndian.AppendUint64(out, uint64(l.step))
	out = binary.LittleEndian.AppendUint64(out, uint64(l.since))
	out = binary.LittleEndian.AppendUint64(out, uint64(l.items))
	out = binary.LittleEndian.AppendUint64(out, math.Float64bits(l.mean))
	out = append(out, 0)
	if l.due {
		out[len(out)-1] = 1
	}
	out = appendFloats(out, l.theta)
	for _, s := range l.slots {
		out = appendFloats(out, s)
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

func (p *Predictor) snapshotSize() int {
	return snapshotHead + 4*len(p.source)*(1+len(p.d.Ports.Slots)) + snapshotTail
}

func appendFloats(out []byte, values []float32) []byte {
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

// Restore gives a lane what a snapshot holds, begun or not. Data that are cut, changed, of another graph or of a newer version are an
// error, and the lane stays as it was. The data are not retained.
func (p *Predictor) Restore(lane int, data []byte) error {
	l, err := p.parse(data)
	if err != nil {
		return fmt.Errorf("tent: snapshot: %w", err)
	}
	p.Begin(lane)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lanes[lane] = l
	return nil
}

func (p *Predictor) parse(data []byte) (*lane, error) {
	switch {
	case len(data) < snapshotHead+snapshotTail || !bytes.HasPrefix(data, []byte(snapshotMagic)):
		return nil, errors.New("this is none")
	case binary.LittleEndian.Uint32(data[8:]) != snapshotVersion:
		return nil, fmt.Errorf("version %d, this program reads %d", binary.LittleEndian.Uint32(data[8:]), snapshotVersion)
	}
	body := data[:len(data)-snapshotTail]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, errors.New("the checksum differs: it was cut or changed")
	}
	params, slots := binary.LittleEndian.Uint32(data[20:]), binary.LittleEndian.Uint32(data[24:])
	if binary.LittleEndian.Uint64(data[12:]) != p.mark || int(params) != len(p.source) || int(slots) != len(p.d.Ports.Slots) || len(data) != p.snapshotSize() {
		return nil, errors.New("it is of another graph, or of other settings")
	}
	l := p.newLane()
	l.step = int64(binary.LittleEndian.Uint64(data[28:]))
	since := int64(binary.LittleEndian.Uint64(data[36:]))
	l.items = int64(binary.LittleEndian.Uint64(data[44:]))
	l.mean = math.Float64frombits(binary.LittleEndian.Uint64(data[52:]))
	if l.step < 0 || since < 0 || l.items < 0 || since > math.MaxInt32 || math.IsNaN(l.mean) || data[60] > 1 {
		return nil, errors.New("no stream can be in this state")
	}
	l.since, l.due = int(since), data[60] == 1
	rest := readFloats(l.theta, body[snapshotHead:])
	for _, s := range l.slots {
		rest = readFloats(s, rest)
	}
	if !allFinite(l.theta) {
		return nil, errors.New("no stream can be in this state")
	}
	for _, s := range l.slots {
		if !allFinite(s) {
			return nil, errors.New("no stream can be in this state")
		}
	}
	return l, nil
}

func readFloats(dst []float32, data []byte) []byte {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return data[4*len(dst):]
}
