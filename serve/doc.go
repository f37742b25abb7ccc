// Package serve holds the HTTP, gRPC and message-log front ends over the same pipeline that the command line runs.
//
// It holds no code yet.
package serve
