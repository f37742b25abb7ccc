package serve

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestOwnNames(t *testing.T) {
	h := ownNames(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	for host, want := range map[string]int{
		"127.0.0.1:8000": 200, "127.0.0.1": 200, "localhost:8000": 200, "localhost": 200, "LocalHost:80": 200, "[::1]:8000": 200, "[::1]": 200, "127.8.9.1:1": 200, "": 200,
		"page.example:8000": 403, "page.example": 403, "localhost.page.example": 403, "10.0.0.1:8000": 403, "127.0.0.1.page.example:80": 403,
	} {
		r := httptest.NewRequest(http.MethodGet, "/v2", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("host %q: %d, want %d", host, w.Code, want)
		}
	}
}
