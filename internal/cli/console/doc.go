// Package console is what every command has of the terminal: the streams that it writes to, the exit codes, warnings, progress, and the
// wish to stop.
package console
