package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/oatta/oatta/internal/state"
)

// ErrElsewhere refuses a request of a stream whose shard is not held here; nothing was changed.
var ErrElsewhere error = unavailable("the stream is moving between members")

// shards are the keepers of a model, each with a part of its streams.
type shards struct {
	learners sync.Map // of Learner: those of the open versions

	mu sync.RWMutex
	of []*keeper // nil: not held here
}

// ShardOf returns the shard, of so many, that holds a stream of a namespace.
func ShardOf(namespace, id string, shards int) int { return shardOf(namespace+"/"+id, shards) }

func shardOf(stream string, shards int) int {
	if shards <= 1 {
		return 0
	}
	return int(hashOf(stream) % uint64(shards))
}

// give hands a call to the keeper of its stream, if there is one. Keepers that are taken away end after what they were given.
func (s *shards) give(stream string, c *call) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	k := s.of[shardOf(stream, len(s.of))]
	if k == nil {
		return ErrElsewhere
	}
	if c.keeper = k; !k.inbox.put(c) {
		return ErrElsewhere
	}
	return nil
}

// do runs an operation on the keeper of a stream, between two requests.
func (s *shards) do(stream string, f func(k *keeper) error) error {
	c := &call{done: make(chan struct{})}
	c.do = func() error { return f(c.keeper) }
	if err := s.give(stream, c); err != nil {
		return err
	}
	<-c.done
	return c.err
}

// held are the keepers that are here.
func (s *shards) held() []*keeper {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.DeleteFunc(slices.Clone(s.of), func(k *keeper) bool { return k == nil })
}

// put sets the keeper of a shard.
func (s *shards) put(shard int, k *keeper) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of[shard] = k
}

// take takes a keeper away, and ends it when what it was given is answered.
func (s *shards) take(shard int) error {
	s.mu.Lock()
	k := s.of[shard]
	s.of[shard] = nil
	s.mu.Unlock()
	if k == nil {
		return nil
	}
	return k.close()
}

func (s *shards) close() (err error) {
	for shard := range s.of {
		err = errors.Join(err, s.take(shard))
	}
	return err
}

// Claim opens a shard of all models that are loaded, and of those that will be: its streams are answered from here on.
func (b *Backend) Claim(ctx context.Context, shard int) error {
	b.changes.Lock()
	defer b.changes.Unlock()
	if b.claimed[shard] {
		return nil
	}
	for _, name := range b.names() {
		m := b.models[name]
		if m.shards == nil {
			continue
		}
		if err := b.openShard(ctx, m, m.opened, shard); err != nil {
			return errors.Join(fmt.Errorf("model %s: %w", name, err), b.takeAway(shard))
		}
	}
	b.claimed[shard] = true
	return nil
}

// Release closes a shard: what is under way is answered, what comes then is refused with [ErrElsewhere].
func (b *Backend) Release(shard int) error {
	b.changes.Lock()
	defer b.changes.Unlock()
	return b.takeAway(shard)
}

// takeAway closes a shard of all models. The caller holds the lock of changes.
func (b *Backend) takeAway(shard int) (err error) {
	b.claimed[shard] = false
	for _, name := range b.names() {
		if s := b.models[name].shards; s != nil {
			err = errors.Join(err, s.take(shard))
		}
	}
	return err
}

// openShard opens the part of a model's streams that is in a shard.
func (b *Backend) openShard(ctx context.Context, m *model, opened *Opened, shard int) error {
	o := state.Options{Classes: opened.Classes, Settings: opened.Filter, Key: b.options.Key, Memory: b.options.Memory}
	if n := int64(len(b.claimed)); n > 1 {
		o.Memory = cmp.Or(o.Memory, 1<<30) / n
	}
	var kept Store
	var err error
	switch {
	case b.options.Open != nil:
		kept, err = b.options.Open(ctx, m.name, shard, o)
	case b.options.File != nil:
		kept, err = state.Open(b.options.File(m.name), o)
	default:
		kept = newMemory(opened)
	}
	if err != nil {
		return err
	}
	k, err := newKeeper(m.name, kept, &b.options, opened, m.meters, &m.shards.learners)
	if err != nil {
		if b.options.File != nil {
			err = fmt.Errorf("%s: not a state of the server (oatta filter keeps others), or damaged: %w", b.options.File(m.name), err)
		}
		return errors.Join(err, kept.Close())
	}
	m.shards.put(shard, k)
	return nil
}
