package message

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"unicode/utf8"
)

// Show returns a name as one line of text: itself where it is that, quoted where it holds line breaks, control characters or bytes
// that are no UTF-8.
func Show(name string) string {
	if !utf8.ValidString(name) {
		return strconv.Quote(name)
	}
	for _, r := range name {
		if !strconv.IsPrint(r) {
			return strconv.Quote(name)
		}
	}
	return name
}

// Count returns "1 picture" or "3 pictures".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Cause returns the error without the operation and path that package os puts before it; our own place stands there already.
func Cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
