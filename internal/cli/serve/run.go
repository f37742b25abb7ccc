package serve

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/urfave/cli/v2"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/net/netutil"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/backend"
	"github.com/oatta/oatta/serve/oip"
)

// server is all that runs.
type server struct {
	c        *cli.Context
	env      console.Environment
	log      *slog.Logger
	security security
	backend  *backend.Backend
	group    *grouped      // nil: it is alone
	served   serve.Backend // backend, or the group
	handler  *oip.Handler
	tracer   trace.Tracer // nil: no spans are wanted
}

func run(c *cli.Context, env console.Environment) error {
	if c.NArg() > 0 {
		return fmt.Errorf("serve: %q: want flags alone", c.Args().First())
	}
	others, err := readConfig(c)
	if err != nil {
		return err
	}
	if n := c.Int("max-connections"); n < 1 {
		return fmt.Errorf("--max-connections %d: want at least 1", n)
	}
	stop := env.Stops.Begin()
	s := &server{c: c, env: env}
	if s.log, err = logger(c.String("log"), env.Err); err != nil {
		return err
	}
	if s.security, err = securityOf(c); err != nil {
		return err
	}
	l, err := listen(c.Context, c.String("listen"), s.security.authorize != nil || c.Bool("insecure"))
	if err != nil {
		return err
	}
	if s.security.keys != nil && s.security.tls == nil && !loopback(l.Addr()) {
		s.log.Warn("keys and items cross the network in the clear: without TLS (--tls-cert) whoever is on the way can read them")
	}
	var traced func()
	if s.tracer, traced, err = tracer(c.Context, s.log); err != nil {
		return errors.Join(err, l.Close())
	}
	defer traced()
	if err := s.open(others); err != nil {
		return errors.Join(err, l.Close())
	}
	err = s.serve(l, stop)
	return errors.Join(err, s.close())
}

// close ends everything in order: nothing comes from the group, the state is durable, and then what carries it ends.
func (s *server) close() (err error) {
	if s.group != nil && s.group.member != nil {
		err = s.group.member.Close()
	}
	if s.backend != nil {
		err = errors.Join(err, s.backend.Close())
	}
	if s.group != nil {
		err = errors.Join(err, s.group.close())
	}
	return err
}

func logger(form string, w io.Writer) (*slog.Logger, error) {
	switch form {
	case "text":
		return slog.New(slog.NewTextHandler(w, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, nil)), nil
	}
	return nil, fmt.Errorf("--log %q: want text or json", form)
}

// open opens the models, and makes the front end.
func (s *server) open(others []own) error {
	if err := checkNATS(s.c); err != nil {
		return err
	}
	open := s.openAlone
	if s.c.String("nats") != "" {
		open = s.openGroup
	}
	if err := open(others); err != nil {
		return err
	}
	if err := s.front(); err != nil {
		return errors.Join(err, s.close())
	}
	return nil
}

func (s *server) openAlone(others []own) error {
	o, err := s.options(others)
	if err != nil {
		return err
	}
	s.backend, err = backend.New(s.c.Context, o)
	s.served = s.backend
	return err
}

// limits are the options that say nothing of models and where they keep streams.
func (s *server) limits() (o backend.Options, err error) {
	c := s.c
	o = backend.Options{
		Memory: c.Int64("max-memory"), Early: !c.Bool("durable"), Delay: c.Duration("delay"), Log: s.log,
		Limits: backend.Limits{
			Rows: c.Int("max-rows"), Queue: c.Int("max-queue"), StreamQueue: c.Int("max-stream-queue"), Streams: c.Int("max-streams"), Keys: c.Int("keys"),
			Forget: c.Duration("forget-after"),
		},
	}
	o.Quota, err = s.quota()
	return o, err
}

func (s *server) options(others []own) (o backend.Options, err error) {
	c := s.c
	if o, err = s.limits(); err != nil {
		return o, err
	}
	if o.Models, err = sources(c, others); err != nil {
		return o, err
	}
	folder, key, err := filtering.StateOf(c, "durable", "max-memory")
	if err != nil {
		return o, err
	}
	if folder == "" {
		s.log.Warn("streams are in memory alone: they end with the server (--state keeps them)")
		return o, nil
	}
	o.Key = key
	o.File = func(model string) string { return filepath.Join(folder, model+".state") }
	return o, os.MkdirAll(folder, 0o700)
}

// quota is what namespaces may take: what the file of keys says, or the flags; nil where neither can say anything.
func (s *server) quota() (func(namespace string) serve.Quota, error) {
	all, keys := serve.Quota{Streams: s.c.Int("max-namespace-streams"), Queue: s.c.Int("max-namespace-queue")}, s.security.keys
	switch {
	case all.Streams < 0 || all.Queue < 0:
		return nil, errors.New("--max-namespace-streams, --max-namespace-queue: want at least 1, or none")
	case keys == nil && all == serve.Quota{}:
		return nil, nil
	case keys == nil:
		return func(string) serve.Quota { return all }, nil
	}
	return func(namespace string) serve.Quota {
		q := keys.Quota(namespace)
		return serve.Quota{Streams: cmp.Or(q.Streams, all.Streams), Queue: cmp.Or(q.Queue, all.Queue)}
	}, nil
}

// front makes the front end.
func (s *server) front() (err error) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if s.backend != nil {
		if err := s.backend.Register(registry); err != nil {
			return err
		}
	}
	if s.group != nil {
		if err := s.group.member.Register(registry); err != nil {
			return err
		}
	}
	o := oip.Options{Version: console.Version(), Authorize: s.security.authorize, Metrics: registry, Tracer: s.tracer, Log: s.log, MaxBody: int64(s.c.Int("max-body"))}
	if s.c.Bool("log-requests") {
		o.Access = s.log
	}
	s.handler, err = oip.New(s.served, o)
	return err
}

// serve answers until it is told to stop, and then ends what is under way. When the context ends, too, it leaves at once.
func (s *server) serve(l net.Listener, stop <-chan struct{}) error {
	web := s.handler.Server()
	if s.security.authorize == nil && !s.c.Bool("insecure") {
		web.Handler = ownNames(web.Handler)
	}
	if s.group != nil && s.c.String("role") == roleWorker {
		web.Handler = workerPaths(web.Handler)
	}
	l = netutil.LimitListener(l, s.c.Int("max-connections"))
	scheme := "http"
	if s.security.tls != nil {
		l, scheme = tls.NewListener(l, s.security.tls), "https"
	}
	profiles, err := s.profiles()
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer profiles.Close()
	defer s.readTokensAgain()()
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(l) }()
	fmt.Fprintf(s.env.Out, "oatta listens on %s://%s\n", scheme, l.Addr())
	select {
	case err := <-failed:
		return err
	case <-stop:
	case <-s.c.Context.Done():
		return errors.Join(web.Close(), s.c.Context.Err())
	}
	s.log.Info("stopping: what was asked is answered")
	s.handler.Drain()
	ctx, cancel := context.WithTimeout(s.c.Context, s.c.Duration("drain"))
	defer cancel()
	if err := web.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests under way were broken off: %w", err), web.Close())
	}
	s.log.Info("stopped")
	return nil
}

// profiles serves the program's profiles on an address of the loopback.
func (s *server) profiles() (io.Closer, error) {
	address := s.c.String("pprof")
	if address == "" {
		return io.NopCloser(nil), nil
	}
	l, err := listen(s.c.Context, address, false)
	if err != nil {
		return nil, fmt.Errorf("--pprof: want an address of the loopback: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = web.Serve(l) }()
	s.log.Info("profiles", "address", "http://"+l.Addr().String()+"/debug/pprof/")
	return web, nil
}

// readTokensAgain loads the file of keys whenever the process is told to, until the function that it returns is called.
func (s *server) readTokensAgain() (end func()) {
	if s.security.keys == nil {
		return func() {}
	}
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		defer close(done)
		for range signals {
			if err := s.security.keys.Load(s.c.String("tokens")); err != nil {
				s.log.Error("the tokens are as they were", "error", err)
			} else {
				s.log.Info("the tokens were read again")
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
		<-done
	}
}
