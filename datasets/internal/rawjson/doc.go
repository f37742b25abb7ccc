// Package rawjson finds where values stand in JSON text, so that what a reader does not understand can be written back as it was. What
// it returns shares memory with the text.
package rawjson
