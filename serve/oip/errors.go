package oip

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"time"

	"connectrpc.com/connect"

	"github.com/oatta/oatta/serve"
)

// verdict is what is told of an error: the codes of both transports, the text, when to try again (0: unknown), and of a number that is too low, the
// highest so far.
type verdict struct {
	status int
	code   connect.Code
	text   string
	retry  time.Duration
	number uint64
}

var codes = map[serve.Code]verdict{
	serve.InvalidArgument:  {status: http.StatusBadRequest, code: connect.CodeInvalidArgument},
	serve.Unauthenticated:  {status: http.StatusUnauthorized, code: connect.CodeUnauthenticated},
	serve.PermissionDenied: {status: http.StatusForbidden, code: connect.CodePermissionDenied},
	serve.NotFound:         {status: http.StatusNotFound, code: connect.CodeNotFound},
	serve.Conflict:         {status: http.StatusConflict, code: connect.CodeFailedPrecondition},
	serve.TooLarge:         {status: http.StatusRequestEntityTooLarge, code: connect.CodeOutOfRange},
	serve.Aborted:          {status: http.StatusConflict, code: connect.CodeAborted},
	serve.Exhausted:        {status: http.StatusTooManyRequests, code: connect.CodeResourceExhausted},
	serve.Unavailable:      {status: http.StatusServiceUnavailable, code: connect.CodeUnavailable},
}

// statusClientGone is what others log, too, where a client went before its answer; nobody reads it.
const statusClientGone = 499

// judge says what is told of an error. What is not meant for clients has a text that says nothing, and hidden is true.
func judge(err error) (v verdict, hidden bool) {
	var told *serve.Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &told):
		v, known := codes[told.Code]
		if !known {
			return internal, true
		}
		v.text, v.number = told.Text, told.Number
		if told.Code == serve.Exhausted || told.Code == serve.Unavailable {
			v.retry = told.Retry
		}
		return v, false
	case errors.As(err, &tooLarge):
		return verdict{http.StatusRequestEntityTooLarge, connect.CodeOutOfRange, fmt.Sprintf("a request of more than %d bytes", tooLarge.Limit), 0, 0}, false
	case errors.Is(err, os.ErrDeadlineExceeded):
		return verdict{http.StatusRequestTimeout, connect.CodeDeadlineExceeded, "the request came too slowly", 0, 0}, false
	case errors.Is(err, context.DeadlineExceeded):
		return verdict{http.StatusGatewayTimeout, connect.CodeDeadlineExceeded, "no answer within the time that the request allows", 0, 0}, false
	case errors.Is(err, context.Canceled):
		return verdict{statusClientGone, connect.CodeCanceled, "the request was given up", 0, 0}, false
	}
	return internal, true
}

var internal = verdict{http.StatusInternalServerError, connect.CodeInternal, "the server failed; its log says why", 0, 0}

// seconds of a wait, as Retry-After has them: whole ones, and one where it is not known.
func (v *verdict) seconds() string {
	return strconv.FormatInt(max(1, int64(math.Ceil(v.retry.Seconds()))), 10)
}

// connectError is an error as connect-go takes it. One that is told by connect-go itself stays as it is.
func connectError(err error) (*connect.Error, bool) {
	var already *connect.Error
	if errors.As(err, &already) {
		return already, false
	}
	v, hidden := judge(err)
	told := connect.NewError(v.code, errors.New(v.text))
	if v.retry > 0 || v.code == connect.CodeResourceExhausted || v.code == connect.CodeUnavailable {
		told.Meta().Set("Retry-After", v.seconds())
		told.Meta().Set("Grpc-Retry-Pushback-Ms", strconv.FormatInt(max(v.retry.Milliseconds(), 1000), 10))
	}
	if v.number > 0 {
		told.Meta().Set(numHeader, strconv.FormatUint(v.number, 10))
	}
	return told, hidden
}
