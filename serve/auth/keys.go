package auth

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"

	"github.com/oatta/oatta/serve"
)

// prefix of keys, by which people and scanners for secrets know them.
const prefix = "oatta_"

// NewKey makes a key and the hash that goes into the file.
func NewKey() (key, hash string) {
	var random [32]byte
	rand.Read(random[:]) // it never fails
	key = prefix + base64.RawURLEncoding.EncodeToString(random[:])
	return key, Hash(key)
}

// Hash is what the file holds of a key, in hexadecimal digits.
func Hash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// Keys are those of a file. The zero value knows none, and lets nobody in.
type Keys struct{ of atomic.Pointer[content] }

// content is what a file holds.
type content struct {
	keys   []known
	quotas map[string]serve.Quota // of the namespaces that have some
}

type known struct {
	hash  []byte
	who   *serve.Principal
	quota serve.Quota
}

// Line is one of the file, a JSON object.
type Line struct {
	Name      string   `json:"name"`
	Hash      string   `json:"sha256"`
	Namespace string   `json:"namespace"`
	Models    []string `json:"models"`
	Admin     bool     `json:"admin,omitempty"`
	// What the namespace may take of each model, see [serve.Quota]; 0: it has no limit of its own. Keys of one namespace say the same.
	Streams int `json:"max_streams,omitempty"`
	Queue   int `json:"max_queue,omitempty"`
}

// Load reads a file in place of what was known before; after an error that stays as it was. It may be called while keys are asked for.
func (k *Keys) Load(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("auth: %w", err)
	}
	defer f.Close()
	info, err := f.Stat() // of the open file: the name may by now be another's
	if err != nil {
		return fmt.Errorf("auth: %w", err)
	}
	if mode := info.Mode().Perm(); goruntime.GOOS != "windows" && mode&0o002 != 0 {
		return fmt.Errorf("auth: %s: its mode is %04o: anyone on this machine could let himself in; chmod o-w it", path, mode)
	}
	all, err := read(f)
	if err != nil {
		return fmt.Errorf("auth: %s: %w", path, err)
	}
	k.of.Store(all)
	return nil
}

func read(r io.Reader) (*content, error) {
	all := &content{quotas: map[string]serve.Quota{}}
	names, hashes := map[string]bool{}, map[string]bool{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		one, err := readLine(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if names[one.who.Name] || hashes[string(one.hash)] {
			return nil, fmt.Errorf("line %d: name or hash of another line", n)
		}
		if q, said := all.quotas[one.who.Namespace]; said && q != one.quota {
			return nil, fmt.Errorf("line %d: max_streams or max_queue is not that of another line of the namespace", n)
		}
		names[one.who.Name], hashes[string(one.hash)], all.quotas[one.who.Namespace] = true, true, one.quota
		all.keys = append(all.keys, one)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("after %d keys: %w", len(all.keys), err)
	}
	return all, nil
}

func readLine(text []byte) (known, error) {
	var l Line
	if err := json.Unmarshal(text, &l, json.RejectUnknownMembers(true)); err != nil {
		return known{}, err
	}
	hash, err := hex.DecodeString(l.Hash)
	switch {
	case l.Name == "":
		return known{}, fmt.Errorf("no name")
	case err != nil || len(hash) != sha256.Size:
		return known{}, fmt.Errorf("sha256: want %d hexadecimal digits", 2*sha256.Size)
	case len(l.Models) == 0:
		return known{}, fmt.Errorf(`no models: ["*"] is all`)
	case strings.Contains(l.Namespace, "/"):
		return known{}, fmt.Errorf("namespace %q: a slash", l.Namespace)
	case l.Streams < 0 || l.Queue < 0:
		return known{}, fmt.Errorf("max_streams %d, max_queue %d: want at least 1, or none", l.Streams, l.Queue)
	}
	who := &serve.Principal{Name: l.Name, Namespace: l.Namespace, Models: l.Models, Admin: l.Admin}
	return known{hash, who, serve.Quota{Streams: l.Streams, Queue: l.Queue}}, nil
}

// Quota is what the file says that a namespace may take.
func (k *Keys) Quota(namespace string) serve.Quota {
	if all := k.of.Load(); all != nil {
		return all.quotas[namespace]
	}
	return serve.Quota{}
}

// Authorize tells whose key a token is. It takes the same time for every token that is none.
func (k *Keys) Authorize(_ context.Context, token string, _ *tls.ConnectionState) (*serve.Principal, error) {
	sum := sha256.Sum256([]byte(token))
	var who *serve.Principal
	if all := k.of.Load(); all != nil && token != "" {
		for _, one := range all.keys {
			if subtle.ConstantTimeCompare(one.hash, sum[:]) == 1 {
				who = one.who
			}
		}
	}
	if who == nil {
		return nil, serve.Errorf(serve.Unauthenticated, "no key that is known here: want header Authorization: Bearer KEY")
	}
	return who, nil
}
