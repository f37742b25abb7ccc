package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/nats-io/nats.go"

	"github.com/oatta/oatta/serve/oip/pb"
	"github.com/oatta/oatta/serve/servetest"
)

// credentials are the files by which machines know each other.
type credentials struct{ authority, cert, key, secret string }

func newCredentials(t *testing.T, dir string) (own, stranger credentials) {
	t.Helper()
	own.secret = filepath.Join(dir, "secret")
	writeFile(t, own.secret, strings.Repeat("0123456789abcdef", 2))
	stranger.secret = own.secret
	authority, _, ca, caKey := certificate(t, dir, "authority", nil, nil)
	own.authority = authority
	own.cert, own.key, _, _ = certificate(t, dir, "machine", ca, caKey)
	stranger.authority = authority
	stranger.cert, stranger.key, _, _ = certificate(t, dir, "stranger", nil, nil)
	return own, stranger
}

func (c *credentials) flags() []string {
	return []string{"--nats-secret", c.secret, "--nats-ca", c.authority, "--nats-cert", c.cert, "--nats-key", c.key}
}

// natsTrio is three NATS servers, as their own program runs them.
type natsTrio struct {
	program string
	configs [3]string
	urls    []string
	running [3]*exec.Cmd
}

// startNATSTrio starts a cluster whose members and clients speak TLS and show certificates, with all else that docs/server.md asks of NATS servers.
func startNATSTrio(t *testing.T, c credentials) *natsTrio {
	t.Helper()
	dir := t.TempDir()
	n := &natsTrio{program: filepath.Join(dir, "nats-server")}
	if out, err := exec.Command("go", "build", "-o", n.program, "github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ports := servetest.Addresses(t, 6)
	secret := strings.TrimSpace(readFile(t, c.secret))
	tlsBlock := fmt.Sprintf("tls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }", c.cert, c.key, c.authority)
	var routes []string
	for _, address := range ports[3:] {
		routes = append(routes, fmt.Sprintf("%q", "nats://route:"+secret+"@"+address))
	}
	for i := range n.configs {
		n.configs[i] = filepath.Join(dir, fmt.Sprint(i, ".conf"))
		writeFile(t, n.configs[i], fmt.Sprintf(`
server_name: n%d
listen: %q
jetstream { store_dir: %q, sync_interval: always }
authorization { user: oatta, password: %q }
%s
cluster {
  name: c
  listen: %q
  authorization { user: route, password: %q, timeout: 5 }
  %s
  routes: [%s]
}
`, i, ports[i], filepath.Join(dir, fmt.Sprint("js", i)), secret, tlsBlock, ports[3+i], secret, tlsBlock, strings.Join(routes, ", ")))
		n.urls = append(n.urls, "nats://"+ports[i])
		n.start(t, i)
	}
	t.Cleanup(func() {
		for i := range n.running {
			n.kill(i)
		}
	})
	return n
}

func (n *natsTrio) start(t *testing.T, i int) {
	t.Helper()
	n.running[i] = exec.Command(n.program, "-c", n.configs[i])
	if os.Getenv("OATTA_LOG") != "" {
		n.running[i].Stderr = os.Stderr
	}
	if err := n.running[i].Start(); err != nil {
		t.Fatal(err)
	}
}

func (n *natsTrio) kill(i int) {
	_ = n.running[i].Process.Kill()
	_ = n.running[i].Wait()
}

// waitReady waits until a server says that it is ready.
func waitReady(t *testing.T, s *served) {
	t.Helper()
	client := &http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}} // a network may have been cut
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		r, err := client.Get("http://" + s.at + "/v2/health/ready")
		if err == nil {
			_ = r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(end) {
			t.Fatalf("the server is not ready: %v: %s", err, s.errOut)
		}
	}
}

// Streams in random interleaving, over both transports, through two servers and a gateway on a cluster of three NATS servers of their own program: the
// numbers of `oatta filter`, to the bit. Where there is time, a server ends in order in between, one is killed, and so is the leading NATS server, under
// load.
func TestServeOnNATSCluster(t *testing.T) {
	count, items, phases := 40, 6, 1
	if os.Getenv("OATTA_HEAVY") != "" {
		count, items, phases = 200, 36, 3
	}
	streams := livePieces(t, count, items)
	want := filtered(t, streams)
	own, stranger := newCredentials(t, t.TempDir())
	n := startNATSTrio(t, own)
	start := func(name, role string) *served {
		args := []string{"--nats", strings.Join(n.urls, ","), "--replicas", "3", "--nats-name", name, "--role", role}
		if role != "gateway" {
			args = append(args, "--classes", "6")
		}
		return startServer(t, append(args, own.flags()...)...)
	}
	n.connect(t, own).Close()
	servers := []*served{start("a", "both"), start("b", "both"), start("gate", "gateway")}
	at := make([]int, len(streams))
	var again atomic.Int64
	for phase := range phases {
		for _, s := range servers {
			waitReady(t, s)
		}
		var all sync.WaitGroup
		if phase == 1 { // under load
			leader := n.leader(t, own)
			n.kill(leader)
			all.Go(func() {
				time.Sleep(2 * time.Second)
				n.start(t, leader)
			})
		}
		interleave(t, &all, servers, streams, at, phase, phases, want, &again)
		all.Wait()
		if t.Failed() {
			for i, s := range servers {
				_ = s.stop(t)
				t.Logf("server %d: %s", i, s.errOut)
			}
			return
		}
		switch {
		case phase == phases-1:
		case phase == 0:
			if err := servers[0].stop(t); err != nil {
				t.Fatalf("%v: %s", err, servers[0].errOut)
			}
			servers[0] = start("a", "both")
		default:
			_ = servers[1].Process.Kill()
			_ = servers[1].Wait()
			servers[1] = start("b", "both")
		}
	}
	t.Logf("%d streams of %d items, %d requests were sent again", count, items, again.Load())
	refusesStrangers(t, n, stranger)
}

// connect waits until the servers take clients, and JetStream has its leader.
func (n *natsTrio) connect(t *testing.T, c credentials) *nats.Conn {
	t.Helper()
	secret := strings.TrimSpace(readFile(t, c.secret))
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		nc, err := nats.Connect(strings.Join(n.urls, ","), nats.UserInfo("oatta", secret), nats.RootCAs(c.authority), nats.ClientCert(c.cert, c.key))
		if err == nil {
			js, err := nc.JetStream(nats.MaxWait(2 * time.Second))
			if err == nil {
				_, err = js.AccountInfo()
			}
			if err == nil {
				return nc
			}
			nc.Close()
		}
		if time.Now().After(end) {
			t.Fatal("NATS is not ready: ", err)
		}
	}
}

// leader is the server that the others follow in what is kept of the model's streams.
func (n *natsTrio) leader(t *testing.T, c credentials) (i int) {
	t.Helper()
	nc := n.connect(t, c)
	defer nc.Close()
	js, err := nc.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	for info := range js.Streams() {
		if _, err := fmt.Sscanf(info.Cluster.Leader, "n%d", &i); err != nil || len(info.Cluster.Replicas) != 2 {
			t.Fatalf("%+v, %v", info.Cluster, err)
		}
	}
	return i
}

// interleave sends the items of a phase, those of a stream in order, each request to any server until it is answered.
func interleave(t *testing.T, all *sync.WaitGroup, servers []*served, streams [][]predictedItem, at []int, phase, phases int, want map[string][]float64, again *atomic.Int64) {
	var grpc []pb.GRPCInferenceServiceClient
	for _, s := range servers {
		grpc = append(grpc, pb.NewGRPCInferenceServiceClient(overHTTP2(t), "http://"+s.at, connect.WithGRPC()))
	}
	const workers = 16
	for w := range workers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), uint64(phase)))
			var mine []int
			for i := w; i < len(streams); i += workers {
				mine = append(mine, i)
			}
			for len(mine) > 0 {
				pick := r.IntN(len(mine))
				i := mine[pick]
				end := len(streams[i]) * (phase + 1) / phases
				if at[i] == end {
					mine = slices.Delete(mine, pick, pick+1)
					continue
				}
				items := streams[i][at[i]:min(end, at[i]+1+r.IntN(4))]
				at[i] += len(items)
				for begun := time.Now(); ; again.Add(1) {
					to := r.IntN(len(servers))
					ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
					err := servers[to].compare(ctx, grpc[to], i%2 == 0, items, want, at[i])
					cancel()
					if err == nil {
						break
					}
					if !comesAgain(err) || time.Since(begun) > time.Minute {
						t.Error(err)
						return
					}
					time.Sleep(20 * time.Millisecond)
				}
			}
		})
	}
}

// comesAgain tells of an error that the request may be sent again.
func comesAgain(err error) bool {
	return connect.CodeOf(err) == connect.CodeUnavailable || strings.Contains(err.Error(), "status 503")
}

// refusesStrangers asserts that who shows no certificate of the authority, or speaks in the clear, does not get in, though it knows the secret.
func refusesStrangers(t *testing.T, n *natsTrio, stranger credentials) {
	t.Helper()
	for what, flags := range map[string][]string{
		"a certificate of another authority": stranger.flags(),
		"no certificate":                     {"--nats-secret", stranger.secret, "--nats-ca", stranger.authority},
		"another authority for the servers":  {"--nats-secret", stranger.secret, "--nats-ca", stranger.cert},
	} {
		code, _, errOut := oatta(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--classes", "6", "--nats", n.urls[1]}, flags...)...)
		if code == 0 || !strings.Contains(errOut, "--nats") {
			t.Errorf("%s: code %d: %s", what, code, errOut)
		}
	}
}

// The members of a group, and who connects to their NATS servers, speak TLS and show certificates of one authority: others get nowhere, though they know
// the secret.
func TestServeGroupTLS(t *testing.T) {
	own, stranger := newCredentials(t, t.TempDir())
	clients := servetest.Addresses(t, 3)
	peers := servetest.Addresses(t, 3)
	g := &trio{}
	for i, args := range trioArgs(t, peers) {
		at := slices.Index(args, "--nats-secret")
		args = slices.Concat(slices.Delete(args, at, at+2), own.flags(), []string{"--nats-listen", clients[i]})
		g.commands[i] = func() *exec.Cmd { return program(t, append(args, "--listen", "127.0.0.1:0")...) }
	}
	g.start(t)
	r := rand.New(rand.NewPCG(1, 50))
	p := &patient{client: &http.Client{Timeout: 10 * time.Second}, random: r, numbers: true}
	p.server = func() *served { return g.servers[r.IntN(3)].Load() }
	stop := make(chan struct{})
	time.AfterFunc(2*time.Second, func() { close(stop) })
	if lives, items, err := p.walk("a stream", stop); err != nil || 25*lives+items == 0 {
		t.Errorf("%d lives, %d items: %v", lives, items, err)
	}
	secret := strings.TrimSpace(readFile(t, own.secret))
	connected := func(o ...nats.Option) error {
		nc, err := nats.Connect("nats://"+clients[0], append(o, nats.UserInfo("oatta", secret), nats.RootCAs(own.authority))...)
		if err == nil {
			nc.Close()
		}
		return err
	}
	if err := connected(nats.ClientCert(own.cert, own.key)); err != nil {
		t.Errorf("a client with a certificate: %v", err)
	}
	if connected() == nil || connected(nats.ClientCert(stranger.cert, stranger.key)) == nil {
		t.Error("a client without a certificate of the authority was let in")
	}
	for _, c := range []credentials{own, stranger} {
		if in := joins(t, peers[0], c); in != (c == own) {
			t.Errorf("a peer with %s got through TLS: %v", filepath.Base(c.cert), in)
		}
	}
}

// joins tells whether a NATS server's address for its peers completes TLS with a certificate.
func joins(t *testing.T, address string, c credentials) bool {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		t.Fatal(err)
	}
	over := tls.Client(conn, &tls.Config{Certificates: []tls.Certificate{pair}, InsecureSkipVerify: true})
	if over.Handshake() != nil {
		return false
	}
	hello := make([]byte, 1<<12)
	_ = over.SetReadDeadline(time.Now().Add(5 * time.Second))
	n, err := over.Read(hello) // a server that refuses the certificate says so here
	return err == nil && strings.HasPrefix(string(hello[:n]), "INFO ")
}
