package main

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/serve/servetest"
)

// shown is the block of docs/server.md that begins with a line.
func shown(t *testing.T, first string) string {
	t.Helper()
	lines := strings.Split(readFile(t, filepath.Join(testdata.Root(), "docs", "server.md")), "\n")
	for _, b := range blocksOf(lines) {
		if strings.HasPrefix(b.text, first+"\n") {
			return b.text + "\n"
		}
	}
	t.Fatalf("docs/server.md shows nothing that begins with %q", first)
	return ""
}

// deployed is a folder with the files that the page's servers read.
func deployed(t *testing.T) (etc, key string) {
	t.Helper()
	etc = t.TempDir()
	writeFile(t, filepath.Join(etc, "nats-secret"), strings.Repeat("0123456789abcdef", 4))
	line, key := mustOatta(t, 0, "key", "clinic", "--model", "filter")
	writeFile(t, filepath.Join(etc, "tokens"), line)
	return etc, strings.TrimSpace(key)
}

// runs starts three servers, has each step a stream, and stops them.
func runs(t *testing.T, args [3][]string, key string) {
	t.Helper()
	g := &trio{}
	for i := range args {
		g.commands[i] = func() *exec.Cmd { return program(t, args[i]...) }
	}
	g.start(t)
	const body = `{"parameters":{"sequence_id":"camera 7"},"inputs":[{"name":"probs","datatype":"FP64","shape":[1,3],"data":[0.7,0.2,0.1]}],"outputs":[{"name":"adapted"}]}`
	seen := map[string]bool{}
	for i := range g.servers {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+g.servers[i].Load().at+"/v2/models/filter/infer", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var text [4096]byte
		n, _ := answer.Body.Read(text[:])
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK || seen[string(text[:n])] { // a stream that went on has another answer
			t.Errorf("server %d: %s: %s", i, answer.Status, text[:n])
		}
		seen[string(text[:n])] = true
	}
	for i := range g.servers {
		if err := g.servers[i].Load().stop(t); err != nil && i == 0 { // the others lack a majority then
			t.Errorf("%v: %s", err, g.servers[i].Load().errOut)
		}
	}
}

// The three machines of the page's file of settings, as processes on the loopback.
func TestServeDeployedByConfig(t *testing.T) {
	etc, key := deployed(t)
	peers := servetest.Addresses(t, 3)
	settings := shown(t, "# /etc/oatta/serve.yaml")
	var args [3][]string
	for i, name := range []string{"a", "b", "c"} {
		own := []string{"/etc/oatta", etc, "/var/lib/oatta", t.TempDir(), "0.0.0.0:8000", "127.0.0.1:0", "nats-name: a ", "nats-name: " + name + " ", "nats-cluster: 10.0.0.1:6222", "nats-cluster: " + peers[i]}
		for j, peer := range peers {
			own = append(own, fmt.Sprintf("10.0.0.%d:6222", j+1), peer)
		}
		file := filepath.Join(etc, name+".yaml")
		writeFile(t, file, strings.NewReplacer(own...).Replace(settings))
		args[i] = []string{"serve", "--config", file, "--log", "json"}
	}
	runs(t, args, key)
}

// The services of the page's compose file, by their own flags, as processes on the loopback.
func TestServeDeployedByCompose(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Image      string
			Entrypoint []string
			Command    []string
			Volumes    []string
			Ports      []string
			Grace      string `yaml:"stop_grace_period"`
		}
		Volumes map[string]any
	}
	if err := yaml.Unmarshal([]byte(shown(t, "# compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	etc, key := deployed(t)
	peers := servetest.Addresses(t, 3)
	var args [3][]string
	for i, name := range []string{"a", "b", "c"} {
		s := file.Services[name]
		if len(file.Services) != 3 || s.Image == "" || s.Grace == "" || len(s.Ports) != 1 || len(s.Volumes) != 2 || len(s.Entrypoint) < 2 || s.Entrypoint[0] != "/oatta" {
			t.Fatalf("%s: %+v", name, s)
		}
		if _, declared := file.Volumes[strings.TrimSuffix(s.Volumes[1], ":/state")]; !declared {
			t.Errorf("%s: volume %s is not declared", name, s.Volumes[1])
		}
		own := strings.NewReplacer("/etc/oatta", etc, "/state", t.TempDir(), "0.0.0.0:8000", "127.0.0.1:0", "0.0.0.0:6222", peers[i], "a:6222", peers[0], "b:6222", peers[1], "c:6222", peers[2])
		for _, arg := range append(s.Entrypoint[1:], s.Command...) {
			args[i] = append(args[i], own.Replace(arg))
		}
	}
	runs(t, args, key)
}

// The page's unit is one that systemd takes.
func TestServeUnit(t *testing.T) {
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd: ", err)
	}
	self, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), "oatta.service")
	writeFile(t, unit, strings.Replace(shown(t, "[Unit]"), "/usr/local/bin/oatta", self, 1))
	if out, err := exec.Command(tool, "verify", unit).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}
