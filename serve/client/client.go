package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Options say how a server is asked. The zero value asks as anyone.
type Options struct {
	// Token is a key as `oatta key` makes them; empty: none.
	Token string
	// HTTP asks; its Timeout is that of one attempt. Nil: a client with a minute for each, and as many connections as requests are under way.
	HTTP *http.Client
	// Attempts is how often a request is asked at most; 0: 5. Only the context bounds their time.
	Attempts int
	// Wait is the time before the second attempt; each later one waits twice as long, up to MaxWait, or as long as the server says, where that is
	// more. A random half of it is left out, lest many come back at once. 0: 100 ms and 10 s.
	Wait, MaxWait time.Duration
}

// Client asks one server. It is safe for concurrent use.
type Client struct {
	base string
	o    Options
	last atomic.Uint64 // number of a request
}

// New makes a client of the server at an address such as http://127.0.0.1:8000. Nothing is asked yet.
func New(address string, o Options) (*Client, error) {
	at, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("client: %w", err)
	case at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.RawQuery != "" || at.Fragment != "":
		return nil, fmt.Errorf("client: address %q: want one as http://127.0.0.1:8000", address)
	case o.Attempts < 0 || o.Wait < 0 || o.MaxWait < 0:
		return nil, errors.New("client: options: a number is negative")
	}
	if o.HTTP == nil {
		o.HTTP = defaultHTTP()
	}
	if o.Attempts == 0 {
		o.Attempts = 5
	}
	if o.Wait == 0 {
		o.Wait = 100 * time.Millisecond
	}
	if o.MaxWait == 0 {
		o.MaxWait = 10 * time.Second
	}
	return &Client{base: strings.TrimSuffix(address, "/"), o: o}, nil
}

func defaultHTTP() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, 1024
	return &http.Client{
		Transport: transport, Timeout: time.Minute,
		// The server sends nobody elsewhere: who does is not it, and is not to get what is asked.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Close closes connections without requests.
func (c *Client) Close() { c.o.HTTP.CloseIdleConnections() }

// Error is what the server says of a request that it refused, or of its own failure.
type Error struct {
	Status int           // of HTTP: 404 for no such model or stream, 409 for a key, stream or item that is there already, 429 and 503 for not now, …
	Text   string        // of the server
	Retry  time.Duration // after which it says to come again; 0: it does not say
	Number uint64        // with 409, where the number of the request is not above it: the highest of the stream; else 0
}

func (e *Error) Error() string { return fmt.Sprintf("client: status %d: %s", e.Status, e.Text) }

// ask is a request of HTTP that can be sent again.
type ask struct {
	method, path string // the path is escaped
	header       map[string]string
	body         []byte
	again        bool // also where an answer was lost
	unsure       bool // set where one was: an earlier attempt may have had its effect
}

// reply is an answer below 300.
type reply struct {
	status   int
	header   http.Header
	body     []byte
	attempts int
}

// mostAnswer bounds the bytes of an answer, and mostError those of an error's text.
const (
	mostAnswer = 1 << 30
	mostError  = 64 << 10
)

// once sends a request one time.
func (c *Client) once(ctx context.Context, q *ask) (*reply, error) {
	r, err := http.NewRequestWithContext(ctx, q.method, c.base+q.path, bytes.NewReader(q.body))
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	if c.o.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.o.Token)
	}
	answer, err := c.o.HTTP.Do(r)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		return nil, errorOf(answer)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer+1))
	if err == nil && len(body) > mostAnswer {
		err = fmt.Errorf("an answer of more than %d bytes", mostAnswer)
	}
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	return &reply{status: answer.StatusCode, header: answer.Header, body: body}, nil
}
