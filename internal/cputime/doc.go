// Package cputime tells what the process has computed so far, which other programs on the machine change little: the measure of whatever
// times two things against each other.
package cputime
