// Package storetest is the suite that every store of the server passes, whatever it keeps streams in.
package storetest
