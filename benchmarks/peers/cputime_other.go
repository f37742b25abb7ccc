//go:build !unix

package peers

import "time"

var began = time.Now()

// CPUTime returns the seconds that have passed: this system does not tell those that the process computed as others do.
func CPUTime() float64 { return time.Since(began).Seconds() }
