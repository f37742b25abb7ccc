//go:build race

package ort

// raceEnabled is set where the race detector runs: it makes sync.Pool drop things at random.
const raceEnabled = true
