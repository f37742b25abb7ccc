package backend

import (
	"sync"
	"time"

	"github.com/oatta/oatta/serve"
)

// admission bounds what waits at a model: rows in all, what they take as inputs of a network, and requests of one stream, so that none fills the
// queue alone. It knows the requests with a key that are on their way.
type admission struct {
	limits  Limits
	flights flights

	mu      sync.Mutex
	rows    int
	bytes   int64
	streams map[string]int
	spaces  map[string]int // rows of each namespace
	quota   func(namespace string) serve.Quota
}

func newAdmission(o *Options) *admission {
	return &admission{limits: o.Limits, quota: o.quotaOf, streams: map[string]int{}, spaces: map[string]int{}}
}

// retryAfter is when a client who was turned away should come again. The queue is a second's work at most, or the machine is too small.
const retryAfter = time.Second

func (a *admission) admit(namespace, stream string, rows int, bytes int64) error {
	most := a.quota(namespace).Queue
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.rows > 0 && a.rows+rows > a.limits.Queue:
		return exhausted("%d rows wait for the model: no more than %d may", a.rows, a.limits.Queue)
	case a.bytes > 0 && bytes > a.limits.Bytes-a.bytes:
		return exhausted("inputs of %d bytes wait for the model: no more than %d may", a.bytes, a.limits.Bytes)
	case most > 0 && a.spaces[namespace] > 0 && a.spaces[namespace]+rows > most:
		return exhausted("%d rows of the namespace wait for the model: no more than %d may", a.spaces[namespace], most)
	case stream != "" && a.streams[stream] >= a.limits.StreamQueue:
		return exhausted("%d requests of the stream wait: no more may", a.limits.StreamQueue)
	}
	a.rows, a.bytes = a.rows+rows, a.bytes+bytes
	a.spaces[namespace] += rows
	if stream != "" {
		a.streams[stream]++
	}
	return nil
}

func (a *admission) leave(namespace, stream string, rows int, bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rows, a.bytes = a.rows-rows, a.bytes-bytes
	if a.spaces[namespace] -= rows; a.spaces[namespace] == 0 {
		delete(a.spaces, namespace)
	}
	if stream == "" {
		return
	}
	if a.streams[stream]--; a.streams[stream] == 0 {
		delete(a.streams, stream)
	}
}

// waiting returns the rows that wait.
func (a *admission) waiting() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.rows
}

func exhausted(format string, args ...any) error {
	e := serve.Errorf(serve.Exhausted, format, args...)
	e.Retry = retryAfter
	return e
}

func unavailable(format string, args ...any) error {
	e := serve.Errorf(serve.Unavailable, format, args...)
	e.Retry = retryAfter
	return e
}
