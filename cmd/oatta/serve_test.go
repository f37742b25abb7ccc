package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/serve/servetest"
)

// served is a real process of `oatta serve`.
type served struct {
	*exec.Cmd
	at     string // host and port
	errOut *bytes.Buffer
}

// startServer starts the server on a free port, and waits until it listens. It is killed with the test, if it lives.
func startServer(t *testing.T, args ...string) *served {
	t.Helper()
	cmd := program(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	return startCommand(t, cmd, cmd.Env)
}

// startCommand is startServer, of a command line that becomes a server.
func startCommand(t *testing.T, cmd *exec.Cmd, env []string) *served {
	t.Helper()
	s := &served{Cmd: cmd, errOut: &bytes.Buffer{}}
	s.Stderr, s.Env = s.errOut, env
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Process.Kill()
		_ = s.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = s.Wait()
		t.Fatalf("%v: %s", err, s.errOut)
	}
	_, s.at, _ = strings.Cut(strings.TrimSpace(line), "://")
	return s
}

// stop ends the server by a signal and returns its error.
func (s *served) stop(t *testing.T) error {
	t.Helper()
	if err := terminate(s.Cmd); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(30 * time.Second):
		t.Fatalf("the server does not stop: %s", s.errOut)
		return nil
	}
}

// inferBody is a request of REST.
type inferBody struct {
	ID         string         `json:"id,omitempty"`
	Parameters map[string]any `json:"parameters,omitempty"`
	Inputs     []inferTensor  `json:"inputs,omitempty"`
	Outputs    []inferTensor  `json:"outputs,omitempty"`
	Error      string         `json:"error,omitempty"`
}

type inferTensor struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype,omitempty"`
	Shape    []int  `json:"shape,omitempty"`
	Data     []any  `json:"data,omitempty"`
}

// ask sends rows of a stream and returns the adapted ones. A status over 299 is an error.
func (s *served) ask(c *http.Client, stream string, parameters map[string]any, rows ...[]float64) (adapted [][]float64, err error) {
	k := len(rows[0])
	in := inferTensor{Name: "probs", Datatype: "FP64", Shape: []int{len(rows), k}}
	for _, q := range rows {
		for _, v := range q {
			in.Data = append(in.Data, v)
		}
	}
	body := inferBody{Parameters: map[string]any{"sequence_id": stream}, Inputs: []inferTensor{in}, Outputs: []inferTensor{{Name: "adapted"}}}
	for name, v := range parameters {
		body.Parameters[name] = v
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := c.Post("http://"+s.at+"/v2/models/filter/infer", "application/json", bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	if text, err = io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	var answer inferBody
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("%d: %q: %w", r.StatusCode, text, err)
	}
	if r.StatusCode > 299 {
		return nil, fmt.Errorf("status %d: %s", r.StatusCode, answer.Error)
	}
	for i, v := range answer.Outputs[0].Data {
		if i%k == 0 {
			adapted = append(adapted, nil)
		}
		adapted[i/k] = append(adapted[i/k], v.(float64))
	}
	return adapted, nil
}

func get(t *testing.T, url string) (status int, text string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(data)
}

// Triton's client against the real server, on a state that survives.
func TestServeTritonClient(t *testing.T) {
	s := startServer(t, "--classes", "10", "--state", t.TempDir())
	servetest.Smoke(t, s.at)
	if err := s.stop(t); err != nil {
		t.Errorf("%v: %s", err, s.errOut)
	}
}

// A signal ends the server in order: what it was asked is answered and kept, and its exit code is 0.
func TestServeDrains(t *testing.T) {
	state := t.TempDir()
	s := startServer(t, "--classes", "3", "--state", state, "--log", "json")
	if status, _ := get(t, "http://"+s.at+"/v2/health/ready"); status != http.StatusOK {
		t.Errorf("ready: status %d", status)
	}
	q := []float64{0.7, 0.2, 0.1}
	first, err := s.ask(http.DefaultClient, "a", nil, q)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.stop(t); err != nil {
		t.Errorf("%v: %s", err, s.errOut)
	}
	for line := range strings.Lines(s.errOut.String()) {
		if strings.HasPrefix(line, "oatta:") || strings.TrimSpace(line) == "" {
			continue
		}
		if !json.Valid([]byte(line)) {
			t.Errorf("--log json wrote %q", line)
		}
	}
	s = startServer(t, "--classes", "3", "--state", state)
	second, err := s.ask(http.DefaultClient, "a", nil, q)
	if err != nil || fmt.Sprint(first) == fmt.Sprint(second) {
		t.Errorf("after a restart: %v, %v, the same as before", second, err)
	}
	code, out, _ := oatta(t, "state", "list", "--state", filepath.Join(state, "filter.state"))
	if code == console.Fine {
		t.Errorf("the state of a server that runs was opened: %s", out)
	}
	if err := s.stop(t); err != nil {
		t.Error(err)
	}
	if code, out, errOut := oatta(t, "state", "show", "/a", "--state", filepath.Join(state, "filter.state")); code != console.Fine || !strings.Contains(out, `"steps": 2`) {
		t.Errorf("%d: %s%s", code, out, errOut)
	}
}

// Connections beyond the limit wait until one is closed.
func TestServeConnections(t *testing.T) {
	s := startServer(t, "--classes", "3", "--max-connections", "2")
	var open []net.Conn
	for range 2 {
		c, err := net.Dial("tcp", s.at)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		open = append(open, c)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	ready := func(within time.Duration) error {
		r, err := (&http.Client{Transport: transport, Timeout: within}).Get("http://" + s.at + "/v2/health/ready")
		if err == nil {
			err = r.Body.Close()
		}
		return err
	}
	if err := ready(300 * time.Millisecond); err == nil {
		t.Error("a third connection was served")
	}
	if err := open[0].Close(); err != nil {
		t.Fatal(err)
	}
	if err := ready(20 * time.Second); err != nil {
		t.Error(err)
	}
}

// A network on real pictures, and metrics of it.
func TestServeNetwork(t *testing.T) {
	needEngine(t)
	s := startServer(t, "-m", "resnet20-cifar10", "-m", "other:3=resnet20-cifar10", "--gate", "off")
	found, err := filepath.Glob(filepath.Join(testdata.Root(), "datasets", "samples", "heron", "*"))
	if err != nil || len(found) == 0 {
		t.Fatal("no sample pictures", err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	header, err := json.Marshal(map[string]any{"inputs": []any{map[string]any{
		"name": "image", "datatype": "BYTES", "shape": []int{1}, "parameters": map[string]any{"binary_data_size": len(data) + 4},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"/v2/models/resnet20-cifar10/infer", "/v2/models/other/versions/3/infer"} {
		size := []byte{byte(len(data)), byte(len(data) >> 8), byte(len(data) >> 16), 0}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.at+url, bytes.NewReader(append(append(bytes.Clone(header), size...), data...)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Inference-Header-Content-Length", fmt.Sprint(len(header)))
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(a.Body)
		a.Body.Close()
		if err != nil || a.StatusCode != http.StatusOK || !strings.Contains(string(text), `"adapted"`) {
			t.Errorf("%s: %d %s, %v", url, a.StatusCode, text, err)
		}
	}
	if _, text := get(t, "http://"+s.at+"/metrics"); !strings.Contains(text, `oatta_items_total{model="resnet20-cifar10"} 1`) {
		t.Errorf("metrics: %s", text)
	}
	if err := s.stop(t); err != nil {
		t.Errorf("%v: %s", err, s.errOut)
	}
}

// Keys say who may ask what, and whose streams are whose.
func TestServeTokens(t *testing.T) {
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	key := func(args ...string) string {
		code, line, key := oatta(t, append([]string{"key"}, args...)...)
		if code != console.Fine {
			t.Fatal(key)
		}
		f, err := os.OpenFile(tokens, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(line)
		}
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		return strings.TrimSpace(key)
	}
	one, two, none := key("one", "-m", "filter"), key("two"), key("three", "-m", "nosuch")
	s := startServer(t, "--classes", "2", "--tokens", tokens)
	ask := func(key, method, path, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.at+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.StatusCode, string(text)
	}
	const infer, body = "/v2/models/filter/infer", `{"parameters":{"sequence_id":"a"},"inputs":[{"name":"probs","datatype":"FP64","shape":[1,2],"data":[0.9,0.1]}]}`
	_, first := ask(one, "POST", infer, body)
	if status, other := ask(two, "POST", infer, body); status != 200 || other != first {
		t.Errorf("%d: another's stream is not fresh: %s, and %s", status, first, other)
	}
	for what, c := range map[string]struct {
		key  string
		want int
	}{"no key": {"", 401}, "no such key": {"oatta_x", 401}, "not for this model": {none, 404}} {
		if status, text := ask(c.key, "POST", infer, body); status != c.want {
			t.Errorf("%s: %d %s", what, status, text)
		}
	}
	if status, _ := ask(one, "GET", "/metrics", ""); status != 403 {
		t.Errorf("metrics to one who is no administrator: %d", status)
	}
	late := key("late")
	if status, _ := ask(late, "POST", infer, body); status != 401 {
		t.Errorf("a key that is not read yet: %d", status)
	}
	if goruntime.GOOS == "windows" {
		return // it has no SIGHUP: keys are read when the server starts
	}
	if err := s.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if status, _ := ask(late, "POST", infer, body); status == 200 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("SIGHUP did not bring the new key in")
		}
	}
}

func TestServeRefuses(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	writeFile(t, bad, "classes: 3\nnosuch: 1\n")
	list := filepath.Join(t.TempDir(), "list.yaml")
	writeFile(t, list, "classes: 3\nmodels: [{name: x}]\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "nothing to serve"},
		{[]string{"--classes", "3", "--listen", "0.0.0.0:0"}, "others could reach it"},
		{[]string{"--classes", "3", "--listen", ":0"}, "others could reach it"},
		{[]string{"--classes", "3", "--listen", "nonsense"}, "want an address and a port"},
		{[]string{"--classes", "1"}, "at least 2"},
		{[]string{"--classes", "3", "--state-key", "x"}, "--state"},
		{[]string{"--classes", "3", "--gate", "nosuch"}, "gate"},
		{[]string{"--classes", "3", "--late", "reorder"}, "reorder"},
		{[]string{"--classes", "3", "--log", "xml"}, "text or json"},
		{[]string{"--classes", "3", "--tls-cert", "x"}, "--tls-key"},
		{[]string{"--classes", "3", "--max-rows", "-1"}, "at least 1"},
		{[]string{"--classes", "3", "--max-connections", "0"}, "at least 1"},
		{[]string{"--classes", "3", "--pprof", "0.0.0.0:0"}, "loopback"},
		{[]string{"-m", "no/such.onnx"}, "no/such.onnx"},
		{[]string{"-m", "a/b=x"}, "NAME=PATH"},
		{[]string{"--config", bad}, "nosuch"},
		{[]string{"--config", list}, "each wants one model"},
		{[]string{"--classes", "3", "more"}, "more"},
	} {
		code, out, errOut := oatta(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, c.args...)...)
		if code != console.Nothing || !strings.Contains(errOut, c.want) || out != "" {
			t.Errorf("%q: code %d, %q: want %q", c.args, code, errOut, c.want)
		}
	}
}

// The file of settings says what flags say; models in it have settings of their own.
func TestServeConfig(t *testing.T) {
	needEngine(t)
	path := filepath.Join(t.TempDir(), "serve.yaml")
	writeFile(t, path, `
classes: deer,fox
gate: "off"
max-rows: 2
models:
  - {model: a=resnet20-cifar10, method: tent, gate: auto}
  - model: b=resnet20-cifar10
`)
	s := startServer(t, "--config", path, "--max-rows", "1")
	_, err := s.ask(http.DefaultClient, "a", nil, []float64{0.9, 0.1}, []float64{0.9, 0.1})
	if err == nil || !strings.Contains(err.Error(), "want 1 to 1") {
		t.Errorf("two rows: %v", err)
	}
	for _, name := range []string{"a", "b", "filter"} {
		if status, text := get(t, "http://"+s.at+"/v2/models/"+name+"/ready"); status != 200 {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	// Without a gate, and before anything is learned, the paper's filter gives what it gets; auto does not.
	adapted, err := s.ask(http.DefaultClient, "a", nil, []float64{0.9, 0.1})
	if err != nil || len(adapted) != 1 {
		t.Errorf("%v, %v", adapted, err)
	}
	if err := s.stop(t); err != nil {
		t.Errorf("%v: %s", err, s.errOut)
	}
}

// Stopping the context is the second signal: the server leaves at once.
func TestServeLeavesAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	go func() {
		_, _ = bufio.NewReader(read).ReadString('\n')
		cancel()
	}()
	var errOut bytes.Buffer
	code := execute(ctx, []string{"oatta", "serve", "--listen", "127.0.0.1:0", "--classes", "3"}, console.Environment{Out: write, Err: &errOut})
	if code != console.Interrupted {
		t.Errorf("code %d: %s", code, &errOut)
	}
}

// certificate writes a certificate for the loopback and its key, signed by parent, or by itself.
func certificate(t *testing.T, dir, name string, parent *x509.Certificate, parentKey any) (certFile, keyFile string, cert *x509.Certificate, key any) {
	t.Helper()
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert = &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: parent == nil, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if parent == nil {
		parent, parentKey = cert, own
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, parent, &own.PublicKey, parentKey)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(own)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	writeFile(t, certFile, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	writeFile(t, keyFile, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})))
	return certFile, keyFile, cert, own
}

// With an authority for clients, who shows no certificate of it is not let in, and who does has streams of one's own.
func TestServeCertificates(t *testing.T) {
	dir := t.TempDir()
	caFile, _, ca, caKey := certificate(t, dir, "authority", nil, nil)
	serverCert, serverKey, _, _ := certificate(t, dir, "server", ca, caKey)
	s := startServer(t, "--classes", "2", "--tls-cert", serverCert, "--tls-key", serverKey, "--tls-client-ca", caFile)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM([]byte(readFile(t, caFile)))
	ask := func(certFile, keyFile string) (string, error) {
		c := &tls.Config{RootCAs: trusted}
		if certFile != "" {
			pair, err := tls.LoadX509KeyPair(certFile, keyFile)
			if err != nil {
				t.Fatal(err)
			}
			c.Certificates = []tls.Certificate{pair}
		}
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: true, DisableKeepAlives: true}}
		r, err := client.Post("https://"+s.at+"/v2/models/filter/infer", "application/json",
			strings.NewReader(`{"parameters":{"sequence_id":"a"},"inputs":[{"name":"probs","datatype":"FP64","shape":[1,2],"data":[0.9,0.1]}]}`))
		if err != nil {
			return "", err
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		return string(text), err
	}
	oneCert, oneKey, _, _ := certificate(t, dir, "one", ca, caKey)
	twoCert, twoKey, _, _ := certificate(t, dir, "two", ca, caKey)
	strangerCert, strangerKey, _, _ := certificate(t, dir, "stranger", nil, nil)
	first, err := ask(oneCert, oneKey)
	if err != nil || !strings.Contains(first, "adapted") {
		t.Fatal(first, err)
	}
	if again, err := ask(oneCert, oneKey); err != nil || again == first {
		t.Errorf("the stream does not go on: %s, %v", again, err)
	}
	if other, err := ask(twoCert, twoKey); err != nil || other != first {
		t.Errorf("another's stream is not fresh: %s, %v", other, err)
	}
	if text, err := ask("", ""); err == nil {
		t.Errorf("no certificate: %s", text)
	}
	if text, err := ask(strangerCert, strangerKey); err == nil {
		t.Errorf("a certificate of another authority: %s", text)
	}
}
