// Package tools pins the linters in a module of its own, so that they are no dependency of the program.
package tools
