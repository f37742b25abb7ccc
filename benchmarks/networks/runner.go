package networks

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/runtime"
)

// Runner runs networks and keeps what they said.
type Runner struct {
	Engine   func(ctx context.Context) (runtime.Engine, error) // called when something is to be predicted; must give the same each time
	Folder   string                                            // that keeps predictions; empty: none are kept
	Workers  int                                               // runs at a time, each on one thread; 0: one for each core
	Progress func(what string, done, total int)                // pictures, or items of streams; called by one goroutine at a time; nil: nobody listens
}

// block is how many pictures are predicted together before they are kept.
const block = 25

// about says what is kept in a file.
func about(net *Network, c Candidate, of string) string {
	return fmt.Sprintf("%s %s %s %s %s", net.Name, c.Settings.Name, of, net.Model.Hash(), c.Key())
}

// counter tells the progress of several workers.
type counter struct {
	mu          sync.Mutex
	what        string
	done, total int
	tell        func(what string, done, total int)
}

func (r *Runner) counter(what string, total int) *counter {
	c := &counter{what: what, total: total, tell: r.Progress}
	c.add(0)
	return c
}

func (c *counter) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done += n; c.tell != nil {
		c.tell(c.what, c.done, c.total)
	}
}

// opener opens a candidate when it is first wanted: what the folder has needs none.
type opener struct {
	once sync.Once
	*method.Predictor
	err error
}

func (o *opener) get(ctx context.Context, r *Runner, net *Network, c Candidate) (*method.Predictor, error) {
	o.once.Do(func() { o.Predictor, o.err = r.open(ctx, net, c) })
	return o.Predictor, o.err
}

func (o *opener) close() error {
	if o.Predictor == nil {
		return nil
	}
	return o.Close()
}

func (r *Runner) open(ctx context.Context, net *Network, c Candidate) (*method.Predictor, error) {
	engine, err := r.Engine(ctx)
	if err != nil {
		return nil, err
	}
	return c.open(engine, net)
}

// Predict returns the probabilities [picture][class] of a candidate for which order does not count.
func (r *Runner) Predict(ctx context.Context, net *Network, c Candidate, set *Set) (q [][]float64, err error) {
	k, err := openKept(r.Folder, about(net, c, "pictures"), net.Classes())
	if err != nil {
		return nil, err
	}
	var p opener
	defer func() { err = errors.Join(err, p.close(), k.close()) }()
	q = make([][]float64, len(set.Pictures))
	count := r.counter(c.Name+", "+set.Name, len(q))
	blocks := (len(q) + block - 1) / block
	err = benchmarks.Parallel(r.Workers, blocks, func(b int) error {
		from, to := b*block, min((b+1)*block, len(q))
		defer count.add(to - from)
		pictures := set.Pictures[from:to]
		if k.all(pictures, q[from:to]) {
			return nil
		}
		predictor, err := p.get(ctx, r, net, c)
		if err != nil {
			return err
		}
		rows, err := c.predict(ctx, predictor, net, pictures)
		if err != nil {
			return fmt.Errorf("%s: %s, %s: pictures from %d on: %w", net.Name, c.Name, set.Name, from, err)
		}
		return k.add(pictures, rows, q[from:to])
	})
	return q, err
}

// kept is the rows of pictures, by their keys.
type kept struct {
	mu   sync.Mutex
	file *file
	rows map[[16]byte][]float32
}

func openKept(dir, about string, width int) (*kept, error) {
	const key = len(Picture{}.key)
	f, records, err := openFile(dir, about, key+4*width)
	if err != nil {
		return nil, err
	}
	k := &kept{file: f, rows: map[[16]byte][]float32{}}
	for at := 0; at < len(records); at += f.size {
		row := make([]float32, width)
		if _, err := binary.Decode(records[at+key:at+f.size], binary.LittleEndian, row); err != nil {
			return nil, errors.Join(err, k.close())
		}
		k.rows[[16]byte(records[at:at+key])] = row
	}
	return k, nil
}

func (k *kept) close() error { return k.file.close() }

// all fills in the rows of pictures if it has every one of them.
func (k *kept) all(pictures []Picture, q [][]float64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, p := range pictures {
		row, ok := k.rows[p.key]
		if !ok {
			return false
		}
		q[i] = wide(row)
	}
	return true
}

// add keeps the rows, end to end, of pictures that it has not, and fills in those of all.
func (k *kept) add(pictures []Picture, rows []float32, q [][]float64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	width, records := len(rows)/len(pictures), []byte(nil)
	for i, p := range pictures {
		row := rows[i*width : (i+1)*width]
		if k.rows[p.key] == nil {
			k.rows[p.key] = row
			records = append(records, p.key[:]...)
			records, _ = binary.Append(records, binary.LittleEndian, row) // never fails for such rows
		}
		q[i] = wide(k.rows[p.key])
	}
	return k.file.write(k.file.have, records)
}

// wide returns a row as float64.
func wide(row []float32) []float64 {
	q := make([]float64, len(row))
	for i, v := range row {
		q[i] = float64(v)
	}
	return q
}
