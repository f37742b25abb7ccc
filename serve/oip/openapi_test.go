package oip

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/oatta/oatta/serve/servetest"
)

// described is the description, read and checked by a library that knows OpenAPI.
func described(t testing.TB) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openAPI)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
	return doc
}

// Every route of REST is described, and what is described is a route; what says that it needs no key needs none.
func TestRoutesAreDescribed(t *testing.T) {
	doc := described(t)
	h, err := New(servetest.New(3), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var routes, operations []string
	for pattern, r := range h.routes {
		if r.transport != "rest" {
			continue
		}
		routes = append(routes, pattern)
		verb, path, _ := strings.Cut(pattern, " ")
		item := doc.Paths.Value(path)
		if item == nil || item.GetOperation(verb) == nil {
			continue
		}
		if open := item.GetOperation(verb).Security != nil; open != (r.needs == nobody) {
			t.Errorf("%s: needs %d, and the description says open: %v", pattern, r.needs, open)
		}
	}
	for path, item := range doc.Paths.Map() {
		for verb := range item.Operations() {
			operations = append(operations, verb+" "+path)
		}
	}
	slices.Sort(routes)
	slices.Sort(operations)
	if !slices.Equal(routes, operations) {
		t.Errorf("routes:\n%s\ndescribed:\n%s", strings.Join(routes, "\n"), strings.Join(operations, "\n"))
	}
}

func TestDescriptionIsServed(t *testing.T) {
	h, err := New(servetest.New(3), Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v2/openapi.yaml", nil))
	if w.Code != http.StatusOK || !slices.Equal(w.Body.Bytes(), openAPI) {
		t.Errorf("%d, %d bytes", w.Code, w.Body.Len())
	}
}
