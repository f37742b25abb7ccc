package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
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

// predictionOutput is a file or standard output.
type predictionOutput struct {
	*bufio.Writer
	file *lateFile // nil: standard output
	zip  *gzip.Writer
}

// size returns the bytes of the output so far, once they are flushed; 0 for what is no file.
func (o *predictionOutput) size() int64 {
	if o.file == nil || !o.file.regular {
		return 0
	}
	return o.file.keep + o.file.written
}

// kept returns the bytes of an earlier run that stay.
func (o *predictionOutput) kept() int64 {
	if o.file == nil {
		return 0
	}
	return o.file.keep
}

// resume cuts off what an earlier run wrote and did not commit.
func (o *predictionOutput) resume() error {
	if o.file == nil {
		return nil
	}
	return o.file.begin()
}

// sync brings the output to the disk.
func (o *predictionOutput) sync() error {
	err := o.Flush()
	if o.file != nil && o.file.regular && err == nil {
		err = o.file.Sync()
	}
	return err
}

// lateFile empties a file only when something is written: a run that fails before has not destroyed what was there.
type lateFile struct {
	*os.File
	regular, begun bool
	made           bool  // was not there before
	keep, written  int64 // bytes of an earlier run that stay, and bytes since
}

// Write implements [io.Writer].
func (f *lateFile) Write(p []byte) (int, error) {
	if err := f.begin(); err != nil {
		return 0, err
	}
	n, err := f.File.Write(p)
	f.written += int64(n)
	return n, err
}

func (f *lateFile) begin() error {
	if f.begun || !f.regular {
		return nil
	}
	f.begun = true
	if err := f.Truncate(f.keep); err != nil {
		return err
	}
	_, err := f.Seek(f.keep, io.SeekStart)
	return err
}

// createPredictions opens the output before any work is done. A file that is there is replaced on request only, and never while it is
// read; one that an earlier run of the same input wrote is continued.
func createPredictions(c *cli.Context, env environment, in *predictionInput, memory *filterMemory) (*predictionOutput, error) {
	path := c.String("output")
	if path == "-" || path == "" {
		return &predictionOutput{Writer: bufio.NewWriterSize(env.out, outputBuffer)}, nil
	}
	info, err := os.Stat(path)
	f := &lateFile{made: err != nil, regular: err != nil || info.Mode().IsRegular()}
	known, keep, err := memory.kept(c.Bool("overwrite"))
	if err != nil {
		return nil, err
	}
	f.keep = keep
	if !f.made && f.regular {
		if from, err := in.file.Stat(); err == nil && os.SameFile(info, from) {
			return nil, fmt.Errorf("%s: is the input, too: want another file for the output", path)
		}
		if !c.Bool("overwrite") && !known && info.Size() > 0 {
			return nil, fmt.Errorf("%s: exists: --overwrite replaces it", path)
		}
	}
	if f.File, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644); err != nil {
		return nil, err
	}
	o := &predictionOutput{file: f, Writer: bufio.NewWriterSize(f, outputBuffer)}
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		o.zip = gzip.NewWriter(f)
		o.Writer = bufio.NewWriterSize(o.zip, outputBuffer)
	}
	return o, nil
}

const outputBuffer = 128 << 10

// close writes what is left. Where nothing was done, the file stays as it was.
func (o *predictionOutput) close(done bool) error {
	if o.file == nil {
		return o.Flush()
	}
	var err error
	if done {
		err = errors.Join(o.file.begin(), o.Flush())
		if o.zip != nil {
			err = errors.Join(err, o.zip.Close())
		}
	}
	err = errors.Join(err, o.file.Close())
	if o.file.made && !done {
		err = errors.Join(err, os.Remove(o.file.Name()))
	}
	return err
}
