// Package queue holds what waits for its turn, in a ring that grows.
package queue
