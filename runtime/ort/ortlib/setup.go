package ortlib

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/oatta/oatta/runtime"
)

// Setup returns the library that Verify finds, else fetches one into the cache, also in place of a damaged one there. With
// From set it always takes that. If every method fails, the error tells for each why.
func Setup(ctx context.Context, o Options) (Library, error) {
	o, err := o.resolved()
	if err != nil {
		return Library{}, err
	}
	if o.From != "" {
		return fetch(ctx, o.toFetch(runtime.DeviceCPU))
	}
	lib, found := verified(ctx, o)
	switch {
	case errors.Is(found, ErrNotFound):
		return fetch(ctx, o.toFetch(runtime.DeviceCPU))
	case errors.Is(found, ErrDamaged):
		o.logf("%v", found)
		if lib, err = fetch(ctx, o.toFetch(lib.Device)); err != nil {
			return Library{}, errors.Join(found, err)
		}
		return lib, nil
	}
	return lib, found
}

// toFetch settles the device to fetch a library for. One with CUDA has 250 MB, which wants to be asked for: by the options, or
// by that it was there before.
func (o Options) toFetch(before runtime.Device) Options {
	switch {
	case o.Device == runtime.DeviceCUDA:
	case before == runtime.DeviceCUDA && slices.ContainsFunc(table, func(p pin) bool { return p.platform == o.Platform && p.device == before }):
		o.Device = before
	default:
		o.Device = runtime.DeviceCPU
	}
	return o
}

// fetch runs the methods under the lock of the cache, until one succeeds.
func fetch(ctx context.Context, o Options) (Library, error) {
	if o.noCache != nil {
		return Library{}, o.noCache
	}
	s, err := openStore(ctx, o)
	if err != nil {
		return Library{}, fmt.Errorf("ortlib: cache: %w", explain(err, o))
	}
	defer s.close()
	if o.From != "" {
		lib, err := s.attempt(ctx, MethodFrom)
		if err != nil {
			return Library{}, fmt.Errorf("ortlib: %s: %w", o.From, explain(err, o))
		}
		return lib, s.dropDamaged(ctx)
	}
	// Another program may have fetched it while this one waited for the lock.
	if lib, ok := best(cached(o), o.Device); ok && checkCached(ctx, o, lib, true) == nil {
		return lib, nil
	}
	lib, err := s.fetchPinned(ctx)
	if err != nil {
		return Library{}, err
	}
	return lib, s.dropDamaged(ctx)
}

func (s *store) fetchPinned(ctx context.Context) (Library, error) {
	failed := &FetchError{Platform: s.options.Platform, Device: s.options.Device}
	for _, m := range s.options.methods() {
		lib, err := s.attempt(ctx, m)
		if err == nil {
			return lib, nil
		}
		if ctx.Err() != nil {
			return Library{}, fmt.Errorf("ortlib: %s: %w", m, err)
		}
		s.options.logf("%s: %v", m, err)
		failed.Causes = append(failed.Causes, fmt.Errorf("%s: %w", m, explain(err, s.options)))
	}
	return Library{}, failed
}

func (o Options) methods() []Method {
	if o.Method != "" {
		return []Method{o.Method}
	}
	return []Method{MethodPip, MethodNpm, MethodRelease}
}

// FetchError says why each method failed.
type FetchError struct {
	Platform string
	Device   runtime.Device
	Causes   []error
}

// Error has a line for each method, and what a user can do instead.
func (e *FetchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ortlib: no ONNX Runtime could be fetched for %s, %s:", e.Platform, e.Device)
	for _, cause := range e.Causes {
		fmt.Fprintf(&b, "\n  %s", strings.ReplaceAll(cause.Error(), "\n", "\n    "))
	}
	fmt.Fprintf(&b, "\nGive a package or a library yourself (oatta setup --from FILE or URL), or name one in %s.", EnvLibrary)
	return b.String()
}

// Unwrap returns the causes.
func (e *FetchError) Unwrap() []error { return e.Causes }

// explain adds to an error what a user can do about it, where that is not plain from its text.
func explain(err error, o Options) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("the disk with the cache folder %s is full; make room or set %s to another folder: %w", o.CacheDir, EnvCache, err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("it took longer than %v: %w", o.Timeout, err)
	}
	return err
}
