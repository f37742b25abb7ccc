package predictors

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/runtime"
)

// study runs networks and keeps what they said.
type study struct {
	engine      runtime.Engine
	cache       cache
	workers     int
	temperature float64 // of the filter; 0 is its default of 1
	progress    io.Writer
}

// block is how many pictures are predicted before they are kept.
const block = 25

// opener opens a candidate when it is first wanted: what the cache has needs none.
type opener struct {
	once sync.Once
	*method.Predictor
	err error
}

func (o *opener) get(open func() (*method.Predictor, error)) (*method.Predictor, error) {
	o.once.Do(func() { o.Predictor, o.err = open() })
	return o.Predictor, o.err
}

func (o *opener) close() error {
	if o.Predictor == nil {
		return nil
	}
	return o.Close()
}

// predictAll returns the probabilities [set][picture][class] of a candidate for which order does not count.
func (s *study) predictAll(ctx context.Context, net *network, c candidate, sets []*set) (out [][][]float64, err error) {
	var shared opener
	defer func() { err = errors.Join(err, shared.close()) }()
	out = make([][][]float64, len(sets))
	err = benchmarks.Parallel(max(1, s.workers), len(sets), func(i int) (err error) {
		out[i], err = s.predictSet(ctx, net, c, sets[i], &shared)
		return err
	})
	return out, err
}

func (s *study) predictSet(ctx context.Context, net *network, c candidate, set *set, shared *opener) ([][]float64, error) {
	name := fmt.Sprintf("%s %s %s %s", net.name, net.hash, set.name, c.key())
	rows, err := s.cache.read(name, classes, len(set.pictures))
	start := time.Now()
	for err == nil && len(rows) < classes*len(set.pictures) {
		var p *method.Predictor
		if p, err = shared.get(func() (*method.Predictor, error) { return c.open(s.engine, net) }); err != nil {
			break
		}
		from := len(rows) / classes
		var more []float32
		if more, err = c.predict(ctx, p, net, set, from, min(from+block, len(set.pictures))); err == nil {
			err = s.cache.write(name, len(rows), more)
			rows = append(rows, more...)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	fmt.Fprintf(s.progress, "%s: %d in %.0f s\n", name, len(set.pictures), time.Since(start).Seconds())
	return wide(rows), nil
}

// predict returns the probabilities of the pictures from to to, end to end.
func (c candidate) predict(ctx context.Context, p *method.Predictor, net *network, set *set, from, to int) ([]float32, error) {
	viewer, err := net.transform.NewViews(c.views)
	if err != nil {
		return nil, err
	}
	n := p.InputLen()
	src, dst, seeds := make([]float32, (to-from)*n), make([]float32, (to-from)*classes), make([]uint64, to-from)
	for i := range seeds {
		seeds[i] = seedOf(set.name, from+i)
		if err := viewer.Picture(src[i*n:(i+1)*n], set.pictures[from+i], 1, seeds[i]); err != nil {
			return nil, err
		}
	}
	if err := p.Any.Predict(ctx, dst, src, seeds); err != nil {
		return nil, err
	}
	return dst, probabilities(p, dst)
}

// seedOf is the seed of masks and views of a picture.
func seedOf(set string, i int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", set, i) // never fails
	return h.Sum64()
}

// probabilities turns rows of raw predictions into probabilities in place.
func probabilities(p *method.Predictor, rows []float32) error {
	q := make([]float64, classes)
	for row := range slices.Chunk(rows, classes) {
		if err := p.Probabilities(q, row); err != nil {
			return err
		}
		for i, v := range q {
			row[i] = float32(v)
		}
	}
	return nil
}

// wide cuts numbers into rows of float64.
func wide(rows []float32) (out [][]float64) {
	for row := range slices.Chunk(rows, classes) {
		q := make([]float64, len(row))
		for i, v := range row {
			q[i] = float64(v)
		}
		out = append(out, q)
	}
	return out
}

// tentAll returns the probabilities [stream][step][class] of Tent along streams of one length, all in lockstep.
func (s *study) tentAll(ctx context.Context, net *network, c candidate, streams []*stream) ([][][]float64, error) {
	out, missing := make([][][]float64, len(streams)), []int{}
	name := func(i int) string {
		one := streams[i]
		return fmt.Sprintf("%s %s %s %s %s %d of %d", net.name, net.hash, one.set.name, one.name, c.key(), len(one.items), len(one.set.pictures))
	}
	for i, one := range streams {
		rows, err := s.cache.read(name(i), classes, len(one.items))
		if err != nil {
			return nil, err
		}
		if out[i] = wide(rows); len(out[i]) < len(one.items) {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	var lanes []*stream
	for _, i := range missing {
		lanes = append(lanes, streams[i])
	}
	start := time.Now()
	rows, err := s.tentStreams(ctx, net, c, lanes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name(missing[0]), err)
	}
	fmt.Fprintf(s.progress, "%s and others: %d streams in %.0f s\n", name(missing[0]), len(lanes), time.Since(start).Seconds())
	for lane, i := range missing {
		if err := s.cache.write(name(i), 0, rows[lane]); err != nil {
			return nil, err
		}
		out[i] = wide(rows[lane])
	}
	return out, nil
}

// tentStreams steps every stream at once, a lane each.
func (s *study) tentStreams(ctx context.Context, net *network, c candidate, streams []*stream) (rows [][]float32, err error) {
	p, err := c.open(s.engine, net)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	n, lanes := p.InputLen(), make([]int, len(streams))
	for lane := range lanes {
		lanes[lane] = lane
		p.Streams.Begin(lane)
	}
	src, dst := make([]float32, len(streams)*n), make([]float32, len(streams)*classes)
	rows = make([][]float32, len(streams))
	for step := range streams[0].items {
		for lane, one := range streams {
			if err := net.transform.Picture(src[lane*n:(lane+1)*n], one.set.pictures[one.items[step]], 1); err != nil {
				return nil, err
			}
		}
		var failed predict.RowErrors // their rows hold what was predicted before the step, or what is refused below
		if err := p.Streams.Step(ctx, dst, src, lanes); err != nil && !errors.As(err, &failed) {
			return nil, err
		}
		if err := probabilities(p, dst); err != nil {
			return nil, err
		}
		for lane := range lanes {
			rows[lane] = append(rows[lane], dst[lane*classes:(lane+1)*classes]...)
		}
	}
	return rows, nil
}
