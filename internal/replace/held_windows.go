package replace

import (
	"errors"

	"golang.org/x/sys/windows"
)

// Held tells whether an error says that somebody has a file open, or that it is about to vanish as soon as nobody has. Windows alone has such
// errors, and says the first in the words of missing rights, too.
func Held(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
		errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_DELETE_PENDING) || errors.Is(err, windows.ERROR_USER_MAPPED_FILE)
}
