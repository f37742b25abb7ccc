//go:build race

package image

// raceEnabled is set where the race detector runs: it makes appends allocate twice.
const raceEnabled = true
