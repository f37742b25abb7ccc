//go:build !race

package ort

// raceEnabled is not set: pools keep what they are given.
const raceEnabled = false
