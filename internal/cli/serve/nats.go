package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/serve/backend"
	"github.com/oatta/oatta/serve/cluster"
	"github.com/oatta/oatta/serve/jetstore"
	"github.com/oatta/oatta/serve/natsserver"
)

const natsCategory = "SEVERAL MACHINES"

// embedded, in the place of an address, is a NATS server in this process.
const embedded = "embedded"

// Roles of a member.
const (
	roleBoth    = "both"
	roleGateway = "gateway"
	roleWorker  = "worker"
)

func natsFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "nats", Category: natsCategory, Usage: "keep streams in NATS JetStream, and be one of a group of servers: embedded (a NATS server in this process, with its files in --state), or `URL`s of NATS servers, separated by commas"},
		&cli.StringFlag{Name: "role", Value: roleBoth, Category: natsCategory, Usage: "both, gateway (is asked, and has no models and streams of its own) or worker (has them, and is asked by the others alone)"},
		&cli.StringFlag{Name: "nats-name", Category: natsCategory, DefaultText: "the machine's", Usage: "`NAME` of this server in the group, that no other has"},
		&cli.IntFlag{Name: "shards", Value: 16, Category: natsCategory, Usage: "into how many parts the streams of each model are split, from the first start on; more servers than that have nothing to do"},
		&cli.IntFlag{Name: "replicas", Category: natsCategory, DefaultText: "3 of a cluster, else 1", Usage: "how many NATS servers keep each state: 1, 3 or 5"},
		&cli.StringFlag{Name: "nats-listen", Category: natsCategory, Usage: "`ADDRESS` of the embedded server for clients, as oatta work (default: none)"},
		&cli.StringFlag{Name: "nats-cluster", Category: natsCategory, Usage: "`ADDRESS` of the embedded server for those of the other machines, as 10.0.0.1:6222"},
		&cli.StringSliceFlag{Name: "nats-peer", Category: natsCategory, Usage: "`ADDRESS` of another machine's --nats-cluster; may be given again"},
	}, connectFlags())
}

// connectFlags are those of whoever connects to NATS servers.
func connectFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "nats-group", Value: "oatta", Category: natsCategory, Usage: "`NAME` of the group of servers: several may share the NATS servers"},
		&cli.StringFlag{Name: "nats-creds", Category: natsCategory, Usage: "`FILE` of credentials for the NATS servers"},
		&cli.StringFlag{Name: "nats-secret", Category: natsCategory, Usage: "`FILE` of a secret that embedded servers, and their clients, show each other; needed beyond the loopback"},
		&cli.StringFlag{Name: "nats-ca", Category: natsCategory, Usage: "`FILE` of authorities, PEM, that the certificates of NATS servers must be of"},
		&cli.StringFlag{Name: "nats-cert", Category: natsCategory, Usage: "`FILE` of this machine's certificate among NATS servers, PEM"},
		&cli.StringFlag{Name: "nats-key", Category: natsCategory, Usage: "`FILE` of its key, PEM"},
	}
}

// grouped is what a server of a group has besides.
type grouped struct {
	nats   *natsserver.Server // nil: it is elsewhere
	conn   *nats.Conn
	member *cluster.Member
	lost   atomic.Pointer[cluster.Member] // member, once it is there
}

// checkNATS refuses flags without the one that gives them a meaning, and roles that are none.
func checkNATS(c *cli.Context) error {
	if c.String("nats") == "" {
		return console.Refuse(c, []string{"role", "nats-name", "shards", "replicas", "nats-listen", "nats-cluster", "nats-peer", "nats-group", "nats-creds", "nats-secret", "nats-ca", "nats-cert", "nats-key"}, "--nats")
	}
	if role := c.String("role"); role != roleBoth && role != roleGateway && role != roleWorker {
		return fmt.Errorf("--role %s: want %s, %s or %s", role, roleBoth, roleGateway, roleWorker)
	}
	if c.String("nats") == embedded {
		if c.String("state") == "" {
			return errors.New("--nats embedded: want --state, a folder for its files")
		}
		return nil
	}
	if c.IsSet("state") {
		return errors.New("--state: streams are kept by the NATS servers: want --nats embedded, or none")
	}
	return console.Refuse(c, []string{"nats-listen", "nats-cluster", "nats-peer"}, "--nats embedded")
}

// connectNATS starts the NATS server, if it is to be here, and connects to it.
func (s *server) connectNATS() (g *grouped, err error) {
	c := s.c
	g = &grouped{}
	if c.String("nats") != embedded {
		g.conn, err = dialNATS(c, c.String("nats"), append(s.natsEvents(), nats.Name("oatta serve")))
		return g, err
	}
	secret, err := secretOf(c)
	if err != nil {
		return nil, err
	}
	settings, err := natsTLS(c)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(c.String("state"), "nats")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	g.nats, err = natsserver.Start(natsserver.Options{
		Dir: folder, Name: s.memberName(), Listen: c.String("nats-listen"), Cluster: c.String("nats-cluster"), Peers: c.StringSlice("nats-peer"),
		Secret: secret, TLS: settings, Log: s.log,
	})
	if err != nil {
		return nil, err
	}
	if g.conn, err = g.nats.Connect(append(s.natsEvents(), nats.MaxReconnects(-1))...); err != nil {
		g.nats.Close()
		return nil, err
	}
	if c.String("nats-listen") != "" {
		s.log.Info("NATS listens", "address", g.nats.ClientURL())
	}
	return g, nil
}

func (s *server) natsEvents() []nats.Option {
	return []nats.Option{
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { s.log.Warn("the NATS server is gone", "error", err) }),
		nats.ReconnectHandler(func(*nats.Conn) { s.log.Info("the NATS server is back") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { s.log.Error("NATS", "error", err) }),
	}
}

// dialNATS connects to servers elsewhere.
func dialNATS(c *cli.Context, url string, o []nats.Option) (*nats.Conn, error) {
	o = append(o, nats.MaxReconnects(-1), nats.ReconnectWait(500*time.Millisecond))
	if file := c.String("nats-creds"); file != "" {
		o = append(o, nats.UserCredentials(file))
	}
	secret, err := secretOf(c)
	if err != nil {
		return nil, err
	}
	if secret != "" {
		o = append(o, nats.UserInfo(natsserver.User, secret))
	}
	settings, err := natsTLS(c)
	if err != nil {
		return nil, err
	}
	if settings != nil {
		o = append(o, nats.Secure(settings))
	}
	nc, err := nats.Connect(url, o...)
	if err != nil {
		return nil, fmt.Errorf("--nats %s: %w", url, err)
	}
	return nc, nil
}

// maxSecret bounds the bytes of a file with a secret.
const maxSecret = 4096

func secretOf(c *cli.Context) (string, error) {
	path := c.String("nats-secret")
	if path == "" {
		return "", nil
	}
	data, err := files.ReadBounded(path, maxSecret)
	secret := strings.TrimSpace(string(data))
	if err == nil && len(secret) < 16 {
		err = fmt.Errorf("%s: want a secret of 16 characters or more, as `openssl rand -hex 32` makes", path)
	}
	if err != nil {
		return "", fmt.Errorf("--nats-secret: %w", err)
	}
	return secret, nil
}

// natsTLS is how machines know each other; nil: they do not. A server and its clients show certificates of the same authorities.
func natsTLS(c *cli.Context) (t *tls.Config, err error) {
	cert, key, authority := c.String("nats-cert"), c.String("nats-key"), c.String("nats-ca")
	if cert == "" && key == "" && authority == "" {
		return nil, nil
	}
	t = &tls.Config{MinVersion: tls.VersionTLS12}
	if cert != "" || key != "" {
		if t.Certificates, err = certificateOf(c, "nats-cert", "nats-key"); err != nil {
			return nil, err
		}
	}
	if authority != "" {
		if t.RootCAs, err = authoritiesOf(c, "nats-ca"); err != nil {
			return nil, err
		}
		t.ClientCAs, t.ClientAuth = t.RootCAs, tls.RequireAndVerifyClientCert
	}
	return t, nil
}

func (s *server) memberName() string {
	if name := s.c.String("nats-name"); name != "" {
		return name
	}
	name, err := os.Hostname()
	if err != nil {
		return "oatta"
	}
	return name
}

// openGroup makes the server one of a group. The backend, but of a gateway, keeps its streams in JetStream.
func (s *server) openGroup(others []own) (err error) {
	if s.group, err = s.connectNATS(); err != nil {
		return err
	}
	c := s.c
	o := cluster.Options{Group: c.String("nats-group"), Name: s.memberName(), Shards: c.Int("shards"), Log: s.log, Tracer: s.tracer}
	if c.String("role") != roleGateway {
		if err := s.openBackend(others); err != nil {
			return errors.Join(err, s.group.close())
		}
		o.Backend = s.backend
	}
	if s.group.member, err = cluster.New(s.group.conn, o); err != nil {
		return errors.Join(err, s.close())
	}
	s.group.lost.Store(s.group.member)
	s.served = s.group.member
	return nil
}

func (s *server) openBackend(others []own) error {
	c := s.c
	o, err := s.limits()
	if err != nil {
		return err
	}
	if file := c.String("state-key"); file != "" {
		if o.Key, err = state.ReadKey(file); err != nil {
			return err
		}
	}
	replicas := c.Int("replicas")
	if replicas == 0 && c.String("nats-cluster") != "" {
		replicas = 3
	}
	g, err := jetstore.New(s.group.conn, jetstore.Options{
		Group: c.String("nats-group"), Shards: c.Int("shards"), Replicas: replicas, Key: o.Key, Member: s.memberName(), Lost: s.group.lose,
	})
	if err != nil {
		return err
	}
	o.Shards = c.Int("shards")
	o.Open = func(ctx context.Context, model string, shard int, so state.Options) (backend.Store, error) {
		return g.Open(ctx, model, shard, so)
	}
	if o.Models, err = sources(c, others); err != nil {
		return err
	}
	s.backend, err = backend.New(c.Context, o)
	return err
}

// lose passes on that a store cannot go on.
func (g *grouped) lose(_ string, shard int) {
	if m := g.lost.Load(); m != nil {
		m.Lost(shard)
	}
}

// close ends what carries the group; the backend has been closed, for it writes to it.
func (g *grouped) close() error {
	g.conn.Close()
	if g.nats != nil {
		g.nats.Close()
	}
	return nil
}

// workerPaths leaves of the front end what a worker shows: whether it is well. It is asked by NATS.
func workerPaths(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" || strings.HasPrefix(r.URL.Path, "/v2/health/") {
			next.ServeHTTP(w, r)
			return
		}
		http.Error(w, `{"error":"this server answers the gateways of its group alone"}`, http.StatusForbidden)
	})
}
