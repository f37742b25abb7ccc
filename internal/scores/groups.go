package scores

// Grouped returns the comparison with streams put together, as the two nights of a person: of names the group of a stream. Groups stand in
// the order in which their first stream came. What is over all items stays as it is.
func (c *Comparison) Grouped(of func(stream string) string) *Comparison {
	out := NewComparison(c.classes)
	out.all.Merge(c.all)
	for _, name := range c.order {
		out.stream(of(name)).Merge(c.streams[name])
	}
	return out
}

// stream returns the pair of a stream, a new one the first time.
func (c *Comparison) stream(name string) *Pair {
	s := c.streams[name]
	if s == nil {
		s = NewPair(c.classes)
		c.streams[name] = s
		c.order = append(c.order, name)
	}
	return s
}

// Merge adds what another pair of the same classes has counted.
func (p *Pair) Merge(o *Pair) {
	p.raw.Merge(o.raw)
	p.adapted.Merge(o.adapted)
	p.flips.Right += o.flips.Right
	p.flips.Wrong += o.flips.Wrong
	p.flips.Other += o.flips.Other
}

// Merge adds what another tally of the same classes has counted.
func (t *Tally) Merge(o *Tally) {
	t.mergeCounts(o)
	for pair, n := range o.confusion {
		t.confusion[pair] += n
	}
	for i, b := range o.bins {
		t.bins[i].n += b.n
		t.bins[i].confidence += b.confidence
		t.bins[i].hits += b.hits
	}
}

// mergeCounts is Merge without what takes time and only calibration and the confusion matrix need.
func (t *Tally) mergeCounts(o *Tally) {
	for k := range t.support {
		t.support[k] += o.support[k]
		t.predicted[k] += o.predicted[k]
		t.hits[k] += o.hits[k]
	}
	t.n += o.n
	t.nll += o.nll
	t.brier += o.brier
}
