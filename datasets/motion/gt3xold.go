package motion

import (
	"errors"
	"fmt"
	"io"
)

// oldScale is the units a g of activity.bin.
const oldScale = 341

// gt3xOld reads activity.bin of firmware up to 2.5.0: nothing but samples of 36 bits, y, x, z, from the start date on.
type gt3xOld struct {
	place string
	in    io.Reader
	rec   *Recording
	buf   []byte // whole pairs of samples
	count int64  // samples given
}

// oldPairs is how many pairs of samples, 9 bytes each, are read at once.
const oldPairs = batchRows / 2

func openActivity(r *Recording, place string, in io.Reader, info gt3xInfo) error {
	d := &gt3xOld{place: place, in: in, rec: r, buf: make([]byte, 9*oldPairs)}
	r.head.Start = info.start
	if info.start.IsZero() {
		r.notes.say("%s: info.txt has no Start Date", place)
	}
	r.dec = d
	return nil
}

func (d *gt3xOld) where(i int) string { return fmt.Sprintf("%s: sample %d", d.place, d.count+int64(i)) }

// next implements decoder.
func (d *gt3xOld) next(b *batch) error {
	n, err := io.ReadFull(d.in, d.buf)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("motion: %s: byte %d: %w", d.place, d.count*9/2, err)
	}
	samples := packedSamples(n)
	if samples == 0 {
		if d.count == 0 {
			return fmt.Errorf("motion: %s: no samples", d.place)
		}
		return io.EOF
	}
	for i := range samples {
		b.times = append(b.times, float64(d.count+int64(i))/d.rec.head.Rate)
		x, y, z := axesOf(logPacked, d.buf, i)
		b.values = append(b.values, thousandths(float64(x)/oldScale), thousandths(float64(y)/oldScale), thousandths(float64(z)/oldScale))
	}
	d.count += int64(samples)
	return nil
}
