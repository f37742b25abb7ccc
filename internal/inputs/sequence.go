package inputs

import (
	"fmt"
	"slices"
	"sync"

	data "github.com/oatta/oatta/datasets/motion"
	"github.com/oatta/oatta/preprocess/motion"
)

// sequence reads the windows of a recording in order, while loaders ask for them nearly in order: windows that are passed on the way to the
// one that is asked for wait for who will want them.
type sequence struct {
	recording *recording
	mu        sync.Mutex
	source    *data.Recording
	stream    *motion.Stream
	next      int // ordinal of the window that the stream gives next
	current   motion.Window
	waiting   map[int][]float32
	retired   bool // the cache holds it no more: a loader that still has it leaves nothing open
}

// waitingMost bounds the windows that wait; of more, the oldest was asked for by nobody.
const waitingMost = 1024

// window copies the window of an ordinal. One that was passed too long ago is read again from the beginning.
func (s *sequence) window(dst []float32, ordinal int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.retired {
		defer s.stop()
	}
	if data, ok := s.waiting[ordinal]; ok {
		copy(dst, data)
		delete(s.waiting, ordinal)
		return nil
	}
	if s.stream == nil || ordinal < s.next {
		if err := s.begin(); err != nil {
			return err
		}
	}
	for {
		if err := s.stream.Next(&s.current); err != nil {
			return fmt.Errorf("window %d: %w", s.next, err)
		}
		at := s.next
		s.next++
		if at == ordinal {
			copy(dst, s.current.Data)
			return nil
		}
		s.waiting[at] = slices.Clone(s.current.Data) // nobody has asked for it yet
		delete(s.waiting, at-waitingMost)
	}
}

// begin starts reading at the beginning.
func (s *sequence) begin() (err error) {
	s.stop()
	s.next, s.waiting = 0, map[int][]float32{}
	if s.source, err = s.recording.open(); err == nil {
		s.stream, err = motion.NewStream(s.source, s.recording.settings)
	}
	return err
}

// close frees the file and what waits, for good.
func (s *sequence) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retired = true
	s.stop()
}

func (s *sequence) stop() {
	if s.source != nil {
		_ = s.source.Close() // it was only read
	}
	s.source, s.stream, s.waiting = nil, nil, nil
}
