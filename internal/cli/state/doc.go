// Package state holds the commands that look into a file of remembered streams, and forget.
package state
