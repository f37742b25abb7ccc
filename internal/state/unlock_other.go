//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package state

import "os"

// abandon closes a file that bbolt still maps into memory. Where locks are not those of flock, the lock may stay until the process
// ends.
func abandon(f *os.File) error { return f.Close() }
