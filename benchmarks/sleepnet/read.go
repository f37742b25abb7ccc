package sleepnet

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/npy"
)

// features are those of an epoch.
const features = 72

// margin is how many epochs before the first epoch of sleep and after the last one count: 30 minutes.
const margin = 60

// maxFile bounds a recording in the archive, and each array of it.
const maxFile = 64 << 20

// recording is a night.
type recording struct {
	name, person string
	epochs       [][features]float32 // standardised
	stages       []int               // in the order of stages; -1: not scored
}

// read returns the recordings of an archive of NumPy archives, X [N, 72] and y [N], in the order of their names.
func read(name string) (out []recording, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		data, err := io.ReadAll(io.LimitReader(t, maxFile))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r, err := recordingOf(strings.TrimSuffix(path.Base(h.Name), ".npz"), data)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, h.Name, err)
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b recording) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// recordingOf reads a recording, called as in Sleep-EDF: SC4 and two digits are the person.
func recordingOf(name string, data []byte) (r recording, err error) {
	if len(name) < 6 {
		return r, errors.New("its name tells no person")
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return r, err
	}
	x, err := array(z, "X.npy")
	if err != nil {
		return r, err
	}
	y, err := array(z, "y.npy")
	if err != nil {
		return r, err
	}
	if len(x.Shape) != 2 || x.Shape[1] != features || len(y.Shape) != 1 || y.Shape[0] != x.Shape[0] {
		return r, fmt.Errorf("arrays X %v and y %v: want [N, %d] and [N]", x.Shape, y.Shape, features)
	}
	values, err := x.Float32s()
	if err != nil {
		return r, err
	}
	if r.stages, err = y.Ints(); err != nil {
		return r, err
	}
	r.name, r.person = name, name[:5]
	r.epochs = make([][features]float32, len(r.stages))
	for i := range r.epochs {
		copy(r.epochs[i][:], values[i*features:])
	}
	if err := r.trim(); err != nil {
		return r, err
	}
	r.standardise()
	return r, nil
}

func array(z *zip.Reader, name string) (*npy.Array, error) {
	f, err := z.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	return npy.Read(f, maxFile)
}

// trim leaves the epochs from the margin before sleep to the margin after it.
func (r *recording) trim() error {
	first, last := -1, -1
	for i, s := range r.stages {
		if s >= len(stages) {
			return fmt.Errorf("epoch %d: stage %d, want below %d", i, s, len(stages))
		}
		if s > 0 {
			last = i
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return errors.New("nobody sleeps")
	}
	from, to := max(0, first-margin), min(len(r.stages), last+1+margin)
	r.epochs, r.stages = r.epochs[from:to], r.stages[from:to]
	return nil
}

// standardise brings each feature to mean 0 and deviation 1 over the recording.
func (r *recording) standardise() {
	n := float64(len(r.epochs))
	for k := range features {
		sum, squares := 0.0, 0.0
		for i := range r.epochs {
			sum += float64(r.epochs[i][k])
		}
		for i := range r.epochs {
			d := float64(r.epochs[i][k]) - sum/n
			squares += d * d
		}
		scale := 1 / max(math.Sqrt(squares/n), 1e-6)
		for i := range r.epochs {
			r.epochs[i][k] = float32((float64(r.epochs[i][k]) - sum/n) * scale)
		}
	}
}
