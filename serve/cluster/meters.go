package cluster

import "github.com/prometheus/client_golang/prometheus"

// Register gives what a member sees of its group to a registry.
func (m *Member) Register(r prometheus.Registerer) error {
	locked := func(of func() int) func() float64 {
		return func() float64 {
			m.mu.Lock()
			defer m.mu.Unlock()
			return float64(of())
		}
	}
	for _, g := range []struct {
		name, help string
		of         func() float64
	}{
		{"oatta_group_members", "Members of the group that this one hears, and itself.", locked(func() int { return len(m.view.seen) })},
		{"oatta_group_shards_held", "Parts of the streams that this member holds.", locked(m.holding)},
		{"oatta_group_shards_missing", "Parts of the streams that no member holds, as this one sees it.", locked(func() int { return m.options.Shards - m.view.covered() })},
		{"oatta_group_requests", "Requests that wait for other members.", func() float64 { return float64(m.pending.Load()) }},
	} {
		if err := r.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: g.name, Help: g.help}, g.of)); err != nil {
			return err
		}
	}
	return nil
}

// holding counts the shards that are held here. The caller holds the lock.
func (m *Member) holding() (n int) {
	for _, held := range m.held {
		if held {
			n++
		}
	}
	return n
}
