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

// relearn repeats the learning of one step. The matrices depend on the predictions alone, not on the posteriors.
func (f *paper) relearn(q []float64) {
	f.learn(q, f.Gamma*math.Exp(-logs(f.logq, q)/f.Tau))
	copy(f.q, q)
}

// smoothPaper runs the causal filter forward, keeping the posteriors and a checkpoint of the counts every sqrt(T) steps, and then
// backward block by block: a block's matrices are learned again from its checkpoint. All T matrices at once would take T K^2.
func smoothPaper(f *paper, dst, q [][]float64) Smoothed {
	out := Smoothed{Steps: len(q)}
	n, block := len(f.p), int(math.Ceil(math.Sqrt(float64(len(q)))))
	r, gate, cut := newRecording(n, len(q)), make([]float64, len(q)), make([]bool, len(q))
	var saved []checkpoint
	for t, v := range q {
		if t%block == 0 {
			saved = append(saved, f.checkpoint())
		}
		d := f.step(r.post, v)
		copy(r.row(r.like, t), f.like)
		copy(r.row(r.alpha, t), f.p)
		gate[t], cut[t] = d.Gate, d.ZeroEvidence
		if d.ZeroEvidence {
			out.ZeroEvidence++
		}
	}
	r.backwardBlocks(f, q, block, saved, cut, func(t int, post []float64) {
		copy(f.p, post)
		copy(f.q, q[t])
		f.mix(dst[t], gate[t])
	})
	return out
}

// backwardBlocks is [recording.backward] with a matrix of its own for every step. Across a step that is cut nothing is handed back.
func (r *recording) backwardBlocks(f *paper, q [][]float64, block int, saved []checkpoint, cut []bool, use func(t int, post []float64)) {
	matrices := rows(block, r.n*r.n)
	fill(r.beta, 1)
	use(r.steps-1, r.row(r.alpha, r.steps-1))
	for b := len(saved) - 1; b >= 0; b-- {
		start, end := b*block, min((b+1)*block, r.steps)
		f.restore(saved[b])
		for t := start; t < end; t++ {
			f.matrix(matrices[t-start])
			f.relearn(q[t])
		}
		for t := end - 1; t >= max(start, 1); t-- { // the step into t tells of t-1
			stepInto(r.post, r.beta, r.seen, r.row(r.alpha, t-1), r.row(r.like, t), matrices[t-start], cut[t])
			use(t-1, r.post)
		}
	}
}

// stepInto takes one step back, from item t to t-1: beta of t becomes that of t-1, and post its posterior. alpha is the causal
// posterior of t-1, like the likelihood of t, a the matrix between them.
func stepInto(post, beta, seen, alpha, like, a []float64, cut bool) {
	if cut { // the filter began anew at t
		fill(beta, 1)
		copy(post, alpha)
		return
	}
	for j, v := range like {
		seen[j] = v * beta[j]
	}
	times(beta, a, seen)
	combine(post, alpha, beta)
}
