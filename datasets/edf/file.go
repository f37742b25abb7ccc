package edf

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"
)

// File is an open recording. All methods are safe for concurrent use.
type File struct {
	header Header
	name   string
	r      io.ReaderAt
	close  func() error
	runs   []Run // see Runs
}

// Open reads the header of a recording of size bytes. The name is for messages. The reader must stay open as long as the file is used.
func Open(name string, r io.ReaderAt, size int64) (*File, error) {
	f := &File{name: name, r: r, close: func() error { return nil }}
	if err := f.open(size); err != nil {
		return nil, f.wrap(err)
	}
	return f, nil
}

// OpenFile opens a recording on disk; the caller closes it.
func OpenFile(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("edf: %w", err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("edf: %s: not a file", filepath.Base(path))
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f, err := Open(filepath.Base(path), file, info.Size())
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f.close = file.Close
	return f, nil
}

// Close closes what [OpenFile] opened.
func (f *File) Close() error { return f.close() }

// Header returns the header, which must not be changed.
func (f *File) Header() *Header { return &f.header }

func (f *File) wrap(err error) error { return fmt.Errorf("edf: %s: %w", show(f.name), err) }

func (f *File) open(size int64) error {
	h, err := readHeader(io.NewSectionReader(f.r, 0, size))
	if err != nil {
		return err
	}
	if err := h.settle(size); err != nil {
		return err
	}
	f.header = *h
	return f.readTimes()
}

// readTimes finds the time of the first sample and the runs of records without a gap.
func (f *File) readTimes() error {
	h := &f.header
	h.firstSample(func() (float64, bool, error) { return f.onset(0) })
	if !h.Discontinuous || h.RecordSeconds == 0 {
		f.runs = f.hiddenGaps()
		return nil
	}
	var err error
	f.runs, err = h.findRuns(f.onset, h.halfSample())
	return err
}

// firstSample moves the start to the first record's own onset.
func (h *Header) firstSample(onset func() (float64, bool, error)) {
	if !h.Format.Plus() {
		return
	}
	first, ok, err := onset()
	if err != nil || !ok {
		h.warn("record 1: no onset: taken for 0")
		return
	}
	h.origin = first
	if !h.Start.IsZero() && math.Abs(first) < 1e9 { // a Duration ends at 292 years
		h.Start = h.Start.Add(time.Duration(math.Round(first * 1e9)))
	}
}
