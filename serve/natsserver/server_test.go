package natsserver

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A server that cannot have its address or its folder says which, at once, and leaves nothing behind.
func TestStartRefused(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	address := taken.Addr().String()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		"bind":         {Dir: t.TempDir(), Listen: address},
		address:        {Dir: t.TempDir(), Name: "a", Cluster: address, Peers: []string{"127.0.0.1:1"}},
		"JetStream":    {Dir: file},
		"wants a name": {Dir: t.TempDir(), Cluster: "127.0.0.1:0"},
		"the others":   {Dir: t.TempDir(), Name: "a", Cluster: "127.0.0.1:0"},
	} {
		o.Wait = 10 * time.Minute
		s, err := Start(o)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v: want %q", o, err, want)
		}
	}
}
