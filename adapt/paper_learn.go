package adapt

// learnDense adds the outer product add q_{t-1} q_t' to the counts and the next prior, the sum of the rows times their weights, to
// f.prior, in one pass: a row is in the nearest cache when it is read again. Four rows at a time share each load of q and each store
// of the prior.
func (f *paper) learnDense(add float64, q []float64) {
	n := len(q)
	i := 0
	for ; i+4 <= n; i += 4 {
		b, w := f.q[i:i+4:i+4], f.weight[i:i+4:i+4]
		addThenAccumulate4(f.c[i*n:(i+4)*n], q, f.prior,
			[4]float64{add * b[0], add * b[1], add * b[2], add * b[3]}, [4]float64{w[0], w[1], w[2], w[3]})
	}
	for ; i < n; i++ {
		addThenAccumulate(f.c[i*n:i*n+n], add*f.q[i], q, f.prior, f.weight[i])
	}
}

// addThenAccumulate4 adds a_r q to each of four rows, and w_r times the result to prior.
func addThenAccumulate4(rows, q, prior []float64, a, w [4]float64) {
	n := len(q)
	r0, r1, r2, r3 := rows[:n:n], rows[n:2*n:2*n], rows[2*n:3*n:3*n], rows[3*n:4*n:4*n]
	prior = prior[:n]
	a0, a1, a2, a3, w0, w1, w2, w3 := a[0], a[1], a[2], a[3], w[0], w[1], w[2], w[3]
	for j, v := range q {
		x0, x1, x2, x3 := r0[j]+a0*v, r1[j]+a1*v, r2[j]+a2*v, r3[j]+a3*v
		r0[j], r1[j], r2[j], r3[j] = x0, x1, x2, x3
		prior[j] += (w0*x0 + w1*x1) + (w2*x2 + w3*x3)
	}
}

// addThenAccumulate adds a*q to row, and w times the result to prior.
func addThenAccumulate(row []float64, a float64, q, prior []float64, w float64) {
	q, prior = q[:len(row)], prior[:len(row)]
	for j := range row {
		v := row[j] + a*q[j]
		row[j] = v
		prior[j] += w * v
	}
}
