package backend

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// meters measure one model.
type meters struct {
	items, changed, left, failures, forgotten prometheus.Counter
	gate, batch, engine, commits              prometheus.Histogram
}

func newMeters() *meters {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
	}
	seconds := prometheus.ExponentialBuckets(1e-4, 2.5, 14) // 0.1 ms to 15 s
	return &meters{
		items:     counter("oatta_items_total", "Rows that were steps of a filter."),
		changed:   counter("oatta_items_relabelled_total", "Rows whose most probable class is another behind the filter."),
		left:      counter("oatta_items_left_out_total", "Rows that were left out as late or double."),
		failures:  counter("oatta_commit_failures_total", "Commits of the state that failed."),
		forgotten: counter("oatta_streams_forgotten_total", "Streams that were forgotten because nothing came for them."),
		gate:      histogram("oatta_gate_weight", "Weight of what was learned of a stream, 0 to 1, row by row.", prometheus.LinearBuckets(0.1, 0.1, 10)),
		batch:     histogram("oatta_batch_rows", "Rows of a run of the network.", prometheus.ExponentialBuckets(1, 2, 12)),
		engine:    histogram("oatta_engine_seconds", "Time of a run of the network.", seconds),
		commits:   histogram("oatta_commit_seconds", "Time of a commit of the state.", seconds),
	}
}

func (m *meters) all() []prometheus.Collector {
	return []prometheus.Collector{m.items, m.changed, m.left, m.failures, m.forgotten, m.gate, m.batch, m.engine, m.commits}
}

// Register gives what is measured of every model to a registry, each with the label model.
func (b *Backend) Register(r prometheus.Registerer) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for name, m := range b.models {
		own := prometheus.WrapRegistererWith(prometheus.Labels{"model": name}, r)
		for _, c := range append(m.meters.all(), b.gauges(m)...) {
			if err := own.Register(c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Backend) gauges(m *model) []prometheus.Collector {
	gauge := func(name, help string, of func(held []*keeper) int64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			b.mu.RLock()
			defer b.mu.RUnlock()
			if m.shards == nil {
				return 0
			}
			return float64(of(m.shards.held()))
		})
	}
	sum := func(of func(k *keeper) *atomic.Int64) func([]*keeper) int64 {
		return func(held []*keeper) (n int64) {
			for _, k := range held {
				n += of(k).Load()
			}
			return n
		}
	}
	return []prometheus.Collector{
		gauge("oatta_streams", "Streams that are kept.", sum(func(k *keeper) *atomic.Int64 { return &k.kept })),
		gauge("oatta_streams_live", "Streams whose filters are in memory; the others wait in the file.", sum(func(k *keeper) *atomic.Int64 { return &k.live })),
		gauge("oatta_starved", "1 if the predictions are too sure of themselves for the filter to help; the log says what to do.", func(held []*keeper) int64 {
			if slices.ContainsFunc(held, func(k *keeper) bool { return k.watch.starved.Load() }) {
				return 1
			}
			return 0
		}),
		gauge("oatta_queue_rows", "Rows that wait.", func([]*keeper) int64 { return int64(m.admission.waiting()) }),
	}
}

// stepped counts the rows of a call.
func (m *meters) stepped(c *call) {
	m.items.Add(float64(c.n - len(c.found.left)))
	m.left.Add(float64(len(c.found.left)))
	m.changed.Add(float64(c.found.changed(c.version.opened.Classes)))
	for _, g := range c.found.gate {
		m.gate.Observe(g)
	}
}

func (m *meters) commit(took time.Duration, err error) {
	m.commits.Observe(took.Seconds())
	if err != nil {
		m.failures.Inc()
	}
}

func (m *meters) run(rows int, took time.Duration) {
	m.batch.Observe(float64(rows))
	m.engine.Observe(took.Seconds())
}
