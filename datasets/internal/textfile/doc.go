// Package textfile opens files of text, through gzip, and bounds what one record of them may take.
package textfile
