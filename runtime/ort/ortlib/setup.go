package ortlib

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/oatta/oatta/runtime"
)

// Setup returns the library that Find finds, else fetches one into the cache. With From set it always takes that. If every
// method fails, the error tells for each why.
func Setup(ctx context.Context, o Options) (Library, error) {
	o, err := o.resolved()
	if err != nil {
		return Library{}, err
	}
	if o.From == "" {
		if lib, err := find(ctx, o); !errors.Is(err, ErrNotFound) {
			return lib, err
		}
	}
	if o.Device == runtime.DeviceAuto {
		o.Device = runtime.DeviceCPU // a fetch of 250 MB wants to be asked for
	}
	return fetch(ctx, o)
}

// fetch runs the methods under the lock of the cache, until one succeeds.
func fetch(ctx context.Context, o Options) (Library, error) {
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
		return lib, nil
	}
	// Another program may have fetched it while this one waited for the lock.
	if lib, ok := best(cached(o), o.Device); ok {
		return lib, nil
	}
	return s.fetchPinned(ctx)
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
