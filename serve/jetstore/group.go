package jetstore

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/oatta/oatta/internal/state/vault"
)

// Options say where streams are kept. Only Shards has no default.
type Options struct {
	Group    string        // first word of all subjects, and of the names of JetStream's streams: letters, digits, - and _; "oatta"
	Shards   int           // of each model, from its first start on: 1 to MaxShards
	Replicas int           // of each message, 1, 3 or 5; 1
	Key      []byte        // seals what is kept, see package vault; nil: nothing is sealed
	Member   string        // who holds what is opened, for people who look
	Wait     time.Duration // for an answer of JetStream; 4 s
	// Lost is called when a store cannot go on, for another holds its shard or because it is not known what was written. It must not wait.
	Lost func(model string, shard int)
}

// MaxShards bounds the shards: JetStream takes 50 batches of a stream at a time, and each shard may have one under way.
const MaxShards = 48

// Group keeps the streams of all models, in one account of NATS.
type Group struct {
	js      jetstream.JetStream
	options Options
	vault   vault.Vault
}

// New checks the options, and that the server can do what is needed. The connection stays the caller's.
func New(nc *nats.Conn, o Options) (*Group, error) {
	o.Group, o.Replicas, o.Wait = cmp.Or(o.Group, "oatta"), cmp.Or(o.Replicas, 1), cmp.Or(o.Wait, 4*time.Second)
	if o.Shards < 1 || o.Shards > MaxShards {
		return nil, fmt.Errorf("jetstore: %d shards: want 1 to %d", o.Shards, MaxShards)
	}
	if token(o.Group) != o.Group {
		return nil, fmt.Errorf("jetstore: group %q: want letters, digits, - and _", o.Group)
	}
	if version := nc.ConnectedServerVersion(); !takesBatches(version) {
		return nil, fmt.Errorf("jetstore: the NATS server is version %s: want 2.12 or newer, which writes batches all or not", version)
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(o.Wait))
	if err != nil {
		return nil, fmt.Errorf("jetstore: %w", err)
	}
	v, err := vault.New(o.Key)
	if err != nil {
		return nil, fmt.Errorf("jetstore: %w", err)
	}
	return &Group{js: js, options: o, vault: v}, nil
}

func takesBatches(version string) bool {
	words := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(words) < 2 {
		return false
	}
	major, err := strconv.Atoi(words[0])
	minor, errMinor := strconv.Atoi(words[1])
	return err == nil && errMinor == nil && (major > 2 || major == 2 && minor >= 12)
}

// token makes a word of a subject, and of a stream's name, of any text: no two texts give the same.
func token(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02x", c)
		}
	}
	return b.String()
}

// What the metadata of JetStream's stream says of it.
const (
	metaShards = "oatta-shards"
	metaMark   = "oatta-sealed"
	metaSchema = "oatta-schema"
)

const schema = "1"

// stream opens JetStream's stream of a model, which is made if absent.
func (g *Group) stream(ctx context.Context, model string) (jetstream.Stream, error) {
	name := g.options.Group + "_" + token(model)
	s, err := g.js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if s, err = g.create(ctx, name, model); errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // by another member, just now
			s, err = g.js.Stream(ctx, name)
		}
	}
	if err == nil {
		err = g.admit(s.CachedInfo())
	}
	if err != nil {
		return nil, fmt.Errorf("jetstore: stream %s: %w", name, err)
	}
	return s, nil
}

func (g *Group) create(ctx context.Context, name, model string) (jetstream.Stream, error) {
	mark, err := g.vault.Mark()
	if err != nil {
		return nil, err
	}
	meta := map[string]string{metaSchema: schema, metaShards: strconv.Itoa(g.options.Shards)}
	if mark != nil {
		meta[metaMark] = base64.StdEncoding.EncodeToString(mark)
	}
	return g.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: name, Description: "streams of " + model, Subjects: []string{g.subject(model, ">")},
		Storage: jetstream.FileStorage, Replicas: g.options.Replicas, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardOld,
		Duplicates: time.Second, AllowAtomicPublish: true, AllowMsgTTL: true, Metadata: meta,
	})
}

func (g *Group) subject(model string, rest ...string) string {
	return strings.Join(append([]string{g.options.Group, token(model)}, rest...), ".")
}

// admit holds what is there to the options.
func (g *Group) admit(info *jetstream.StreamInfo) error {
	meta := info.Config.Metadata
	if meta[metaSchema] != schema {
		return fmt.Errorf("made by another program, or of version %q: want %s", meta[metaSchema], schema)
	}
	if meta[metaShards] != strconv.Itoa(g.options.Shards) {
		return fmt.Errorf("it was made with %s shards, not %d", meta[metaShards], g.options.Shards)
	}
	if info.Config.MaxMsgsPerSubject != 1 || !info.Config.AllowAtomicPublish || info.Config.AllowDirect {
		return errors.New("its settings were changed: want one message a subject, atomic batches, and no direct reads")
	}
	var mark []byte
	if text := meta[metaMark]; text != "" {
		var err error
		if mark, err = base64.StdEncoding.DecodeString(text); err != nil {
			return err
		}
	}
	return g.vault.Admit(mark)
}
