// Package lock keeps two runs from writing one output: PATH.oatta-lock lies beside it, locked, while a run is at it. The lock is the system's, and
// ends with the process; the file that a killed one leaves behind is in nobody's way.
package lock
