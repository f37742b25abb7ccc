package natsserver

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Options say how the server runs. Dir has no default.
type Options struct {
	Dir    string // where JetStream keeps its files
	Name   string // of this server in the cluster, where no other has it
	Listen string // address for clients, such as `oatta work` and nats; "": none but this process, and of a cluster the loopback
	// Cluster is the address for the other servers, Peers theirs, host:port each; "": it is alone. Secret is what they show each other, and clients
	// beyond the loopback, as the password of the user oatta; it is in the clear without TLS.
	Cluster string
	Peers   []string
	Secret  string
	TLS     *tls.Config // of the addresses for servers and clients, and how the other servers prove who they are; nil: in the clear
	Log     *slog.Logger
	Wait    time.Duration // for the server to be ready; 30 s
}

// User is the name that goes with the secret.
const User = "oatta"

// maxPayload bounds a message in bytes. NATS advises against more.
const maxPayload = 8 << 20

// Server runs until it is closed.
type Server struct {
	server *server.Server
	secret string
}

// Start starts a server. It can take clients of this process when this returns; of a cluster, JetStream may still look for its leader.
func Start(o Options) (*Server, error) {
	settings, err := o.server()
	if err != nil {
		return nil, fmt.Errorf("natsserver: %w", err)
	}
	s, err := server.NewServer(settings)
	if err != nil {
		return nil, fmt.Errorf("natsserver: %w", err)
	}
	fatal := make(chan string, 1)
	s.SetLoggerV2(logger{o.Log, fatal}, false, false, false)
	s.Start()
	if err := ready(s, cmp.Or(o.Wait, 30*time.Second), fatal); err != nil {
		s.Shutdown()
		s.WaitForShutdown()
		return nil, fmt.Errorf("natsserver: %w", err)
	}
	return &Server{s, o.Secret}, nil
}

// ready waits until the server takes clients. What NATS calls fatal, such as an address in use, is an error at once: NATS itself would go on without it.
func ready(s *server.Server, wait time.Duration, fatal <-chan string) error {
	for end := time.Now().Add(wait); ; {
		ready := s.ReadyForConnections(50 * time.Millisecond)
		select {
		case cause := <-fatal:
			return errors.New(cause)
		default:
		}
		if ready {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("it has not started within %v: see the log", wait)
		}
	}
}

func (o *Options) server() (*server.Options, error) {
	if o.Dir == "" {
		return nil, errors.New("want a folder for its files")
	}
	out := &server.Options{
		ServerName: o.Name, JetStream: true, StoreDir: o.Dir, SyncAlways: true, DontListen: o.Listen == "", NoSigs: true, NoLog: o.Log == nil,
		MaxPayload: maxPayload, DisableJetStreamBanner: true,
	}
	if o.Secret != "" {
		out.Username, out.Password = User, o.Secret
	}
	var err error
	if o.Listen != "" {
		if out.Host, out.Port, err = split(o.Listen); err != nil {
			return nil, err
		}
		if o.Secret == "" && !isLoopback(out.Host) {
			return nil, fmt.Errorf("%s: others could reach it: want a secret", o.Listen)
		}
		if o.TLS != nil {
			out.TLSConfig, out.TLSTimeout = o.TLS.Clone(), 5
		}
	}
	if o.Cluster != "" {
		err = o.cluster(out)
	}
	return out, err
}

// cluster sets what other servers need.
func (o *Options) cluster(out *server.Options) error {
	host, port, err := split(o.Cluster)
	switch {
	case err != nil:
		return err
	case o.Secret == "" && !isLoopback(host):
		return fmt.Errorf("%s: others could join: want a secret", o.Cluster)
	case o.Name == "":
		return errors.New("a server of a cluster wants a name")
	case len(o.Peers) == 0:
		return errors.New("a server of a cluster wants the addresses of the others")
	}
	if o.Listen == "" { // NATS takes no routes without an address for clients
		out.DontListen, out.Host, out.Port = false, "127.0.0.1", server.RANDOM_PORT
	}
	out.Cluster = server.ClusterOpts{NoAdvertise: true, Name: User, Host: host, Port: port, PoolSize: -1, ConnectBackoff: true}
	if o.TLS != nil {
		out.Cluster.TLSConfig, out.Cluster.TLSTimeout = o.TLS.Clone(), 5
	}
	if o.Secret != "" {
		out.Cluster.Username, out.Cluster.Password, out.Cluster.AuthTimeout = User, o.Secret, 5
	}
	for _, peer := range o.Peers {
		if _, _, err := split(peer); err != nil {
			return err
		}
		u := &url.URL{Scheme: "nats", Host: peer}
		if o.Secret != "" {
			u.User = url.UserPassword(User, o.Secret)
		}
		out.Routes = append(out.Routes, u)
	}
	return nil
}

func split(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if err != nil {
		return "", 0, fmt.Errorf("%q: want an address and a port, as 10.0.0.1:6222", address)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Connect makes a connection within the process.
func (s *Server) Connect(o ...nats.Option) (*nats.Conn, error) {
	o = append(o, nats.InProcessServer(s.server))
	if s.secret != "" {
		o = append(o, nats.UserInfo(User, s.secret))
	}
	return nats.Connect("", o...)
}

// ClientURL is where clients on the network reach it, if they do.
func (s *Server) ClientURL() string { return s.server.ClientURL() }

// Close ends the server, and waits until it has.
func (s *Server) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// logger passes on what goes wrong, and what is worth a notice as debugging.
type logger struct {
	log   *slog.Logger  // nil: nobody reads it
	fatal chan<- string // takes the first fatal fault
}

func (l logger) say(level slog.Level, format string, v []any) {
	if l.log != nil {
		l.log.Log(context.Background(), level, "nats: "+strings.TrimSpace(fmt.Sprintf(format, v...)))
	}
}

func (l logger) Fatalf(format string, v ...any) {
	l.say(slog.LevelError, format, v)
	select {
	case l.fatal <- strings.TrimSpace(fmt.Sprintf(format, v...)):
	default:
	}
}

func (l logger) Noticef(format string, v ...any) { l.say(slog.LevelDebug, format, v) }
func (l logger) Warnf(format string, v ...any)   { l.say(slog.LevelWarn, format, v) }
func (l logger) Errorf(format string, v ...any)  { l.say(slog.LevelError, format, v) }
func (l logger) Debugf(string, ...any)           {}
func (l logger) Tracef(string, ...any)           {}
