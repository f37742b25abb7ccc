package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/auth"
)

// authorizer tells whom a request is from.
type authorizer func(ctx context.Context, token string, state *tls.ConnectionState) (*serve.Principal, error)

// security is who may come, and how what they say is kept secret.
type security struct {
	tls       *tls.Config // nil: in the clear
	keys      *auth.Keys  // nil: none
	authorize authorizer  // nil: anyone
}

func securityOf(c *cli.Context) (s security, err error) {
	if s.tls, err = tlsOf(c); err != nil {
		return s, err
	}
	switch {
	case c.String("tokens") != "":
		s.keys = &auth.Keys{}
		s.authorize = s.keys.Authorize
		err = s.keys.Load(c.String("tokens"))
	case s.tls != nil && s.tls.ClientCAs != nil:
		s.authorize = byCertificate
	}
	return s, err
}

func tlsOf(c *cli.Context) (t *tls.Config, err error) {
	cert, key, authority := c.String("tls-cert"), c.String("tls-key"), c.String("tls-client-ca")
	switch {
	case cert == "" && key == "" && authority == "":
		return nil, nil
	case cert == "" || key == "":
		return nil, errors.New("TLS: want --tls-cert and --tls-key")
	}
	t = &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	if t.Certificates, err = certificateOf(c, "tls-cert", "tls-key"); err != nil {
		return nil, err
	}
	if authority != "" {
		if t.ClientCAs, err = authoritiesOf(c, "tls-client-ca"); err != nil {
			return nil, err
		}
		t.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return t, nil
}

// certificateOf reads a certificate and its key, from the files that two flags name.
func certificateOf(c *cli.Context, cert, key string) ([]tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(c.String(cert), c.String(key))
	if err != nil {
		return nil, fmt.Errorf("--%s, --%s: %w", cert, key, err)
	}
	return []tls.Certificate{pair}, nil
}

// authoritiesOf reads the certificates of authorities, from the file that a flag names.
func authoritiesOf(c *cli.Context, flag string) (*x509.CertPool, error) {
	text, err := os.ReadFile(c.String(flag))
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--%s %s: no certificate in it", flag, c.String(flag))
	}
	return pool, nil
}

// byCertificate makes the common name of a client's certificate the namespace of its streams.
func byCertificate(_ context.Context, _ string, state *tls.ConnectionState) (*serve.Principal, error) {
	if state == nil || len(state.VerifiedChains) == 0 {
		return nil, serve.Errorf(serve.Unauthenticated, "no certificate of a client")
	}
	name := state.VerifiedChains[0][0].Subject.CommonName
	if name == "" || strings.Contains(name, "/") {
		return nil, serve.Errorf(serve.Unauthenticated, "the certificate's common name is no name of a namespace")
	}
	return &serve.Principal{Name: name, Namespace: name, Models: []string{serve.AnyModel}}, nil
}

// listen opens an address, which must be one of the loopback unless the callers are known.
func listen(ctx context.Context, address string, open bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: want an address and a port, as 127.0.0.1:8000", address)
	}
	if !open && !isLoopback(host) {
		return nil, fmt.Errorf("--listen %s: others could reach it, and anyone could ask: want --tokens or --tls-client-ca, or --insecure", address)
	}
	return new(net.ListenConfig).Listen(ctx, "tcp", address)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// ownNames refuses requests that call a server for this machine alone by another machine's name: a page in a browser here could otherwise have its
// own name lead to the loopback, and ask as one who is here.
func ownNames(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if host = strings.ToLower(strings.Trim(host, "[]")); host != "" && !isLoopback(host) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"error":"this server is for its own machine, by the names of the loopback; for others it wants --tokens"}`)
			return
		}
		next.ServeHTTP(w, r)
	})
}
