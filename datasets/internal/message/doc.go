// Package message has the words in which readers tell what they found.
package message
