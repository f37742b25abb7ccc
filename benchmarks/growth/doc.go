// Package growth measures what an item costs as something around it grows: classes, streams, the size of a picture, the length of a
// recording, cores. Nothing may grow faster than its input. All points of a figure are measured in turn and in one run, by the CPU time of the
// process, but for cores, where time passes for all of them. What is measured is made up, so that it is the same everywhere.
//
//	oatta bench growth
package growth
