// Package arch tests that the module is built as its design says: which package may import which, where cgo may be, and that every
// package says what it is. It parses the files in-process; a test that asked the go command would be cached and would lie.
package arch
