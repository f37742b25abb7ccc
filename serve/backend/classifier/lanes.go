package classifier

import (
	"container/list"
	"context"
	"errors"
	"sync"

	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/serve/backend"
)

// lanes gives the lanes of a predictor that learns along streams to those that need them. It steps on one goroutine at a time, and forgets on any.
type lanes struct {
	p     predict.StreamPredictor
	saver saver // nil where streams share what is learned
	most  int64 // bytes of snapshots

	mu    sync.Mutex     // of what follows; not held in a step of the predictor
	lane  map[string]int // of a stream that has one
	owner []string       // of each lane; "" where it has none
	used  []int          // turn of its last use
	turn  int

	saved  map[string]*list.Element // of *snapshot
	recent *list.List               // the latest in front
	bytes  int64
}

// saver is what a predictor has whose lanes can be put away.
type saver interface {
	Snapshot(lane int) []byte
	Restore(lane int, data []byte) error
}

type snapshot struct {
	stream string
	data   []byte
}

func newLanes(p predict.StreamPredictor, batch int, memory int64) (*lanes, error) {
	if memory == 0 {
		memory = 256 << 20
	}
	n := p.Lanes(batch)
	l := &lanes{p: p, most: memory, lane: map[string]int{}, owner: make([]string, n), used: make([]int, n), saved: map[string]*list.Element{}, recent: list.New()}
	if r, ok := p.(predict.Restarter); ok && r.Restart(1) < 0 {
		return nil, errors.New("what is learned of one stream is not to reach another's answers: want another --reset than never")
	}
	var ok bool
	if l.saver, ok = p.(saver); !ok {
		return nil, errors.New("the predictor cannot put streams away")
	}
	return l, nil
}

// step advances the streams of the rows, in their order: as many at a time as there are lanes, and each once.
func (l *lanes) step(ctx context.Context, dst, src []float32, of []backend.Row, errs []error) error {
	k, length := l.p.Classes(), l.p.InputLen()
	for at := 0; at < len(of); {
		round, err := l.round(of[at:])
		if err != nil {
			return err
		}
		n := len(round)
		err = l.p.Step(ctx, dst[at*k:(at+n)*k], src[at*length:(at+n)*length], round)
		var some predict.RowErrors
		switch {
		case errors.As(err, &some):
			for i := range round {
				errs[at+i] = some.Row(i)
			}
		case err != nil:
			return err
		}
		l.release(of[at:at+n], round)
		at += n
	}
	return nil
}

// release gives back the lanes of streams that have ended.
func (l *lanes) release(of []backend.Row, round []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, row := range of {
		if row.End || row.Stream == "" {
			l.free(round[i])
		}
	}
}

// forget lets go of a stream. Its lane is another's from its next row on, which may be one of the same name.
func (l *lanes) forget(stream string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if lane, known := l.lane[stream]; known {
		l.free(lane)
	}
	l.get(stream)
}

// round gives lanes to the first rows, up to one whose stream has been there or that finds no lane.
func (l *lanes) round(of []backend.Row) (round []int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := make([]bool, len(l.owner))
	for _, row := range of {
		lane, known := l.lane[row.Stream]
		if !known {
			lane = l.pick(taken)
		}
		if lane < 0 || taken[lane] {
			break
		}
		if err := l.take(lane, row, known); err != nil {
			return nil, err
		}
		taken[lane] = true
		l.turn++
		l.used[lane] = l.turn
		round = append(round, lane)
	}
	return round, nil
}

// pick returns the lane used longest ago of those that this round leaves; -1 if there is none.
func (l *lanes) pick(taken []bool) int {
	best := -1
	for i := range l.owner {
		if !taken[i] && (best < 0 || l.owner[i] == "" && l.owner[best] != "" || (l.owner[i] == "") == (l.owner[best] == "") && l.used[i] < l.used[best]) {
			best = i
		}
	}
	return best
}

// take gives a lane to the stream of a row.
func (l *lanes) take(lane int, row backend.Row, known bool) error {
	if !known {
		if was := l.owner[lane]; was != "" {
			l.put(was, l.saver.Snapshot(lane))
			delete(l.lane, was)
		}
		l.owner[lane] = row.Stream
		if row.Stream != "" {
			l.lane[row.Stream] = lane
		}
	}
	data := l.get(row.Stream)
	switch {
	case row.Start || row.Stream == "" || !known && data == nil:
		l.p.Begin(lane)
	case !known:
		if err := l.saver.Restore(lane, data); err != nil {
			l.free(lane) // what it holds is another stream's
			return err
		}
	}
	return nil
}

func (l *lanes) free(lane int) {
	delete(l.lane, l.owner[lane])
	l.owner[lane], l.used[lane] = "", 0
}

// put keeps a snapshot, and lets go of those used longest ago beyond what there is room for.
func (l *lanes) put(stream string, data []byte) {
	l.saved[stream] = l.recent.PushFront(&snapshot{stream, data})
	for l.bytes += int64(len(data)); l.bytes > l.most; {
		l.get(l.recent.Back().Value.(*snapshot).stream)
	}
}

// get takes a snapshot out; nil if there is none.
func (l *lanes) get(stream string) []byte {
	e := l.saved[stream]
	if e == nil {
		return nil
	}
	delete(l.saved, stream)
	l.recent.Remove(e)
	s := e.Value.(*snapshot)
	l.bytes -= int64(len(s.data))
	return s.data
}
