package predicted

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrInterrupted ends an input at the first interrupt.
var ErrInterrupted = errors.New("interrupted")

// Input is a file or standard input, gzip looked through.
type Input struct {
	io.Reader
	File  *os.File
	Pipe  bool  // no regular file: more may come at any time
	Bytes int64 // read, after decompression
	// idle is called before every read of the file: nothing more is at hand, and what is done should not wait for what comes.
	Idle func() error
	stop <-chan struct{}
	read func(p []byte) (int, error)
}

// Open opens a file, or standard input for "-".
func Open(path string, stop <-chan struct{}) (*Input, error) {
	in := &Input{File: os.Stdin, stop: stop}
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		in.File = f
	}
	info, err := in.File.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder: want a file of predictions", path)
	}
	in.read = in.File.Read
	if in.Pipe = !info.Mode().IsRegular(); in.Pipe {
		in.read = interruptible(in.File, stop)
	}
	in.Reader = rawInput{in}
	return in, nil
}

// Read implements [io.Reader]. Gzip is found by its first bytes, at the first read: a pipe may take its time.
func (in *Input) Read(p []byte) (int, error) {
	if raw, ok := in.Reader.(rawInput); ok {
		b := bufio.NewReaderSize(raw, 128<<10)
		in.Reader = b
		if head, _ := b.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
			z, err := gzip.NewReader(b)
			if err != nil {
				return 0, in.place(err)
			}
			in.Reader = z
		}
	}
	n, err := in.Reader.Read(p)
	in.Bytes += int64(n)
	return n, in.place(err)
}

// place says where the errors of compression come from, which name no file.
func (in *Input) place(err error) error {
	name := in.File.Name()
	if in.File == os.Stdin {
		name = "standard input"
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: the compressed data end in the middle: was it copied whole?", name)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, new(flate.CorruptInputError)):
		return fmt.Errorf("%s: damaged: %w", name, err)
	}
	return err
}

// Close closes the file, but not standard input.
func (in *Input) Close() {
	if in.File != os.Stdin {
		_ = in.File.Close() // was only read
	}
}

// rawInput is the file below what decompresses it.
type rawInput struct{ in *Input }

func (r rawInput) Read(p []byte) (int, error) {
	if r.in.Idle != nil {
		if err := r.in.Idle(); err != nil {
			return 0, err
		}
	}
	select {
	case <-r.in.stop:
		return 0, ErrInterrupted
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
			return 0, ErrInterrupted
		}
	}
}
