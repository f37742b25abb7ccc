//go:build unix

package cputime

import "syscall"

// Seconds returns the seconds that all threads of the process have computed so far.
func Seconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no reason to fail
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
