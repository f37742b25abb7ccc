// Package serve is the vocabulary of the server: what a request of the Open Inference Protocol, version 2, asks for and what answers it,
// whichever transport it came by and whichever model answers.
//
// # Parts
//
//   - A front end (package serve/oip) reads REST and gRPC, and knows the protocol's names, encodings and status codes. It makes a [Request]
//     of a call, gives it to a [Backend], and writes the [Response].
//   - A [Backend] (package serve/backend) knows models, streams and their state, and nothing of transports. It answers a request when what the
//     request changed is durable.
//   - A client (package serve/client) asks a server from Go, and needs none of these.
//
// Errors that a client may see are of type [*Error]; any other error is the server's own fault, is logged, and reaches the client without
// its text.
package serve
