// Package frame writes and reads the small binary forms that are kept or sent: fields one after the other, what has no fixed size behind its length.
// Whatever the bytes are, reading ends with an error at worst.
package frame
