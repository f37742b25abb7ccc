package corrections

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/oatta/oatta/internal/lock"
	"github.com/oatta/oatta/internal/replace"
)

// Item is what a label is of.
type Item struct {
	Stream, File string
	Piece        bool    // of a recording, which begins at Offset
	Offset       float64 // seconds
}

// Edit is one change.
type Edit struct {
	Item
	Was   string // the label that whoever asks for the change has seen; "": none
	Label string // "" takes the label back
}

// MeanwhileError is the cause where a label is no longer what was seen.
type MeanwhileError struct {
	Item
	Now string // what it is; "": none
}

// Error implements error.
func (e *MeanwhileError) Error() string {
	if e.Now == "" {
		return fmt.Sprintf("the label of %q was taken back meanwhile", e.File)
	}
	return fmt.Sprintf("%q was labelled %q meanwhile", e.File, e.Now)
}

// maxBytes bounds a table.
const maxBytes = 256 << 20

// patience is how long a change waits for another program that writes the table.
const patience = 5 * time.Second

// Table is a table of corrections. It is safe for concurrent use.
type Table struct {
	path  string
	write func(path string, data []byte) error // [replace.Bytes], but in tests

	mu      sync.Mutex
	content *content
	seen    fs.FileInfo // of what was read; nil: there was no file
	broken  error       // why the file, as it is, cannot be read
}

// Open reads a table. One that is not there is empty, and is made with the first label.
func Open(path string) (*Table, error) {
	t := &Table{path: path, write: replace.Bytes}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t, t.refresh(true)
}

// Path returns where the table lies.
func (t *Table) Path() string { return t.path }

// refresh reads the file if it is another than before, or always. A file that cannot be read leaves the labels as they were.
func (t *Table) refresh(always bool) error {
	info, err := infoOf(t.path)
	if err == nil && t.content != nil && !always && same(info, t.seen) {
		return t.broken
	}
	var data []byte
	if err == nil && info != nil {
		data, err = os.ReadFile(t.path)
	}
	var c *content
	if err == nil {
		c, err = parse(filepath.Base(t.path), data)
	}
	t.seen, t.broken = info, err
	if err == nil {
		t.content = c
	}
	return err
}

// infoOf returns nil for a file that is not there.
func infoOf(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxBytes:
		return nil, fmt.Errorf("%s: is no file of a table's size", path)
	}
	return info, nil
}

func same(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// Status is what is to be said of a table.
type Status struct {
	Labels  int
	Warning string // of what is left out; "": nothing
	Err     error  // why the file cannot be read as it is; the labels are then those of before
}

// Look reads the file if it has changed, and calls see, if it is not nil, with what tells the label of an item, "" for none.
func (t *Table) Look(see func(labelOf func(Item) string)) Status {
	t.mu.Lock()
	defer t.mu.Unlock()
	err := t.refresh(false)
	if t.content == nil {
		return Status{Err: err}
	}
	if see != nil {
		see(t.content.labelOf)
	}
	return Status{Labels: len(t.content.rows), Warning: t.content.warning(t.path), Err: err}
}

// Change makes changes: all, or, with an error, none. The file is read anew before, and who has seen a label that is no longer there gets a
// [MeanwhileError].
func (t *Table) Change(edits []Edit, who string, now time.Time) (err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	held, err := acquire(t.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if err := t.refresh(true); err != nil {
		return err
	}
	for _, e := range edits {
		if is := t.content.labelOf(e.Item); is != e.Was {
			return &MeanwhileError{e.Item, is}
		}
	}
	next, err := t.next(edits, who, now)
	if err != nil {
		return err
	}
	if err := t.write(t.path, next.bytes()); err != nil {
		return err
	}
	t.content = next
	t.seen, err = infoOf(t.path)
	return err
}

// next is the table with the changes, beside the old one.
func (t *Table) next(edits []Edit, who string, now time.Time) (*content, error) {
	c, err := parse(filepath.Base(t.path), t.content.bytes())
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		c.set(e, who, now)
	}
	return c, nil
}

// acquire takes the lock, and waits for it a while.
func acquire(path string) (*lock.Lock, error) {
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		held, err := lock.Acquire(path)
		if err == nil || !errors.Is(err, lock.ErrBusy) || time.Now().After(end) {
			return held, err
		}
	}
}
