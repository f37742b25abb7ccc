package backend

import (
	"time"
)

// sweepChunk is how many streams are looked at between two batches of requests.
const sweepChunk = 256

// sweep forgets streams without an item for so long, until the keeper is closed.
func (k *keeper) sweep(after time.Duration) {
	defer close(k.swept)
	ticks := time.NewTicker(min(max(after/8, 10*time.Millisecond), 10*time.Minute))
	defer ticks.Stop()
	for {
		select {
		case <-k.closing:
			return
		case <-ticks.C:
		}
		if err := k.forgetBefore(time.Now().Add(-after)); err != nil && k.log != nil {
			k.log.Error("idle streams could not be forgotten", "model", k.model, "error", err)
		}
	}
}

func (k *keeper) forgetBefore(t time.Time) error {
	var names []string
	err := k.do(func() (err error) {
		names, err = k.store.Streams()
		return err
	})
	removed := 0
	for len(names) > 0 && err == nil {
		chunk := names[:min(len(names), sweepChunk)]
		names = names[len(chunk):]
		select {
		case <-k.closing:
			return nil
		default:
		}
		err = k.do(func() error {
			n, err := k.removeIdle(chunk, t)
			removed += n
			return err
		})
	}
	if err == nil && removed > 0 {
		err = k.do(func() error { return k.store.Forget() }) // their traces
	}
	return err
}

func (k *keeper) removeIdle(streams []string, before time.Time) (int, error) {
	var gone []string
	for _, stream := range streams {
		data, err := k.store.Companion(stream)
		if err != nil {
			return 0, nameless(err, stream)
		}
		m, err := decodeMemo(data)
		if err != nil {
			return 0, err
		}
		if m.last.Before(before) && !m.last.IsZero() {
			k.store.Remove(stream)
			k.endings.forget(stream)
			k.changed, k.traces = true, true
			gone = append(gone, stream)
		}
	}
	if err := k.write(); err != nil {
		return 0, err
	}
	for _, stream := range gone {
		k.unlearn(stream)
	}
	return len(gone), nil
}
