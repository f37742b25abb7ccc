package image

import (
	"fmt"
	"io"
	"os"
)

// readFile reads the file at path into buf, enlarged where needed, when it is its turn; the caller says when it is done with the data.
func (t *Transform) readFile(buf []byte, path string) (data []byte, done func(), err error) {
	done = func() {}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() <= t.limits.MaxBytes {
		done = t.memory.reading(info.Size())
	}
	if data, err = readFile(buf, path, t.limits); err != nil {
		done()
		return data, nil, err
	}
	return data, done, nil
}

// readFile reads the file at path into buf, enlarged where needed. Only regular files are read: a pipe or device may never
// end. The errors of the system name the path.
func readFile(buf []byte, path string, l Limits) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return buf, err
	}
	if !info.Mode().IsRegular() {
		return buf, fmt.Errorf("%s: not a regular file", path)
	}
	if err := l.checkBytes(info.Size()); err != nil {
		return buf, fmt.Errorf("%s: %w", path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return buf, err
	}
	defer f.Close() // opened for reading: nothing can be lost in closing
	buf = resize(buf, int(info.Size()))
	// A file that shrinks meanwhile is read as far as it goes; one that grows, as far as it went.
	n, err := io.ReadFull(f, buf)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return buf[:n], err
}
