// Package delimiter finds what parts the columns of a table.
package delimiter
