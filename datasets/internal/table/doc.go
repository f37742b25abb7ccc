// Package table reads delimited tables: comma, semicolon or tab between columns, RFC 4180's quotes (or none, or backslashes before them), UTF-16
// or what has ASCII in it, with a byte order mark or without, any line end, lines before the header or no header, names of columns without
// regard to case, rows of at most 16 MiB.
//
// One reader does not use it. Package predictions writes tables back byte for byte, so it finds the cells of a row itself, in any encoding
// that has ASCII in it; the delimiter it finds here.
package table
