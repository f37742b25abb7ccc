package predictors

import (
	"context"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks/networks"
)

// result is what the study found for one network.
type result struct {
	net     string
	extent  Extent
	sets    []string // the first is clean
	orders  []string
	methods []string

	raw, filtered [][][][]float64 // accuracy [order][method][set][seed] in percent
	once          [][][]float64   // hits [method][set][picture], each picture once; of methods that do not mind the order
}

// measure runs all methods on all sets and orders.
func (s *study) measure(ctx context.Context, net *networks.Network, sets []*networks.Set, e Extent) (*result, error) {
	list, err := candidates(net)
	if err != nil {
		return nil, err
	}
	r := &result{net: net.Name, extent: e, once: make([][][]float64, len(list))}
	some := make([]*networks.Set, len(sets))
	for i, set := range sets {
		some[i], r.sets = set.First(e.Pictures), append(r.sets, set.Name)
	}
	for _, o := range orders() {
		r.orders = append(r.orders, o.name)
		r.raw, r.filtered = append(r.raw, table(len(list), len(sets))), append(r.filtered, table(len(list), len(sets)))
	}
	for i, c := range list {
		r.methods = append(r.methods, c.Name)
		if err := s.measureMethod(ctx, r, i, net, c, some); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func table(methods, sets int) [][][]float64 {
	out := make([][][]float64, methods)
	for i := range out {
		out[i] = make([][]float64, sets)
	}
	return out
}

// measureMethod fills in row i of every order.
func (s *study) measureMethod(ctx context.Context, r *result, i int, net *networks.Network, c networks.Candidate, sets []*networks.Set) error {
	var fixed [][][]float64
	if !c.AlongStreams() {
		var err error
		if fixed, err = s.predictAll(ctx, net, c, sets); err != nil {
			return err
		}
		for k, set := range sets {
			r.once[i] = append(r.once[i], hits(fixed[k], set.Labels))
		}
	}
	for k, o := range orders() {
		for seed := range r.extent.Seeds {
			streams, err := o.draw(sets, seed, r.extent.Steps)
			if err != nil {
				return err
			}
			q, err := s.along(ctx, net, c, fixed, streams)
			if err != nil {
				return err
			}
			if err := r.score(s.filter(), k, i, q, streams); err != nil {
				return err
			}
		}
	}
	return nil
}

// along returns the predictions of each item of the streams, one of each set; fixed are those of each picture, where order does not count.
func (s *study) along(ctx context.Context, net *networks.Network, c networks.Candidate, fixed [][][]float64, streams []*networks.Stream) ([][][]float64, error) {
	if c.AlongStreams() {
		q, err := s.runner.Along(ctx, net, c, [][]*networks.Stream{streams})
		if err != nil {
			return nil, err
		}
		return q[0], nil
	}
	out := make([][][]float64, len(streams))
	for i, one := range streams {
		for _, item := range one.Items {
			out[i] = append(out[i], fixed[i][item])
		}
	}
	return out, nil
}

// score appends the accuracies of one seed.
func (r *result) score(f adapt.Settings, order, method int, q [][][]float64, streams []*networks.Stream) error {
	for i, rows := range q {
		p, err := filtered(rows, f)
		if err != nil {
			return err
		}
		truth := streams[i].Truth()
		raw, after := &r.raw[order][method][i], &r.filtered[order][method][i]
		*raw, *after = append(*raw, accuracy(rows, truth)), append(*after, accuracy(p, truth))
	}
	return nil
}
