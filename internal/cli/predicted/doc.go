// Package predicted opens the predictions of other programs for filter and calibrate: what the flags say of the file, its labels, and what
// becomes of lines that fail.
package predicted
