package replace

import (
	"os"
	"time"
)

// patience bounds how long a rename or a removal waits for other programs to close a file. Those that open what they see appear, such as
// virus scanners, indexers and backups, take less.
const patience = 2 * time.Second

// Rename renames a file or a folder as [os.Rename] does. On Windows, where that fails while another program has either open, it tries again
// for two seconds.
func Rename(from, to string) error {
	return patiently(patience, Held, func() error { return os.Rename(from, to) })
}

// patiently does what may be in the way of another program, again and again, until it succeeds, fails for another reason, or time is up.
func patiently(most time.Duration, held func(error) bool, do func() error) error {
	end := time.Now().Add(most)
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		err := do()
		if err == nil || !held(err) || time.Now().Add(wait).After(end) {
			return err
		}
		time.Sleep(wait)
	}
}
