package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// network is three machines on one network: namespaces, each with a cable to a bridge.
type network struct{ name, prefix string }

func newNetwork(t *testing.T) *network {
	t.Helper()
	n := &network{fmt.Sprintf("oa%d", os.Getpid()%100000), freePrefix(t)}
	n.lay(t, "link", "add", n.name, "type", "bridge")
	t.Cleanup(func() { _ = exec.Command("ip", "link", "del", n.name).Run() })
	n.lay(t, "addr", "add", n.prefix+"1/24", "dev", n.name)
	n.lay(t, "link", "set", n.name, "up")
	for i := range 3 {
		n.lay(t, "netns", "add", n.space(i))
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", n.space(i)).Run() })
		n.lay(t, "link", "add", n.cable(i), "type", "veth", "peer", "name", "eth0", "netns", n.space(i))
		n.lay(t, "link", "set", n.cable(i), "master", n.name, "up")
		n.lay(t, "-n", n.space(i), "addr", "add", n.address(i)+"/24", "dev", "eth0")
		n.lay(t, "-n", n.space(i), "link", "set", "eth0", "up")
		n.lay(t, "-n", n.space(i), "link", "set", "lo", "up")
	}
	return n
}

func (n *network) space(i int) string   { return fmt.Sprint(n.name, "n", i) }
func (n *network) cable(i int) string   { return fmt.Sprint(n.name, "c", i) }
func (n *network) address(i int) string { return fmt.Sprint(n.prefix, i+2) }

// freePrefix returns that of addresses which no interface has, as another run of the test may be under way.
func freePrefix(t *testing.T) string {
	t.Helper()
	taken, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 254 {
		prefix := fmt.Sprintf("10.213.%d.", (os.Getpid()+i)%254+1)
		if !slices.ContainsFunc(taken, func(a net.Addr) bool { return strings.HasPrefix(a.String(), prefix) }) {
			return prefix
		}
	}
	t.Skip("no networks of their own for three servers: all of 10.213.0.0/16 is taken")
	return ""
}

// lay is ip for what not every machine allows.
func (*network) lay(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Skipf("no networks of their own for three servers: ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

func (*network) ip(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// The cable of one of three servers is pulled again and again under load, sooner in again than the others notice, or later. Nothing that was acknowledged
// is lost, and nothing counts twice, whichever side a client was on. What a client sent into the cut arrives when it is mended, long after the client
// has asked another server and gone on, further than keys are known, and beyond the ends of its stream: its number tells.
func TestServeGroupCut(t *testing.T) {
	cuts := 2
	if os.Getenv("OATTA_HEAVY") != "" {
		cuts = 30
	}
	n := newNetwork(t)
	var addresses []string
	for i := range 3 {
		addresses = append(addresses, n.address(i)+":6222")
	}
	g := &trio{}
	for i, args := range trioArgs(t, addresses) {
		g.commands[i] = func() *exec.Cmd {
			plain := program(t, append(args, "--listen", n.address(i)+":8000", "--insecure")...)
			cmd := exec.Command("ip", append([]string{"netns", "exec", n.space(i)}, plain.Args...)...)
			cmd.Env = plain.Env
			return cmd
		}
	}
	g.start(t)
	load := g.load(t, func(int) bool { return true })
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 49))
	for range cuts {
		i := r.IntN(3)
		time.Sleep(time.Duration(r.IntN(2000)) * time.Millisecond)
		n.ip(t, "link", "set", n.cable(i), "down")
		time.Sleep(time.Duration(2000+r.IntN(13000)) * time.Millisecond)
		n.ip(t, "link", "set", n.cable(i), "up")
		waitReady(t, g.servers[i].Load())
	}
	time.Sleep(2 * time.Second)
	g.end(t, load)
	t.Logf("%d cuts, %d items answered, %d retries", cuts, load.answered.Load(), load.retries.Load())
}
