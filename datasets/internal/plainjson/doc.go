// Package plainjson makes JSON of what Python writes: each NaN, Infinity and -Infinity outside of strings is null, an unknown value. All else
// stays as it is, right or wrong.
package plainjson
