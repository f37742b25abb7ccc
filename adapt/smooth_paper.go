package adapt

import "math"

// checkpoint is what the paper's matrix needs to go on from a step.
type checkpoint struct {
	c, rows, q []float64
	scale      float64
}

func (f *paper) checkpoint() checkpoint {
	return checkpoint{append([]float64(nil), f.c...), append([]float64(nil), f.rows...), append([]float64(nil), f.q...), f.scale}
}

func (f *paper) restore(s checkpoint) {
	copy(f.c, s.c)
	copy(f.rows, s.rows)
	copy(f.q, s.q)
	f.scale = s.scale
}

// matrix writes A, [K, K], with which the next step will form its prior.
func (f *paper) matrix(dst []float64) {
	n := len(f.rows)
	for i, total := range f.rows {
		row := dst[i*n : (i+1)*n]
		switch {
		case total > tiny:
			for j, v := range f.c[i*n : (i+1)*n] {
				row[j] = v / total
			}
		case f.Init == InitIdentity:
			fill(row, 0)
			row[i] = 1
		default:
			fill(row, 1/float64(n))
		}
	}
}

// relearn repeats the learning of one step. The matrices depend on the predictions and gaps alone, not on the posteriors.
func (f *paper) relearn(q []float64, g gap) {
	f.across = g
	f.learn(q, f.rate(logs(f.logq, q)))
	f.across = gap{}
	copy(f.q, q)
}

// smoothPaper runs the causal filter forward, keeping the posteriors and a checkpoint of the counts every sqrt(T) steps, and then
// backward block by block: a block's matrices are learned again from its checkpoint. All T matrices at once would take T K^2.
func smoothPaper(f *paper, dst, q [][]float64, between gaps) Smoothed {
	out := Smoothed{Steps: len(q)}
	n, block := len(f.p), int(math.Ceil(math.Sqrt(float64(len(q)))))
	r, gate, links := newRecording(n, len(q)), make([]float64, len(q)), make([]link, len(q))
	var saved []checkpoint
	for t, v := range q {
		if t%block == 0 {
			saved = append(saved, f.checkpoint())
		}
		between.before(t, f)
		d := f.step(r.post, v, false)
		copy(r.row(r.like, t), f.like)
		copy(r.row(r.alpha, t), f.p)
		gate[t] = d.Gate
		links[t].set(between.at(t), d)
		if d.ZeroEvidence {
			out.ZeroEvidence++
		}
	}
	r.backwardBlocks(f, q, block, saved, links, func(t int, post []float64) {
		copy(f.p, post)
		copy(f.q, q[t])
		f.mix(dst[t], gate[t])
	})
	return out
}

// backwardBlocks is [recording.backward] with a matrix of its own for every step. Across a step that is cut nothing is handed back.
func (r *recording) backwardBlocks(f *paper, q [][]float64, block int, saved []checkpoint, links []link, use func(t int, post []float64)) {
	matrices := rows(block, r.n*r.n)
	fill(r.beta, 1)
	use(r.steps-1, r.row(r.alpha, r.steps-1))
	for b := len(saved) - 1; b >= 0; b-- {
		start, end := b*block, min((b+1)*block, r.steps)
		f.restore(saved[b])
		for t := start; t < end; t++ {
			links[t].matrix = matrices[t-start]
			f.matrix(links[t].matrix)
			f.relearn(q[t], links[t].gap)
		}
		for t := end - 1; t >= max(start, 1); t-- { // the step into t tells of t-1
			f.walk.into(r.post, r.beta, r.seen, r.row(r.alpha, t-1), r.row(r.like, t), links[t])
			use(t-1, r.post)
		}
	}
}

// link is what lies between an item and the one before.
type link struct {
	matrix []float64 // [K, K] of one step
	gap    gap
	cut    bool // the filter began anew: after a break, or as its prior excluded what came
}

// set notes the gap before a step, and what came of it.
func (l *link) set(g gap, d Diagnostics) { l.gap, l.cut = g, g.fresh || d.ZeroEvidence }

// into takes one step back, from item t to t-1: beta of t becomes that of t-1, and post its posterior. alpha is the causal posterior
// of t-1, like the likelihood of t, l what lies between them.
func (w *walk) into(post, beta, seen, alpha, like []float64, l link) {
	if l.cut {
		fill(beta, 1)
		copy(post, alpha)
		return
	}
	for j, v := range like {
		seen[j] = v * beta[j]
	}
	times(beta, l.matrix, seen)
	w.far(beta, l.gap.missed, func(dst, v []float64) { times(dst, l.matrix, v) })
	combine(post, alpha, beta)
}
