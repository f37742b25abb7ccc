package jetstore

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/internal/state/live"
	"github.com/oatta/oatta/serve"
)

// Store is a shard of a model's streams. It is used from one goroutine at a time. Its contract is that of [state.Store], but for what the package's
// comment says of commits.
type Store struct {
	group   *Group
	model   string
	shard   int
	stream  jetstream.Stream
	options state.Options // resolved

	live   live.Cache
	was    map[string]place // of streams that are in live.Gone, where they are kept
	recent *recent          // what was read last, until anything changes
	head   head
	over   error // why it cannot go on
	part   int   // the greatest bytes of a message
	batch  int   // streams that a batch takes at most
}

// place is where a stream is kept.
type place struct {
	revision uint64 // of its first part; 0: nothing is there
	parts    int    // 0: it is not kept, or was removed
}

// Sizes: of a message, below the server's limit, and of a batch, below its 1000 messages. A larger message would hold up others on its connection.
const (
	mostPart  = 1 << 20
	room      = 8 << 10 // for headers, of which the name is the largest, and frames
	mostBatch = 960
)

// Open takes a shard of a model's streams: whoever held it before can write no more. The error says so if what is there was made under other settings
// or another key, and then nothing was taken.
func (g *Group) Open(ctx context.Context, model string, shard int, o state.Options) (*Store, error) {
	o, err := o.Resolved()
	if err != nil {
		return nil, fmt.Errorf("jetstore: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, g.options.Wait) // what is asked while a leader is elected may get no answer at all
	defer cancel()
	s := &Store{group: g, model: model, shard: shard, options: o, live: live.New(o.Cache), was: map[string]place{}}
	if s.stream, err = g.stream(ctx, model); err != nil {
		return nil, err
	}
	if err := s.measure(); err != nil {
		return nil, s.failed(err)
	}
	if err := s.checkFirst(ctx); err != nil {
		return nil, s.failed(err)
	}
	if err := s.take(ctx); err != nil {
		return nil, s.failed(err)
	}
	return s, nil
}

// measure finds how much goes into messages and batches.
func (s *Store) measure() error {
	s.part = min(int(s.group.js.Conn().MaxPayload()), mostPart) - room
	if s.part < 1<<10 {
		return fmt.Errorf("the NATS server takes messages of %d bytes: want more", s.group.js.Conn().MaxPayload())
	}
	size, err := state.FilterBytes(s.options.Classes, s.options.Settings)
	parts := (int(size)+state.MaxCompanion)/s.part + 1
	if parts > mostBatch {
		return fmt.Errorf("a state of %d bytes takes %d messages: want at most %d in a batch", size, parts, mostBatch)
	}
	s.batch = mostBatch / parts
	return err
}

// checkFirst holds one stored state to the settings.
func (s *Store) checkFirst(ctx context.Context) error {
	msg, err := s.stream.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(s.subject("s", "*")))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	name, _, err := s.nameOf(msg.Subject, msg.Header)
	if err == nil {
		_, err = s.load(ctx, name)
	}
	return err
}

func (s *Store) subject(rest ...string) string {
	return s.group.subject(s.model, append([]string{strconv.Itoa(s.shard)}, rest...)...)
}

// id is the word for a stream in subjects.
func (s *Store) id(stream string) string {
	if s.group.vault.Sealed() {
		return base64.RawURLEncoding.EncodeToString(s.group.vault.ID(stream))
	}
	sum := sha256.Sum256([]byte(stream))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func (s *Store) failed(err error) error {
	var told *serve.Error
	if errors.As(err, &told) {
		return err
	}
	return fmt.Errorf("jetstore: model %s, shard %d: %w", s.model, s.shard, err)
}

func (s *Store) of(stream string, err error) error {
	return s.failed(fmt.Errorf("stream %q: %w", stream, err))
}

func (s *Store) context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), s.group.options.Wait)
}

// end makes this the last that the store did.
func (s *Store) end(err *serve.Error) error {
	if s.over == nil {
		s.over = err
		if s.group.options.Lost != nil {
			s.group.options.Lost(s.model, s.shard)
		}
	}
	return err
}

// unavailable is an error that tells the client to come again.
func unavailable(text string) *serve.Error {
	return &serve.Error{Code: serve.Unavailable, Text: text, Retry: time.Second}
}

// Filter returns the live filter of a stream, new if there is none, for the caller to step. It will be part of the next Commit. The error is
// [state.ErrFull] where that would be more than a batch, or memory, takes.
func (s *Store) Filter(stream string) (*adapt.Filter, error) {
	if s.over != nil {
		return nil, s.over
	}
	if s.live.Dirty[stream] == nil && len(s.live.Dirty)+len(s.live.Gone) >= s.batch {
		return nil, state.ErrFull
	}
	if f := s.live.Use(stream); f != nil {
		return f, nil
	}
	if s.live.Full() {
		return nil, state.ErrFull
	}
	f, k, err := s.fetch(stream)
	if err != nil {
		return nil, s.of(stream, err)
	}
	s.recent = nil // the filter is the caller's now
	e := s.live.Add(stream, f)
	e.Known, e.Beside, e.Revision, e.Parts = true, k.beside, k.revision, k.parts
	return f, nil
}

// fetch gets a filter that is not in memory.
func (s *Store) fetch(stream string) (f *adapt.Filter, k kept, err error) {
	if len(stream) > state.MaxName {
		return nil, k, fmt.Errorf("name of %d bytes: want at most %d", len(stream), state.MaxName)
	}
	if _, gone := s.live.Gone[stream]; gone {
		k.place, err = s.placeOf(stream)
	} else {
		k, err = s.get(stream)
	}
	if err != nil {
		return nil, k, err
	}
	if k.filter == nil {
		k.filter, err = adapt.New(s.options.Classes, s.options.Settings)
	}
	return k.filter, k, err
}

// Has tells whether Filter would give a filter that has been there before.
func (s *Store) Has(stream string) (bool, error) {
	if s.over != nil {
		return false, s.over
	}
	if s.live.Get(stream) != nil {
		return true, nil
	}
	if _, gone := s.live.Gone[stream]; gone {
		return false, nil
	}
	k, err := s.get(stream)
	if err != nil {
		return false, s.of(stream, err)
	}
	return k.parts > 0, nil
}

// Companion returns what is kept beside a filter; nil if there is nothing.
func (s *Store) Companion(stream string) ([]byte, error) {
	if s.over != nil {
		return nil, s.over
	}
	if e := s.live.Get(stream); e != nil {
		return slices.Clone(e.Beside), nil
	}
	if _, gone := s.live.Gone[stream]; gone {
		return nil, nil
	}
	k, err := s.get(stream)
	if err != nil {
		return nil, s.of(stream, err)
	}
	return slices.Clone(k.beside), nil
}

// SetCompanion sets what is kept beside a filter that Filter gave since the last commit.
func (s *Store) SetCompanion(stream string, data []byte) error {
	e := s.live.Dirty[stream]
	switch {
	case s.over != nil:
		return s.over
	case len(data) > state.MaxCompanion:
		return s.of(stream, fmt.Errorf("companion of %d bytes: want at most %d", len(data), state.MaxCompanion))
	case e == nil:
		return s.of(stream, errors.New("companion of a filter that does not wait for a commit"))
	}
	e.Beside, e.Changed = append(e.Beside[:0], data...), true
	return nil
}

// Remove takes a stream away by the next Commit.
func (s *Store) Remove(stream string) {
	if e := s.live.Get(stream); e != nil {
		s.was[stream] = place{e.Revision, e.Parts}
	}
	s.live.Remove(stream)
	s.recent = nil
}

// Discard takes back everything since the last Commit.
func (s *Store) Discard() {
	s.recent = nil
	s.live.Discard()
	clear(s.was)
}

// Adopt makes a stream of a snapshot, as a part of the next Commit.
func (s *Store) Adopt(stream string, snapshot []byte) error {
	f, err := s.restore(snapshot)
	switch {
	case s.over != nil:
		return s.over
	case err != nil:
		return s.of(stream, err)
	}
	at, err := s.placeOf(stream)
	if err != nil {
		return s.of(stream, err)
	}
	s.Remove(stream)
	s.was[stream] = at
	if s.live.Full() || len(s.live.Dirty)+len(s.live.Gone) > s.batch {
		return state.ErrFull
	}
	e := s.live.Add(stream, f)
	e.Revision, e.Parts = at.revision, at.parts
	return nil
}

func (s *Store) restore(snapshot []byte) (*adapt.Filter, error) {
	f, err := adapt.Restore(snapshot)
	if err == nil && s.options.Classes > 0 {
		err = state.Fits(f, s.options.Classes, s.options.Settings)
	}
	return f, err
}

// Load returns the filter of a stream as it was last committed, a copy; [state.ErrUnknown] if there is none.
func (s *Store) Load(stream string) (*adapt.Filter, error) {
	if s.over != nil {
		return nil, s.over
	}
	s.recent = nil // a copy
	k, err := s.get(stream)
	s.recent = nil
	if err == nil && k.filter == nil {
		err = state.ErrUnknown
	}
	if err != nil {
		return nil, s.of(stream, err)
	}
	return k.filter, nil
}

// Position returns the position of the last commit, of whoever held the shard then; nil before the first.
func (s *Store) Position() state.Position { return slices.Clone(s.head.position) }

// Len returns how many streams were committed.
func (s *Store) Len() int { return s.head.streams }

// Live returns how many filters are in memory.
func (s *Store) Live() int { return s.live.Len() }

// Close lets go of what is in memory. Steps since the last commit are as if they had not been.
func (s *Store) Close() error {
	s.live = live.New(0)
	if s.over == nil {
		s.over = errors.New("jetstore: closed")
	}
	return nil
}
