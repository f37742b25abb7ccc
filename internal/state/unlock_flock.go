//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package state

import (
	"os"
	"syscall"
)

// abandon closes a file that bbolt still maps into memory. The map would keep the lock: it is let go of first.
func abandon(f *os.File) error {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // the file may be closed already, which Close tells
	return f.Close()
}
