//go:build race

package text

// raceEnabled is set where the race detector runs: it makes sync.Pool drop things at random, so that more is allocated.
const raceEnabled = true
