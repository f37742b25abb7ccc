package inputs

import (
	"fmt"
	"slices"
	"sync"

	data "github.com/oatta/oatta/datasets/motion"
	"github.com/oatta/oatta/preprocess/motion"
)

// reels holds the recordings that are being read.
type reels struct {
	mu   sync.Mutex
	held []*reel // the one that was asked for last is the last
	most int     // that are held, at least 2
}

func (x *reels) of(r *recording) *reel {
	x.mu.Lock()
	defer x.mu.Unlock()
	h := &reel{recording: r}
	if at := slices.IndexFunc(x.held, func(h *reel) bool { return h.recording == r }); at >= 0 {
		h = x.held[at]
		x.held = slices.Delete(x.held, at, at+1)
	} else if len(x.held) >= max(x.most, 2) {
		x.held[0].rewind() // a long recording in hand has been asked for lately; this one has come to its end
		x.held = slices.Delete(x.held, 0, 1)
	}
	x.held = append(x.held, h)
	return h
}

func (x *reels) close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, h := range x.held {
		h.rewind()
	}
	x.held = nil
	return nil
}

// reel reads the windows of a recording in order, while loaders ask for them nearly in order: windows that are passed on the way to the
// one that is asked for wait for who will want them.
type reel struct {
	recording *recording
	mu        sync.Mutex
	source    *data.Recording
	stream    *motion.Stream
	next      int // ordinal of the window that the stream gives next
	current   motion.Window
	waiting   map[int][]float32
	retired   bool // nobody holds it any more: a loader that still has it leaves nothing open
}

// waitingMost bounds the windows that wait; of more, the oldest was asked for by nobody.
const waitingMost = 1024

// window copies the window of an ordinal. One that was passed too long ago is read again from the beginning.
func (r *reel) window(dst []float32, ordinal int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.retired {
		defer r.stop()
	}
	if data, ok := r.waiting[ordinal]; ok {
		copy(dst, data)
		delete(r.waiting, ordinal)
		return nil
	}
	if r.stream == nil || ordinal < r.next {
		if err := r.begin(); err != nil {
			return err
		}
	}
	for {
		if err := r.stream.Next(&r.current); err != nil {
			return fmt.Errorf("window %d: %w", r.next, err)
		}
		at := r.next
		r.next++
		if at == ordinal {
			copy(dst, r.current.Data)
			return nil
		}
		r.waiting[at] = slices.Clone(r.current.Data) // nobody has asked for it yet
		delete(r.waiting, at-waitingMost)
	}
}

// begin starts reading at the beginning.
func (r *reel) begin() (err error) {
	r.stop()
	r.next, r.waiting = 0, map[int][]float32{}
	if r.source, err = r.recording.open(); err == nil {
		r.stream, err = motion.NewStream(r.source, r.recording.settings)
	}
	return err
}

// rewind frees the file and what waits, for good.
func (r *reel) rewind() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.retired = true
	r.stop()
}

func (r *reel) stop() {
	if r.source != nil {
		_ = r.source.Close() // it was only read
	}
	r.source, r.stream, r.waiting = nil, nil, nil
}
