// Package timing times pieces of work in turn and in one run, by the CPU time of the process, for whoever compares them.
package timing
