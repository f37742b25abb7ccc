// Package filter is the command that passes the predictions of another program through the filters of their streams.
package filter
