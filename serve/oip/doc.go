// Package oip is the front end of the server: the Open Inference Protocol, version 2, over REST and gRPC, with the extensions that Triton's
// clients use: binary tensors, sequences, streaming inference, model repository, statistics, configuration.
//
// # From bytes to a request and back
//
//	bytes -> limits -> caller -> decoding -> serve.Request -> serve.Backend -> serve.Response -> encoding -> bytes
//
// [New] makes one http.Handler of all that; [Handler.Server] puts it on HTTP/1.1 and HTTP/2, with or without TLS, so that one port serves both
// transports. REST is a table of routes, gRPC a service of connect-go. Both make the same [serve.Request] of the same question, and tell
// the same errors by the codes of their own.
//
// # Contract
//
//   - Nothing is allocated by a number that a client merely claims: a tensor of 2^40 elements is refused when its bytes are not there.
//   - Numbers are exact: integers never pass through float64, and floats are written so that they read back to the same bits.
//   - A request is given to the backend whole or not at all.
//   - What is no [serve.Error] is logged and told to nobody; a panic, too, and the server lives on.
//   - Neither inputs nor outputs nor names of streams are logged.
package oip
