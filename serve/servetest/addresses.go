package servetest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"testing"
)

// ephemeral is the first port that the system may give to whoever asks for any, and firstPort the first that the tests take.
const firstPort, ephemeral = 10000, 32768

// Addresses returns n addresses of the loopback that are free, for servers that must be told theirs, or come back to it. Their ports are below those that
// systems give away: a port of those could be another test's, or a connection's own, by the time that its server starts.
func Addresses(t testing.TB, n int) (out []string) {
	t.Helper()
	end := ephemeral
	var low, high int
	if text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range"); err == nil {
		if _, err := fmt.Sscan(string(text), &low, &high); err == nil && low > firstPort+1000 {
			end = low
		}
	}
	var err error
	for range 100 * n {
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprint("127.0.0.1:", firstPort+rand.IntN(end-firstPort))); err != nil {
			continue
		}
		defer l.Close() // at the end, so that none comes twice
		if out = append(out, l.Addr().String()); len(out) == n {
			return out
		}
	}
	t.Fatalf("no free addresses: %v", err)
	return nil
}
