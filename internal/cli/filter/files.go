package filter

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

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/predicted"
	"github.com/oatta/oatta/internal/lock"
)

// predictionOutput is a file or standard output.
type predictionOutput struct {
	*bufio.Writer
	file *lateFile // nil: standard output
	zip  *gzip.Writer
	lock *lock.Lock

	out  *bufio.Writer // where answers go that Writer holds back; nil if it does not
	held *bytes.Buffer
}

// hold keeps all that is written from now on until release. What was not released when the output is closed is as if it had not been written.
func (o *predictionOutput) hold() {
	o.out, o.held = o.Writer, &bytes.Buffer{}
	o.Writer = bufio.NewWriter(o.held)
}

// holds returns about how many bytes are held.
func (o *predictionOutput) holds() int {
	if o.held == nil {
		return 0
	}
	return o.held.Len()
}

// release writes what is held, if anything is.
func (o *predictionOutput) release() error {
	err := o.Flush()
	if o.held == nil || err != nil {
		return err
	}
	if _, err := o.held.WriteTo(o.out); err != nil {
		return err
	}
	return o.out.Flush()
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
func createPredictions(c *cli.Context, env console.Environment, in *predicted.Input, memory *filterMemory) (*predictionOutput, error) {
	path := c.String("output")
	if path == "-" || path == "" {
		return &predictionOutput{Writer: bufio.NewWriterSize(env.Out, outputBuffer)}, nil
	}
	info, err := os.Stat(path)
	f := &lateFile{made: err != nil, regular: err != nil || info.Mode().IsRegular()}
	if !f.regular {
		return openOutput(path, f)
	}
	if link, err := os.Lstat(path); err == nil && link.Mode()&os.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s: is a link: want the file itself, or - for standard output", path)
	}
	held, err := lock.Acquire(path)
	if err != nil {
		return nil, err
	}
	o, err := createLocked(c, in, memory, path)
	if err != nil {
		return nil, errors.Join(err, held.Release())
	}
	o.lock = held
	return o, nil
}

// createLocked opens an output whose lock is held: what is there now, stays.
func createLocked(c *cli.Context, in *predicted.Input, memory *filterMemory, path string) (*predictionOutput, error) {
	info, err := os.Stat(path)
	f := &lateFile{made: err != nil, regular: true}
	known, keep, err := memory.kept(c.Bool("overwrite"))
	if err != nil {
		return nil, err
	}
	f.keep = keep
	if !f.made {
		if from, err := in.File.Stat(); err == nil && os.SameFile(info, from) {
			return nil, fmt.Errorf("%s: is the input, too: want another file for the output", path)
		}
		if !c.Bool("overwrite") && !known && info.Size() > 0 {
			return nil, fmt.Errorf("%s: exists: --overwrite replaces it", path)
		}
	}
	return openOutput(path, f)
}

func openOutput(path string, f *lateFile) (o *predictionOutput, err error) {
	if f.File, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644); err != nil {
		return nil, err
	}
	o = &predictionOutput{file: f, Writer: bufio.NewWriterSize(f, outputBuffer)}
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		o.zip = gzip.NewWriter(f)
		o.Writer = bufio.NewWriterSize(o.zip, outputBuffer)
	}
	return o, nil
}

const outputBuffer = 128 << 10

// close writes what is left. Where nothing was done, the file stays as it was.
func (o *predictionOutput) close(done bool) error {
	if o.out != nil {
		o.Writer = o.out
	}
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
	return errors.Join(err, o.lock.Release())
}
