package serve

import (
	"fmt"
	"time"
)

// Code classes what went wrong, by gRPC's names.
type Code int

// The codes, with the HTTP status that goes with each.
const (
	InvalidArgument  Code = iota + 1 // 400
	Unauthenticated                  // 401
	PermissionDenied                 // 403
	NotFound                         // 404
	Conflict                         // 409: FAILED_PRECONDITION
	TooLarge                         // 413: OUT_OF_RANGE
	Exhausted                        // 429: RESOURCE_EXHAUSTED
	Unavailable                      // 503
	Aborted                          // 409: a number that is not above the highest
)

// Error is what a client is told.
type Error struct {
	Code  Code
	Text  string
	Retry time.Duration // with Exhausted and Unavailable: when to try again; 0: unknown
	// Number is, with Aborted, the highest that was counted of the stream.
	Number uint64
}

func (e *Error) Error() string { return e.Text }

// Errorf makes an error for the client.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// NoModel is the error where there is no model of that name and version. There is one text for it, so that a model that somebody may not
// use looks like one that is not there.
func NoModel(name, version string) *Error {
	if version == "" {
		return Errorf(NotFound, "no model %q", name)
	}
	return Errorf(NotFound, "no version %q of a model %q", version, name)
}
