package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"hash/fnv"
)

// census counts the streams of a store, so that one whose name was damaged is missed: without it, the stream would begin anew. It is written by
// every commit, and compared with what is in the file when that is opened.
type census struct{ states, names, beside tally }

// tally is a number of keys and the sum of their hashes, which does not depend on their order.
type tally struct{ n, sum uint64 }

func (t *tally) add(key []byte)    { t.n, t.sum = t.n+1, t.sum+hashOf(key) }
func (t *tally) remove(key []byte) { t.n, t.sum = t.n-1, t.sum-hashOf(key) }

// hashOf differs for keys of which one bit differs.
func hashOf(key []byte) uint64 {
	h := fnv.New64a()
	h.Write(key)
	return h.Sum64()
}

// of returns the tally of a bucket, one that nobody reads for other buckets.
func (c *census) of(bucket []byte) *tally {
	switch {
	case bytes.Equal(bucket, bucketStates):
		return &c.states
	case bytes.Equal(bucket, bucketNames):
		return &c.names
	case bytes.Equal(bucket, bucketBeside):
		return &c.beside
	}
	return &tally{}
}

// castagnoli is the polynomial of the checksums.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode returns number and sum of states, names and companions, 8 bytes each, little-endian, and the CRC-32C of these.
func (c census) encode() (out []byte) {
	for _, t := range []tally{c.states, c.names, c.beside} {
		out = binary.LittleEndian.AppendUint64(out, t.n)
		out = binary.LittleEndian.AppendUint64(out, t.sum)
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

func decodeCensus(data []byte) (c census, err error) {
	if len(data) != 52 || crc32.Checksum(data[:48], castagnoli) != binary.LittleEndian.Uint32(data[48:]) {
		return c, errors.New("damaged: the count of its streams")
	}
	for _, t := range []*tally{&c.states, &c.names, &c.beside} {
		t.n, t.sum = binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
		data = data[16:]
	}
	return c, nil
}
