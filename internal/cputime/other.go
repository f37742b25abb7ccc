//go:build !unix

package cputime

import "time"

var began = time.Now()

// Seconds returns the seconds that have passed: this system does not tell those that the process computed as others do.
func Seconds() float64 { return time.Since(began).Seconds() }
