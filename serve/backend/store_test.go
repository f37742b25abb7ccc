package backend

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/backend/storetest"
)

func TestStores(t *testing.T) {
	opened := &Opened{Classes: storetest.Classes, Filter: storetest.Settings(t)}
	t.Run("memory", func(t *testing.T) {
		storetest.Run(t, func(*testing.T) storetest.Place {
			return func(testing.TB) storetest.Store { return newMemory(opened) }
		}, false)
	})
	for name, o := range map[string]state.Options{"file": {}, "sealed": {Key: bytes.Repeat([]byte{3}, 32), Cache: 12}} {
		o.Classes, o.Settings = opened.Classes, opened.Filter
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) storetest.Place {
				path := filepath.Join(t.TempDir(), "a.state")
				return func(t testing.TB) storetest.Store {
					s, err := state.Open(path, o)
					if err != nil {
						t.Fatal(err)
					}
					return s
				}
			}, true)
		})
	}
}

// Streams are answered where their shard is held, and refused elsewhere without a change.
func TestShards(t *testing.T) {
	kept := map[int]*memory{} // which last longer than they are held
	b := mustNew(t, Options{Shards: 4, Open: func(_ context.Context, _ string, shard int, o state.Options) (Store, error) {
		if kept[shard] == nil {
			kept[shard] = newMemory(&Opened{Classes: o.Classes, Filter: o.Settings})
		}
		return kept[shard], nil
	}})
	_, err := b.Infer(t.Context(), ask("a", prediction(1)))
	if !errors.Is(err, ErrElsewhere) {
		t.Errorf("%v before anything is claimed", err)
	}
	mine := ShardOf("", "a", 4)
	if err := b.Claim(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	want := plain(t, track(0, 2)...)
	same(t, "claimed", mustInfer(t, b, ask("a", prediction(0))), want[:classes])
	if list, err := b.List(t.Context(), "filter", "", "", 9); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if err := b.Release(mine); err != nil {
		t.Fatal(err)
	}
	_, err = b.Infer(t.Context(), ask("a", prediction(1)))
	refused(t, "released", err, serve.Unavailable)
	refused(t, "show, released", b.Forget(t.Context(), "filter", "", "a"), serve.Unavailable)
	for shard := range 4 {
		if err := b.Claim(t.Context(), shard); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "claimed again", mustInfer(t, b, ask("a", prediction(1))), want[classes:])
	for i := range 40 {
		mustInfer(t, b, ask(streamID(i), prediction(i)))
	}
	list, err := b.List(t.Context(), "filter", "", "camera 1", 5)
	if err != nil || len(list) != 5 || list[0].ID != "camera 10" {
		t.Errorf("%v, %v", list, err)
	}
	if err := b.Load(t.Context(), "filter"); err != nil {
		t.Fatal(err)
	}
	if n := len(b.models["filter"].shards.held()); n != 4 {
		t.Errorf("%d shards are held after the model was loaded again", n)
	}
}
