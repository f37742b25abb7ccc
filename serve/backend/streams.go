package backend

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/serve"
)

// operate runs an operation on the streams of a model.
func (b *Backend) operate(ctx context.Context, name string, f func(s *shards) error) error {
	b.mu.RLock()
	m, v, err := b.find(name, "")
	if err != nil {
		b.mu.RUnlock()
		return err
	}
	s := m.shards
	v.users.Add(1)
	b.mu.RUnlock()
	done := make(chan error, 1)
	go func() {
		defer v.users.Done()
		done <- f(s)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// on is operate, on one stream, between two requests.
func (b *Backend) on(ctx context.Context, model, namespace, id string, f func(k *keeper, stream string) error) error {
	stream, err := streamName(namespace, id)
	if err != nil {
		return err
	}
	return b.operate(ctx, model, func(s *shards) error {
		err := s.do(stream, func(k *keeper) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return f(k, stream)
		})
		if errors.Is(err, state.ErrUnknown) {
			return serve.Errorf(serve.NotFound, "no stream %q", id)
		}
		if err != nil {
			err = nameless(err, stream)
		}
		return err
	})
}

// List implements [serve.Streams]: of the shards that are held.
func (b *Backend) List(ctx context.Context, model, namespace, after string, limit int) ([]serve.StreamInfo, error) {
	prefix, err := streamName(namespace, "")
	if err != nil {
		return nil, err
	}
	var out []serve.StreamInfo // the operation's, which may go on when the context has ended
	err = b.operate(ctx, model, func(s *shards) error {
		names, err := s.names(ctx, prefix, after, limit)
		for _, name := range names {
			if err != nil {
				break
			}
			var info *serve.StreamInfo
			err = s.do(name, func(k *keeper) (err error) {
				info, err = k.describe(name, strings.TrimPrefix(name, prefix))
				return err
			})
			switch {
			case errors.Is(err, state.ErrUnknown): // it has ended since
				err = nil
			case err != nil:
				err = nameless(err, name)
			default:
				out = append(out, *info)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Show implements [serve.Streams].
func (b *Backend) Show(ctx context.Context, model, namespace, id string) (*serve.StreamInfo, error) {
	var info *serve.StreamInfo
	err := b.on(ctx, model, namespace, id, func(k *keeper, stream string) (err error) {
		info, err = k.describe(stream, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return info, nil
}

func (k *keeper) describe(stream, id string) (*serve.StreamInfo, error) {
	f, err := k.store.Load(stream)
	if err != nil {
		return nil, err
	}
	snapshot, err := f.MarshalBinary()
	if err != nil {
		return nil, err
	}
	beside, err := k.store.Companion(stream)
	if err != nil {
		return nil, err
	}
	m, err := decodeMemo(beside)
	return &serve.StreamInfo{ID: id, Items: uint64(f.Steps()), Last: m.last, Bytes: len(snapshot) + len(beside), Number: m.number}, err
}

// Export implements [serve.Streams].
func (b *Backend) Export(ctx context.Context, model, namespace, id string, w io.Writer) error {
	var snapshot []byte
	err := b.on(ctx, model, namespace, id, func(k *keeper, stream string) error {
		f, err := k.store.Load(stream)
		if err == nil {
			snapshot, err = f.MarshalBinary()
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = io.Copy(w, bytes.NewReader(snapshot))
	return err
}

// Import implements [serve.Streams].
func (b *Backend) Import(ctx context.Context, model, namespace, id string, snapshot []byte) error {
	return b.on(ctx, model, namespace, id, func(k *keeper, stream string) error {
		there, err := k.store.Has(stream)
		switch {
		case err != nil:
			return err
		case there:
			return serve.Errorf(serve.Conflict, "there is a stream %q already", id)
		}
		if err := k.room(stream); err != nil {
			return err
		}
		err = k.store.Adopt(stream, snapshot)
		if err == nil { // else nothing would say since when it has been idle
			err = k.store.SetCompanion(stream, (&memo{last: k.clock.now(), number: k.endings.number(stream)}).encode())
		}
		if err != nil {
			k.store.Discard()
			return serve.Errorf(serve.InvalidArgument, "not a snapshot of a stream of this model: it is damaged, or made under other classes or settings")
		}
		k.changed = true
		k.spaces.add(stream, 1)
		return k.write()
	})
}

// Forget implements [serve.Streams].
func (b *Backend) Forget(ctx context.Context, model, namespace, id string) error {
	return b.on(ctx, model, namespace, id, func(k *keeper, stream string) error {
		there, err := k.store.Has(stream)
		if err != nil {
			return err
		}
		if !k.endings.forget(stream) && !there {
			return state.ErrUnknown
		}
		k.changed = true
		if err := k.write(); err != nil {
			return err
		}
		if err := k.store.Forget(stream); err != nil {
			if k.log != nil {
				k.log.Error("a stream could not be forgotten", "model", k.model, "error", nameless(err, stream))
			}
			return unavailable("the state cannot be written: the stream may still be there")
		}
		if there {
			k.spaces.add(stream, -1)
		}
		k.unlearn(stream)
		return nil
	})
}
