// Package servetest is a [serve.Backend] in memory, for tests of what asks one: one filter, whose streams are lost with the process. It keeps
// the contract of the interface, and none of the promises of durability. Beside it are predictions to ask it with, and
// addresses for servers.
package servetest
