// Package vault seals what is kept of streams: names become ids, and values what is stored, bound to its place.
package vault
