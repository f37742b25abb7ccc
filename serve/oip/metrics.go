package oip

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics of requests. Models are named where there is such a model, so that no client makes up names.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
	plain    prometheus.GaugeFunc
	streams  prometheus.GaugeFunc
}

func newMetrics(h *Handler) *metrics {
	return &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "oatta_requests_total", Help: "Requests answered, those of streaming calls too, by transport, method, model and gRPC's name of the code.",
		}, []string{"transport", "method", "model", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "oatta_request_seconds", Help: "Time from a request's header to its answer.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"transport", "method", "model"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "oatta_request_bytes_total", Help: "Bytes of bodies, as sent, in and out.",
		}, []string{"transport", "direction"}),
		plain: prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "oatta_requests_in_flight", Help: "Plain requests under way.",
		}, func() float64 { return float64(len(h.requests)) }),
		streams: prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "oatta_streaming_calls_in_flight", Help: "Streaming calls under way.",
		}, func() float64 { return float64(len(h.streams)) }),
	}
}

func (m *metrics) register(at prometheus.Registerer) error {
	for _, collector := range []prometheus.Collector{m.requests, m.seconds, m.bytes, m.plain, m.streams} {
		if err := at.Register(collector); err != nil {
			return err
		}
	}
	return nil
}

// done counts a call. What came within a streaming call is counted by one.
func (m *metrics) done(c *call) {
	m.bytes.WithLabelValues(c.transport, "in").Add(float64(c.in.Load()))
	m.bytes.WithLabelValues(c.transport, "out").Add(float64(c.out.Load()))
	if !c.streaming {
		m.one(c, c.model, c.code, c.begin)
	}
}

// one counts an answered request.
func (m *metrics) one(c *call, model, code string, begin time.Time) {
	m.requests.WithLabelValues(c.transport, c.method, model, code).Inc()
	m.seconds.WithLabelValues(c.transport, c.method, model).Observe(time.Since(begin).Seconds())
}
