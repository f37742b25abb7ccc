package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// do sends a request until it is answered, refused for good, or asked often enough.
func (c *Client) do(ctx context.Context, q *ask) (*reply, error) {
	wait := c.o.Wait
	for attempt := 1; ; attempt++ {
		r, err := c.once(ctx, q)
		if err == nil {
			r.attempts = attempt
			return r, nil
		}
		least, again := q.retries(err)
		if !again || attempt >= c.o.Attempts || ctx.Err() != nil {
			return nil, err
		}
		if stopped := pause(ctx, max(least, wait/2+rand.N(wait/2+1))); stopped != nil {
			return nil, errors.Join(err, stopped)
		}
		wait = min(2*wait, c.o.MaxWait)
	}
}

// retries tells whether a request may be sent again after an error, and after what time at least.
func (q *ask) retries(err error) (least time.Duration, again bool) {
	var told *Error
	if !errors.As(err, &told) {
		q.unsure = true
		return 0, q.again // the answer was lost, or never given
	}
	switch told.Status {
	case http.StatusTooManyRequests:
		return told.Retry, true // nothing was changed
	case http.StatusServiceUnavailable: // nor here, unless several servers are one, and one does not know what became of another
		q.unsure = true
		return told.Retry, true
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		q.unsure = true
		return told.Retry, q.again // of something between here and the server
	}
	return 0, false
}

// pause waits, unless the context ends before, or would end before that.
func pause(ctx context.Context, d time.Duration) error {
	if end, bounded := ctx.Deadline(); bounded && time.Until(end) < d {
		return context.DeadlineExceeded
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errorOf reads what the server says. What is not of the server, as of a proxy, is told by its status.
func errorOf(r *http.Response) error {
	e := &Error{Status: r.StatusCode}
	if seconds, err := strconv.ParseUint(r.Header.Get("Retry-After"), 10, 31); err == nil {
		e.Retry = time.Duration(seconds) * time.Second
	}
	if number, err := strconv.ParseUint(r.Header.Get(numberHeader), 10, 63); err == nil {
		e.Number = number
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, mostError))
	if err == nil {
		var body struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(text, &body) == nil {
			e.Text = body.Error
		}
	}
	if e.Text == "" {
		e.Text = http.StatusText(r.StatusCode)
	}
	return e
}
