package oip

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/servetest"
)

// tester asks a handler over REST without a network. Whatever comes back must be what the description says.
type tester struct {
	t       testing.TB
	h       *Handler
	backend *servetest.Backend
	log     *logged
	paths   routers.Router
}

// logged is what the server logs.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newTester(t testing.TB, o Options) *tester {
	t.Helper()
	b, log := servetest.New(3), &logged{}
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	h, err := New(b, o)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := gorillamux.NewRouter(described(t))
	if err != nil {
		t.Fatal(err)
	}
	return &tester{t, h, b, log, paths}
}

// ask sends a request and returns the answer, read.
func (s *tester) ask(method, target, body string, header http.Header) (*http.Response, string) {
	s.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for name, values := range header {
		r.Header[name] = values
	}
	if r.Header.Get("Content-Type") == "" && body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	s.h.ServeHTTP(w, r)
	s.describedAs(r, w)
	return w.Result(), w.Body.String()
}

// describedAs checks an answer against the description.
func (s *tester) describedAs(r *http.Request, w *httptest.ResponseRecorder) {
	s.t.Helper()
	route, parameters, err := s.paths.FindRoute(r)
	if err != nil {
		return // not every test asks for what there is
	}
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: parameters, Route: route, Options: &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true,
	}}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: w.Code, Header: w.Header(), Body: io.NopCloser(bytes.NewReader(w.Body.Bytes())), Options: in.Options,
	})
	if err != nil {
		s.t.Errorf("%s %s: the answer is not what the description says: %v", r.Method, r.URL, err)
	}
}

// want asks and compares status and body; a body that ends in … need only begin so.
func (s *tester) want(status int, body, method, target, send string, header http.Header) {
	s.t.Helper()
	got, text := s.ask(method, target, send, header)
	same := text == body
	if begin, open := strings.CutSuffix(body, "…"); open {
		same = strings.HasPrefix(text, begin)
	}
	if got.StatusCode != status || !same {
		s.t.Errorf("%s %s %.200s: %d %s\nwant %d %s", method, target, send, got.StatusCode, text, status, body)
	}
}

// refused asks for an inference that is refused with a status and an error that holds a text.
func (s *tester) refused(status int, text, send string, header http.Header) {
	s.t.Helper()
	got, body := s.ask("POST", "/v2/models/filter/infer", send, header)
	if got.StatusCode != status || !strings.HasPrefix(body, `{"error":"`) || !strings.Contains(body, text) {
		s.t.Errorf("%.200q: %d %s\nwant %d and %q in it", send, got.StatusCode, body, status, text)
	}
}

// unlogged fails if the server logged anything.
func (s *tester) unlogged() {
	s.t.Helper()
	if text := s.log.String(); text != "" {
		s.t.Errorf("logged: %s", text)
	}
}

var _ serve.Backend = (*servetest.Backend)(nil)
