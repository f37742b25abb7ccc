// Package run holds the commands run and eval: raw input of each kind to adapted labels, and their scores. One pass serves both; what
// belongs to pictures, movement, sleep and posts lies in files of their names.
package run
