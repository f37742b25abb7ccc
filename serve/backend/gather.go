package backend

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/serve"
)

// gatherer runs a network on what waits, as many rows at a time as it takes, and passes the calls on in the order in which they came.
type gatherer struct {
	network Network
	classes int
	delay   time.Duration
	meters  *meters
	tally   *tally
	pass    func(*call) // what becomes of a call with probabilities

	inbox *inbox
	free  chan struct{}    // a token for each run that may begin
	order chan *networkRun // runs that have begun, oldest first
	gone  chan struct{}
}

// networkRun is a run of the network.
type networkRun struct {
	calls []*call
	errs  []error // of calls
	begun time.Time
	done  chan struct{}
}

func newGatherer(o *Opened, delay time.Duration, m *meters, t *tally, pass func(*call)) *gatherer {
	g := &gatherer{
		network: o.Network, classes: o.Classes, delay: delay, meters: m, tally: t, pass: pass,
		inbox: newInbox(), free: make(chan struct{}, o.Network.Runs()), order: make(chan *networkRun, o.Network.Runs()), gone: make(chan struct{}),
	}
	go g.gather()
	go g.deliver()
	return g
}

// close ends the goroutines, once what waits is passed on.
func (g *gatherer) close() {
	g.inbox.close()
	<-g.gone
}

// gather begins runs. What comes while all are under way is in the next.
func (g *gatherer) gather() {
	defer close(g.order)
	for {
		g.free <- struct{}{}
		calls := g.inbox.take(g.network.Batch(), g.delay)
		if len(calls) == 0 {
			return
		}
		r := &networkRun{calls: calls, errs: make([]error, len(calls)), begun: time.Now(), done: make(chan struct{})}
		g.order <- r
		go func() {
			g.run(r)
			<-g.free
			close(r.done)
		}()
	}
}

// deliver passes on what has been run.
func (g *gatherer) deliver() {
	defer close(g.gone)
	for r := range g.order {
		<-r.done
		rows := r.rows()
		for i, c := range r.calls {
			c.span(spanBatch, r.begun, rows, len(r.calls))
			if r.errs[i] != nil {
				c.finish(r.errs[i])
			} else {
				g.pass(c)
			}
		}
	}
}

// rows are those of all its calls.
func (r *networkRun) rows() (n int) {
	for _, c := range r.calls {
		n += c.n
	}
	return n
}

// run predicts. Where a run of several calls fails, each is tried alone: one may have been the cause.
func (g *gatherer) run(r *networkRun) {
	var live []int
	for i, c := range r.calls {
		c.span(spanNetworkQueue, c.waiting, 0, 0)
		if r.errs[i] = c.ctx.Err(); r.errs[i] == nil {
			live = append(live, i)
		}
	}
	if len(live) == 0 || g.predict(r, live) == nil {
		return
	}
	for _, i := range live {
		if err := g.predict(r, []int{i}); err != nil {
			r.errs[i] = err
		}
	}
}

// predict runs the network on some calls. The error is that of all of them.
func (g *gatherer) predict(r *networkRun, calls []int) error {
	var rows []float32
	var of []Row
	for _, i := range calls {
		c := r.calls[i]
		if rows == nil {
			rows = slices.Clip(c.rows) // of one call nothing is copied
		} else {
			rows = append(rows, c.rows...)
		}
		of = append(of, rowsOf(c)...)
	}
	probs, errs := make([]float64, len(of)*g.classes), make([]error, len(of))
	length, batch, begun := len(rows)/len(of), g.network.Batch(), time.Now()
	for at := 0; at < len(of); at += batch {
		end := min(at+batch, len(of))
		err := g.network.Predict(context.Background(), probs[at*g.classes:end*g.classes], rows[at*length:end*length], of[at:end], errs[at:end])
		if err != nil {
			return err
		}
	}
	g.meters.run(len(of), time.Since(begun))
	g.tally.executed()
	for _, i := range calls {
		r.calls[i].span(spanEngine, begun, len(of), len(calls))
	}
	at := 0
	for _, i := range calls {
		c := r.calls[i]
		c.probs = slices.Clip(probs[at*g.classes : (at+c.n)*g.classes])
		r.errs[i] = g.check(c, errs[at:at+c.n])
		at += c.n
	}
	return nil
}

func rowsOf(c *call) []Row {
	out := make([]Row, c.n)
	s := &c.request.Sequence
	for i := range out {
		out[i] = Row{Stream: c.stream, Start: s.Start && i == 0, End: s.End && i == c.n-1}
	}
	return out
}

// check looks for rows without a prediction.
func (g *gatherer) check(c *call, errs []error) error {
	for i, err := range errs {
		if err == nil {
			err = adapt.Check(c.probs[i*g.classes:(i+1)*g.classes], g.classes)
		}
		if err != nil {
			for _, v := range c.rows {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					return serve.Errorf(serve.InvalidArgument, "row %d: the input holds numbers that are not finite", i)
				}
			}
			return fmt.Errorf("backend: row %d: the network gives no probabilities: %w", i, err)
		}
	}
	return nil
}
