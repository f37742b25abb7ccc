//go:build race

package main

// raceDetector tells that the race detector watches, whose shadow memory is not the program's.
const raceDetector = true
