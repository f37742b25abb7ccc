package backend

import (
	"strings"

	"github.com/oatta/oatta/serve"
)

// namespaceOf is that of a stream by its name in the store.
func namespaceOf(stream string) string {
	space, _, _ := strings.Cut(stream, "/")
	return space
}

// quotaOf is what a namespace may take; without limits where nobody sets any.
func (o *Options) quotaOf(namespace string) serve.Quota {
	if o.Quota == nil {
		return serve.Quota{}
	}
	return o.Quota(namespace)
}

// spaces count the streams of each namespace that a keeper has; nil: nobody asks.
type spaces map[string]int

// add counts a stream more, or one less.
func (s spaces) add(stream string, n int) {
	if s == nil {
		return
	}
	space := namespaceOf(stream)
	if s[space] += n; s[space] <= 0 {
		delete(s, space)
	}
}

// census counts anew what the store has.
func (k *keeper) census() error {
	if k.spaces == nil {
		return nil
	}
	clear(k.spaces)
	names, err := k.store.Streams()
	for _, name := range names {
		k.spaces.add(name, 1)
	}
	return err
}

// room refuses a stream that would be one too many, of all or of its namespace.
func (k *keeper) room(stream string) error {
	if k.store.Len()+k.born >= k.limits.Streams {
		return exhausted("the model keeps %d streams: no more may begin before others end", k.limits.Streams)
	}
	if k.spaces == nil {
		return nil
	}
	space := namespaceOf(stream)
	most := (k.quota(space).Streams + k.shards - 1) / k.shards // of many shards, each holds its part
	if most > 0 && k.spaces[space] >= most {
		return exhausted("the model keeps %d streams of the namespace: no more may begin before others end", k.spaces[space])
	}
	return nil
}
