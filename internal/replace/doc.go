// Package replace writes files in one step: whoever opens a path sees the old file or the new one, whole, whatever ends the program
// in between. It is a leaf, so that everything that writes a file can write it this way.
package replace
