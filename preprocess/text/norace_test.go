//go:build !race

package text

// raceEnabled is not set: pools keep what they are given.
const raceEnabled = false
