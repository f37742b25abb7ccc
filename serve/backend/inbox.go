package backend

import (
	"sync"
	"time"
)

// inbox is where calls wait, in the order in which they came. How many may wait is not its business: see admission.
type inbox struct {
	mu     sync.Mutex
	calls  []*call
	rows   int
	closed bool
	wake   chan struct{} // holds one token while there may be something new
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// put adds a call, unless the inbox is closed.
func (b *inbox) put(c *call) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.calls, b.rows = append(b.calls, c), b.rows+c.n
	b.signal()
	return true
}

func (b *inbox) signal() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// close says that nothing more is put. What waits can still be taken.
func (b *inbox) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.signal()
}

// take waits for a call, and then for others of as many rows as most until delay is over. It returns calls of so many rows, or one of more, and none
// once the inbox is closed and empty. It is called by one goroutine.
func (b *inbox) take(most int, delay time.Duration) []*call {
	for {
		b.mu.Lock()
		rows, closed := b.rows, b.closed
		waits := len(b.calls) > 0
		b.mu.Unlock()
		if waits && (delay <= 0 || closed || rows >= most) || closed {
			return b.cut(most)
		}
		if waits {
			b.linger(most, delay)
			return b.cut(most)
		}
		<-b.wake
	}
}

// linger waits for more rows until delay is over.
func (b *inbox) linger(most int, delay time.Duration) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return
		case <-b.wake:
		}
		b.mu.Lock()
		enough := b.rows >= most || b.closed
		b.mu.Unlock()
		if enough {
			return
		}
	}
}

func (b *inbox) cut(most int) []*call {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, rows := 0, 0
	for n < len(b.calls) && (n == 0 || rows+b.calls[n].n <= most) {
		rows += b.calls[n].n
		n++
	}
	out := b.calls[:n:n]
	if b.calls, b.rows = b.calls[n:], b.rows-rows; len(b.calls) == 0 {
		b.calls = nil
	} else {
		b.signal()
	}
	return out
}
