// Package tools pins the linters, and what packages are made with, in a module of its own, so that they are no dependency of the program.
package tools
