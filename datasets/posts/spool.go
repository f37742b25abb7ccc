package posts

import (
	"fmt"
	"os"
	goruntime "runtime"

	"github.com/oatta/oatta/datasets/internal/message"
)

// spool holds texts one behind another: in memory while they are few, else in a temporary file that goes with the process. What was read is what is
// classified, whatever becomes of the file of posts meanwhile, and it need not be one that can be read from any place, as gzip cannot.
type spool struct {
	held     []byte   // what is not in the file
	file     *os.File // nil while all is held
	size     int64    // bytes in the file
	leftover string   // name of a file that could not be removed while it is open; "" for none
}

// spoolHeld is how many bytes are held before they go to the file.
const spoolHeld = 4 << 20

// end returns where the next text will begin.
func (s *spool) end() int64 { return s.size + int64(len(s.held)) }

// add puts a text behind the others.
func (s *spool) add(text string) error {
	s.held = append(s.held, text...)
	if len(s.held) < spoolHeld {
		return nil
	}
	return s.flush()
}

// done is called behind the last text: what few are held stay, a file gets the rest.
func (s *spool) done() error {
	if s.file == nil {
		return nil
	}
	err := s.flush()
	s.held = nil
	return err
}

// flush moves what is held to the file.
func (s *spool) flush() error {
	if s.file == nil {
		if err := s.create(); err != nil {
			return err
		}
	}
	n, err := s.file.Write(s.held)
	if s.size += int64(n); err != nil {
		return spoolError(err)
	}
	s.held = s.held[:0]
	return nil
}

// create makes the file, which has no name from then on where the system allows that.
func (s *spool) create() (err error) {
	if s.file, err = os.CreateTemp("", "posts-*"); err != nil {
		s.file = nil
		return spoolError(err)
	}
	if os.Remove(s.file.Name()) != nil {
		s.leftover = s.file.Name()
	}
	return nil
}

// text returns the bytes from one place to another. It may be called side by side once all texts are there.
func (s *spool) text(from, to int64) (string, error) {
	if s.file == nil {
		return string(s.held[from:to]), nil
	}
	b := make([]byte, to-from)
	if _, err := s.file.ReadAt(b, from); err != nil {
		return "", spoolError(err)
	}
	return string(b), nil
}

// spoolError says what file is meant, whose own name says nothing.
func spoolError(err error) error {
	variable := "TMPDIR"
	if goruntime.GOOS == "windows" {
		variable = "TMP"
	}
	return fmt.Errorf("datasets/posts: temporary file of texts (%s says where): %w", variable, message.Cause(err))
}

// close frees the file.
func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.leftover != "" {
		err = os.Remove(s.leftover)
	}
	return err
}
