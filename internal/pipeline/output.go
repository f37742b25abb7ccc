package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/oatta/oatta/internal/lock"
)

// Mode says what a run does with what an earlier one left at its output.
type Mode int

// The modes. The zero value refuses to touch an existing output.
const (
	Fresh     Mode = iota // an output or journal that exists is an error
	Resume                // continue an unfinished run; without one, start
	Overwrite             // remove what is there and start
)

// Errors that a caller may want to tell apart.
var (
	ErrExists   = errors.New("output exists")
	ErrComplete = errors.New("the run is complete")
	ErrBusy     = lock.ErrBusy
)

// Output is a file that is written batch by batch with its journal beside it: PATH.journal, and PATH.oatta-lock while a run is at
// it.
type Output struct {
	path    string
	file    *os.File
	journal *journal
	lock    *lock.Lock
	size    int64
	crc     uint32
	next    int // first item that is not in the journal
	written int // records in the output
	counts  Counts
	synced  time.Time
	frame   []byte // scratch
}

// syncEvery bounds what a power failure can cost; a killed process loses nothing in any case.
const syncEvery = 2 * time.Second

// OpenOutput opens an output for a run that identity describes: name and value of everything that decides what is written. A run
// is resumed only under the same identity; what differs is named in the error.
func OpenOutput(path string, identity map[string]string, mode Mode) (*Output, error) {
	o := &Output{path: path, synced: time.Now()}
	var err error
	if o.lock, err = lock.Acquire(path); err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	if err := o.open(identity, mode); err != nil {
		return nil, errors.Join(fmt.Errorf("pipeline: %w", err), o.Close())
	}
	return o, nil
}

func (o *Output) open(identity map[string]string, mode Mode) error {
	if err := o.refuseForeign(); err != nil {
		return err
	}
	if mode == Overwrite {
		if err := errors.Join(removeIfThere(o.path), removeIfThere(o.journalPath())); err != nil {
			return err
		}
	}
	hasOutput, hasJournal := exists(o.path), exists(o.journalPath())
	switch {
	case hasJournal && mode == Resume:
		return o.resume(identity)
	case hasJournal:
		return fmt.Errorf("%s: %w, unfinished: --resume continues it, --overwrite starts again", o.path, ErrExists)
	case hasOutput && mode == Resume:
		return fmt.Errorf("%s: %w", o.path, ErrComplete)
	case hasOutput:
		return fmt.Errorf("%s: %w: --overwrite replaces it", o.path, ErrExists)
	}
	return o.create(identity)
}

// refuseForeign protects what is no output or journal of a run: a link would be followed to another file, and a file that happens
// to be called like a journal is somebody's.
func (o *Output) refuseForeign() error {
	for _, path := range []string{o.path, o.journalPath()} {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s: is a link, a folder or a device: want a file", path)
		}
	}
	return checkMagic(o.journalPath())
}

func (o *Output) create(identity map[string]string) error {
	header, err := json.Marshal(identity)
	if err != nil {
		return err
	}
	if o.journal, err = createJournal(o.journalPath(), header); err != nil {
		return err
	}
	if o.file, err = os.OpenFile(o.path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644); err != nil {
		return errors.Join(err, o.journal.close(), os.Remove(o.journalPath())) // this call made it, and nothing is in it
	}
	return syncFolder(o.path)
}

// syncFolder makes the names of new files survive a power failure, where the system can do that.
func syncFolder(path string) error {
	if goruntime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	_ = dir.Sync() // some file systems cannot, and a run must not fail for it
	return dir.Close()
}

// resume cuts output and journal back to the last frame that agrees with the output.
func (o *Output) resume(identity map[string]string) (err error) {
	var header []byte
	o.journal, header, err = openJournal(o.journalPath())
	if errors.Is(err, errNoHeader) {
		return o.restart(identity)
	}
	if err != nil {
		return err
	}
	var before map[string]string
	if err := json.Unmarshal(header, &before); err != nil {
		return fmt.Errorf("%s: header: %w", o.journalPath(), err)
	}
	if diff := Differences(before, identity); diff != "" {
		return fmt.Errorf("%s: cannot resume, the run has changed (--overwrite starts again):\n%s", o.path, diff)
	}
	if o.file, err = os.OpenFile(o.path, os.O_CREATE|os.O_RDWR, 0o644); err != nil {
		return err
	}
	return o.rewind()
}

// restart takes the place of a run that was killed before its journal had a header, and so before it wrote anything.
func (o *Output) restart(identity map[string]string) error {
	if info, err := os.Stat(o.path); err == nil && info.Size() > 0 {
		return fmt.Errorf("%s: its journal has no header, so this is no output of an interrupted run: --overwrite replaces it", o.path)
	}
	if err := errors.Join(removeIfThere(o.path), os.Remove(o.journalPath())); err != nil {
		return err
	}
	return o.create(identity)
}

// rewind finds the last frame whose size and checksum the output confirms: after a power failure the journal may be ahead of it.
func (o *Output) rewind() error {
	rest := &checksummed{r: o.file}
	end, err := o.journal.scan(func(n int, payload []byte) (bool, error) {
		if n == 0 {
			return true, nil
		}
		var f frame
		items, _, err := f.unmarshalHead(payload)
		if err != nil {
			return false, err
		}
		if !f.follows(o.next, o.size, items) {
			return false, fmt.Errorf("%s: frame %d does not follow the one before", o.journalPath(), n)
		}
		if ok, err := rest.advance(f.Size); !ok || err != nil || rest.crc != f.CRC {
			return false, err
		}
		o.size, o.crc, o.counts, o.next, o.written = f.Size, f.CRC, f.Counts, f.Counts.Items, f.Written
		return true, nil
	})
	if err != nil {
		return err
	}
	if err := o.journal.truncate(end); err != nil {
		return err
	}
	if err := o.file.Truncate(o.size); err != nil {
		return err
	}
	_, err = o.file.Seek(o.size, io.SeekStart)
	return err
}

// checksummed reads a file forward and keeps the CRC-32C of all that it has read.
type checksummed struct {
	r    io.Reader
	size int64
	crc  uint32
}

// advance reads up to offset size; false if the file ends before.
func (c *checksummed) advance(size int64) (bool, error) {
	hash := crcWriter{&c.crc}
	n, err := io.CopyN(hash, c.r, size-c.size)
	c.size += n
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, err
}

type crcWriter struct{ crc *uint32 }

func (w crcWriter) Write(p []byte) (int, error) {
	*w.crc = crc32.Update(*w.crc, castagnoli, p)
	return len(p), nil
}

// Done returns the number of items that an earlier run has predicted.
func (o *Output) Done() int { return o.next }

// replay calls fn with the outcomes of the items from first on that the journal holds.
func (o *Output) replay(first, classes int, fn func(i int, out outcome) error) error {
	_, err := o.journal.scan(func(n int, payload []byte) (bool, error) {
		if n == 0 {
			return true, nil
		}
		var head frame
		if _, _, err := head.unmarshalHead(payload); err != nil {
			return false, err
		}
		if head.Counts.Items <= first {
			return true, nil
		}
		var f frame
		if err := f.unmarshal(payload, classes); err != nil {
			return false, fmt.Errorf("pipeline: %s: frame %d: %w", o.journalPath(), n, err)
		}
		for i, out := range f.Items {
			if f.First+i < first {
				continue
			}
			if err := fn(f.First+i, out); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	_, err = o.journal.f.Seek(0, io.SeekEnd)
	return err
}

// commit writes the bytes of a batch and then, in one frame, that they are there. f needs First, Counts, Written and Items.
func (o *Output) commit(data []byte, f *frame) error {
	if err := o.write(data); err != nil {
		return err
	}
	f.Size, f.CRC = o.size, o.crc
	o.frame = f.marshal(startFrame(o.frame[:0]))
	if err := o.journal.append(o.frame); err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	o.next, o.counts, o.written = f.Counts.Items, f.Counts, f.Written
	if time.Since(o.synced) < syncEvery {
		return nil
	}
	o.synced = time.Now()
	return o.sync()
}

func (o *Output) write(data []byte) error {
	n, err := o.file.Write(data)
	o.size += int64(n)
	o.crc = crc32.Update(o.crc, castagnoli, data[:n])
	if err != nil {
		return fmt.Errorf("pipeline: %w", err) // names the file
	}
	return nil
}

func (o *Output) sync() error {
	if err := errors.Join(o.file.Sync(), o.journal.sync()); err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	return nil
}

// end writes the end of the output. Until [Output.Finish] the run can still be resumed, to its end.
func (o *Output) end(footer []byte) error {
	if err := o.write(footer); err != nil {
		return err
	}
	return o.sync()
}

// Finish declares the output complete: it removes the journal. Call it after a run that came to its end, when all else that
// belongs to the output is written.
func (o *Output) Finish() error {
	if err := errors.Join(o.journal.close(), os.Remove(o.journalPath()), syncFolder(o.path)); err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	return nil
}

// Close releases the output. An unfinished one can be resumed.
func (o *Output) Close() error {
	var errs []error
	if o.file != nil {
		errs = append(errs, o.file.Sync(), o.file.Close())
	}
	if o.journal != nil {
		if err := errors.Join(o.journal.sync(), o.journal.close()); !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, o.lock.Release())...)
}

func (o *Output) journalPath() string { return o.path + ".journal" }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Differences lists the entries of two identities that are not the same, one a line; "" if all are.
func Differences(before, now map[string]string) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if before[name] != now[name] {
			lines = append(lines, fmt.Sprintf("  %s: was %q, is %q", name, before[name], now[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, ok := now[name]; !ok {
			lines = append(lines, fmt.Sprintf("  %q: was %q, is no more", name, before[name]))
		}
	}
	return strings.Join(lines, "\n")
}
