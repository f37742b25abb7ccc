package networks

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/models/predict"
)

// Along returns the probabilities [group][stream][step][class] of a candidate that learns along streams. The streams of a group, all of
// one length, go in lockstep, a lane each, and are kept together; groups run side by side.
func (r *Runner) Along(ctx context.Context, net *Network, c Candidate, groups [][]*Stream) ([][][][]float64, error) {
	out, total := make([][][][]float64, len(groups)), 0
	for _, g := range groups {
		total += len(g) * len(g[0].Items)
	}
	count := r.counter(c.Name+", along streams", total)
	err := benchmarks.Parallel(r.Workers, len(groups), func(i int) (err error) {
		if out[i], err = r.alongGroup(ctx, net, c, groups[i], count); err != nil {
			err = fmt.Errorf("%s: %s, %s: %w", net.Name, c.Name, groups[i][0].Name, err)
		}
		return err
	})
	return out, err
}

// lane is a stream on its way.
type lane struct {
	*Stream
	file *file
	rows []float32
}

func (r *Runner) alongGroup(ctx context.Context, net *Network, c Candidate, group []*Stream, count *counter) (q [][][]float64, err error) {
	lanes, have := make([]*lane, 0, len(group)), len(group[0].Items)
	defer func() {
		for _, l := range lanes {
			err = errors.Join(err, l.file.close())
		}
	}()
	for _, s := range group {
		// A run of another number of rows rounds otherwise, so that the number is part of what is kept.
		l := &lane{Stream: s}
		var records []byte
		if l.file, records, err = openFile(r.Folder, about(net, c, fmt.Sprintf("%s %s of %d", s.Name, s.key(), len(group))), 4*net.Classes()); err != nil {
			return nil, err
		}
		lanes = append(lanes, l)
		l.rows = make([]float32, len(records)/4)
		if _, err := binary.Decode(records, binary.LittleEndian, l.rows); err != nil {
			return nil, err
		}
		have = min(have, l.file.have)
	}
	if have < len(group[0].Items) {
		if have, err = r.goOn(ctx, net, c, lanes, have, count); err != nil {
			return nil, err
		}
	}
	count.add(have * len(lanes))
	for _, l := range lanes {
		q = append(q, nil)
		for row := range slices.Chunk(l.rows, net.Classes()) {
			q[len(q)-1] = append(q[len(q)-1], wide(row))
		}
	}
	return q, nil
}

// kept after so many steps at the most.
const stretch = 100

// goOn steps all lanes from where a stream can begin anew without loss, behind the first have steps at the most, and returns where.
func (r *Runner) goOn(ctx context.Context, net *Network, c Candidate, lanes []*lane, have int, count *counter) (from int, err error) {
	p, err := r.open(ctx, net, c)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if again, ok := p.Streams.(predict.Restarter); ok {
		from = max(0, again.Restart(have))
	}
	g := &lockstep{net: net, p: p.Streams, lanes: lanes, all: make([]int, len(lanes))}
	for i, l := range lanes {
		g.all[i], l.rows = i, l.rows[:from*net.Classes()]
		p.Streams.Begin(i)
	}
	g.src, g.dst = make([]float32, len(lanes)*p.InputLen()), make([]float32, len(lanes)*net.Classes())
	for at := from; at < len(lanes[0].Items); at += stretch {
		to := min(at+stretch, len(lanes[0].Items))
		for step := at; step < to; step++ {
			if err := g.step(ctx, step); err != nil {
				return 0, err
			}
			if err := probabilities(p, g.dst); err != nil {
				return 0, err
			}
			for i, l := range lanes {
				l.rows = append(l.rows, g.dst[i*net.Classes():(i+1)*net.Classes()]...)
			}
		}
		if err := g.keep(at); err != nil {
			return 0, err
		}
		count.add((to - at) * len(lanes))
	}
	return from, nil
}

// lockstep is lanes that advance together.
type lockstep struct {
	net      *Network
	p        predict.StreamPredictor
	lanes    []*lane
	all      []int // their numbers
	src, dst []float32
}

// step advances every lane by an item, and leaves the raw predictions in dst.
func (g *lockstep) step(ctx context.Context, step int) error {
	n := g.p.InputLen()
	for i, l := range g.lanes {
		if err := g.net.transform.Picture(g.src[i*n:(i+1)*n], l.Set.Pictures[l.Items[step]].Image, 1); err != nil {
			return err
		}
	}
	var failed predict.RowErrors // their rows hold what was predicted before the step, or what is refused later
	if err := g.p.Step(ctx, g.dst, g.src, g.all); err != nil && !errors.As(err, &failed) {
		return err
	}
	return nil
}

// keep writes the rows from step at on.
func (g *lockstep) keep(at int) error {
	for _, l := range g.lanes {
		b, err := binary.Append(nil, binary.LittleEndian, l.rows[at*g.net.Classes():])
		if err == nil {
			err = l.file.write(at, b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
