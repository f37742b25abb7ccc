package backend

import "time"

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
		if err := k.forgetBefore(k.clock.now().Add(-after)); err != nil && k.log != nil {
			k.log.Error("idle streams could not be forgotten", "model", k.model, "error", err)
		}
	}
}

func (k *keeper) forgetBefore(t time.Time) error {
	removed := 0
	err := k.each(func(names []string) error {
		return k.do(func() error {
			n, err := k.removeIdle(names, t)
			removed += n
			return err
		})
	})
	if err == nil && removed > 0 && !k.ends() {
		err = k.do(func() error { return k.store.Forget() }) // their traces
	}
	return err
}

// ends tells whether the keeper is being closed.
func (k *keeper) ends() bool {
	select {
	case <-k.closing:
		return true
	default:
		return false
	}
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
			k.spaces.add(stream, -1)
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
	k.meters.forgotten.Add(float64(len(gone)))
	return len(gone), nil
}
