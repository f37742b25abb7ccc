package networks

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/oatta/oatta/internal/lock"
)

// file is records of one size on disk, behind a line that says what they are. It is locked until it is closed. Without a folder it keeps
// nothing.
type file struct {
	path string
	head string // the line
	size int    // bytes of a record
	have int    // records that are there
	lock *lock.Lock
}

// openFile opens the records that a line describes, and returns those that are there. Its name is the line's hash, behind what it begins with.
func openFile(dir, about string, size int) (f *file, records []byte, err error) {
	if dir == "" {
		return &file{}, nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, fmt.Errorf("networks: %w", err)
	}
	f = &file{path: filepath.Join(dir, nameOf(about)), head: about + "\n", size: size}
	if f.lock, err = lock.Acquire(f.path); err != nil {
		return nil, nil, err
	}
	b, err := os.ReadFile(f.path)
	if err == nil && !bytes.HasPrefix(b, []byte(f.head)) && !strings.HasPrefix(f.head, string(b)) {
		err = fmt.Errorf("networks: %s is not what its name says", f.path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, errors.Join(err, f.close())
	}
	if len(b) > len(f.head) {
		records = b[len(f.head):]
	}
	f.have = len(records) / size // half a record of a run that was killed is lost
	return f, records[:f.have*size], nil
}

// nameOf is a name for people, and a hash of the whole.
func nameOf(about string) string {
	words := strings.FieldsFunc(about, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '.'
	})
	first := strings.Join(words, "_")
	return fmt.Sprintf("%.40s-%.12x.f32", first, sha256.Sum256([]byte(about)))
}

// write puts whole records behind the first from of the file.
func (f *file) write(from int, records []byte) (err error) {
	if f.path == "" || len(records) == 0 {
		return nil
	}
	out, err := os.OpenFile(f.path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("networks: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	end := int64(len(f.head) + from*f.size)
	if from == 0 {
		if _, err := out.WriteAt([]byte(f.head), 0); err != nil {
			return err
		}
	}
	if err := out.Truncate(end); err != nil {
		return err
	}
	if _, err = out.WriteAt(records, end); err == nil {
		f.have = from + len(records)/f.size
	}
	return err
}

// close gives the file free.
func (f *file) close() error { return f.lock.Release() }
