package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/predictions"
)

// errInterrupted ends an input at the first interrupt.
var errInterrupted = errors.New("interrupted")

// predictionInput is a file or standard input, gzip looked through.
type predictionInput struct {
	io.Reader
	file  *os.File
	pipe  bool  // no regular file: more may come at any time
	bytes int64 // read, after decompression
	// idle is called before every read of the file: nothing more is at hand, and what is done should not wait for what comes.
	idle func() error
	stop <-chan struct{}
	read func(p []byte) (int, error)
}

// openPredictions opens a file, or standard input for "-".
func openPredictions(path string, stop <-chan struct{}) (*predictionInput, error) {
	in := &predictionInput{file: os.Stdin, stop: stop}
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		in.file = f
	}
	info, err := in.file.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder: want a file of predictions", path)
	}
	in.read = in.file.Read
	if in.pipe = !info.Mode().IsRegular(); in.pipe {
		in.read = interruptible(in.file, stop)
	}
	in.Reader = rawInput{in}
	return in, nil
}

// Read implements [io.Reader]. Gzip is found by its first bytes, at the first read: a pipe may take its time.
func (in *predictionInput) Read(p []byte) (int, error) {
	if raw, ok := in.Reader.(rawInput); ok {
		b := bufio.NewReaderSize(raw, 128<<10)
		in.Reader = b
		if head, _ := b.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
			z, err := gzip.NewReader(b)
			if err != nil {
				return 0, err
			}
			in.Reader = z
		}
	}
	n, err := in.Reader.Read(p)
	in.bytes += int64(n)
	return n, err
}

func (in *predictionInput) close() {
	if in.file != os.Stdin {
		_ = in.file.Close() // was only read
	}
}

// rawInput is the file below what decompresses it.
type rawInput struct{ in *predictionInput }

func (r rawInput) Read(p []byte) (int, error) {
	if r.in.idle != nil {
		if err := r.in.idle(); err != nil {
			return 0, err
		}
	}
	select {
	case <-r.in.stop:
		return 0, errInterrupted
	default:
	}
	return r.in.read(p)
}

// interruptible reads a pipe or terminal such that an interrupt ends a read that waits.
func interruptible(r io.Reader, stop <-chan struct{}) func(p []byte) (int, error) {
	type chunk struct {
		n   int
		err error
	}
	buf := make([]byte, 64<<10)
	want, have := make(chan int), make(chan chunk, 1) // the last read may be left behind
	go func() {
		for n := range want {
			n, err := r.Read(buf[:n])
			have <- chunk{n, err}
		}
	}()
	return func(p []byte) (int, error) {
		want <- min(len(p), len(buf))
		select {
		case c := <-have:
			return copy(p, buf[:c.n]), c.err
		case <-stop:
			return 0, errInterrupted
		}
	}
}

// timeOf returns the time of an item, the zero time if it has none that can be read.
func timeOf(item *predictions.Item) time.Time {
	if len(item.Time) == 0 {
		return time.Time{}
	}
	t, _, ok := datasets.ParseTime(string(item.Time))
	if !ok {
		return time.Time{}
	}
	return t
}
