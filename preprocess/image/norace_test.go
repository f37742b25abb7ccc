//go:build !race

package image

// raceEnabled is not set: what is allocated is what the program allocates.
const raceEnabled = false
