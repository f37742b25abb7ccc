// Package serve is the command of the server: it reads what is to be served, brings front end, backend and engine together, and ends them in
// order.
package serve
