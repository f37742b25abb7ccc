package image

import (
	"bytes"
	"context"
	goimage "image"
	"image/color"
	"sync"

	"golang.org/x/sync/semaphore"
)

// memory is what concurrent callers may take for decoding, all together.
type memory struct {
	most  int64
	taken *semaphore.Weighted
	files sync.Mutex // held by who reads a large file: it is in memory before its cost is known
}

// largeFile is the size in bytes from which on files are read one after another.
const largeFile = 64 << 20

func newMemory(most int64) *memory { return &memory{most: most, taken: semaphore.NewWeighted(most)} }

// hold waits until there is room, and returns what gives it back. What costs more than there is goes alone.
func (m *memory) hold(cost int64) (release func()) {
	cost = min(cost, m.most)
	_ = m.taken.Acquire(context.Background(), cost) // fails with its context alone
	return func() { m.taken.Release(cost) }
}

// reading waits for its turn if a file is large, and returns what ends it.
func (m *memory) reading(size int64) (done func()) {
	if size < largeFile {
		return func() {}
	}
	m.files.Lock()
	return m.files.Unlock
}

// costOf is how many bytes the decoders allocate for a picture, at most or nearly so.
func costOf(f Format, c goimage.Config, data []byte) int64 {
	return int64(c.Width)*int64(c.Height)*pixelCost(f, c.ColorModel, data) + 1<<16
}

var progressiveFrame = []byte{0xff, 0xc2}

func pixelCost(f Format, m color.Model, data []byte) int64 {
	deep := m == color.NRGBA64Model || m == color.RGBA64Model
	switch {
	case f == JPEG && bytes.Contains(data, progressiveFrame):
		return 28 // coefficients of 32 bits, and of 16 for those that the standard decoder refuses, and planes
	case f == JPEG:
		return 16 // 4 for whole files; coefficients of 16 bits and planes besides for those that the standard decoder refuses
	case f == PNG && deep:
		return 16 // with interlacing, that of the passes
	case f == TIFF && deep:
		return 32 // with the data of one strip, which may be all, while they grow
	case f == TIFF:
		return 16
	}
	return 8
}
