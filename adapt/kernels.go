package adapt

import (
	"math"
	"slices"
)

// The loops that a step over many classes spends its time in. Where wide says so the kernels of kernels_amd64.s take four numbers at a time; the loops here do
// the rest, and everything on other processors. Sums run in four lanes there and there: one lane would wait for each addition to end before the
// next could begin.

// leastWide is the length from which a kernel is worth its call.
const leastWide = 16

// part returns how many of n numbers a kernel takes: 0, or a multiple of 4.
func part(n int) int {
	if !wide || n < leastWide {
		return 0
	}
	return n &^ 3
}

// lanes are the four parts of a sum.
type lanes [4]float64

func (l *lanes) sum() float64 { return (l[0] + l[1]) + (l[2] + l[3]) }

func sum(x []float64) float64 {
	var s lanes
	if n := part(len(x)); n > 0 {
		sumWide(n, &x[0], &s[0])
		x = x[n:]
	}
	a, b, c, d := s[0], s[1], s[2], s[3]
	for len(x) >= 4 {
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
		x = x[4:]
	}
	for _, v := range x {
		a += v
	}
	return (a + b) + (c + d)
}

// greatest returns the greatest entry of x, which holds no NaN.
func greatest(x []float64) float64 {
	n := part(len(x))
	if n == 0 {
		return slices.Max(x)
	}
	var m lanes
	maxWide(n, &x[0], &m[0])
	most := max(m[0], m[1], m[2], m[3])
	for _, v := range x[n:] {
		most = max(most, v)
	}
	return most
}

// smallest returns the least entry of x, which holds no NaN.
func smallest(x []float64) float64 {
	n := part(len(x))
	if n == 0 {
		return slices.Min(x)
	}
	var m lanes
	minWide(n, &x[0], &m[0])
	least := min(m[0], m[1], m[2], m[3])
	for _, v := range x[n:] {
		least = min(least, v)
	}
	return least
}

func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var s lanes
	if n := part(len(x)); n > 0 {
		dotWide(n, &x[0], &y[0], &s[0])
		x, y = x[n:], y[n:]
	}
	a, b, c, d := s[0], s[1], s[2], s[3]
	for len(x) >= 4 && len(y) >= 4 {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		a += v * y[i]
	}
	return (a + b) + (c + d)
}

// dot2 returns <x, y> and <x, z>.
func dot2(x, y, z []float64) (float64, float64) {
	y, z = y[:len(x)], z[:len(x)]
	var a, b, c, d float64
	for len(x) >= 2 && len(y) >= 2 && len(z) >= 2 {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[0] * z[0]
		d += x[1] * z[1]
		x, y, z = x[2:], y[2:], z[2:]
	}
	for i, v := range x {
		a += v * y[i]
		c += v * z[i]
	}
	return a + b, c + d
}

// dot4 returns <w, y>, <w, z>, <x, y> and <x, z>.
func dot4(w, x, y, z []float64) (wy, wz, xy, xz float64) {
	x, y, z = x[:len(w)], y[:len(w)], z[:len(w)]
	if n := part(len(w)); n > 0 {
		var s [4]lanes
		dot4Wide(n, &w[0], &x[0], &y[0], &z[0], &s[0][0])
		wy, wz, xy, xz = s[0].sum(), s[1].sum(), s[2].sum(), s[3].sum()
		w, x, y, z = w[n:], x[n:], y[n:], z[n:]
	}
	n := len(w)
	x, y, z = x[:n], y[:n], z[:n]
	for i, a := range w {
		b, c, d := x[i], y[i], z[i]
		wy += a * c
		wz += a * d
		xy += b * c
		xz += b * d
	}
	return wy, wz, xy, xz
}

func scale(x []float64, by float64) {
	if len(x) >= leastWide {
		setScaled(x, by, x)
		return
	}
	for i := range x {
		x[i] *= by
	}
}

// setScaled writes by*x into dst.
func setScaled(dst []float64, by float64, x []float64) {
	x = x[:len(dst)]
	if n := part(len(x)); n > 0 {
		scaleWide(n, &by, &dst[0], &x[0])
		dst, x = dst[n:], x[n:]
	}
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = by * x[i]
	}
}

// addScaled adds by*x to dst.
func addScaled(dst []float64, by float64, x []float64) {
	x = x[:len(dst)]
	if n := part(len(x)); n > 0 {
		addScaledWide(n, &by, &dst[0], &x[0])
		dst, x = dst[n:], x[n:]
	}
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += by * x[i]
	}
}

// addScaled2 adds v*x + w*y to dst.
func addScaled2(dst []float64, v float64, x []float64, w float64, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if n := part(len(dst)); n > 0 {
		k := [2]float64{v, w}
		addScaled2Wide(n, &k[0], &dst[0], &x[0], &y[0])
		dst, x, y = dst[n:], x[n:], y[n:]
	}
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] += v*x[i] + w*y[i]
	}
}

// factors are those of a posterior (keep p + rest home)(trust read + floor), and of what it adds to an output.
type factors struct{ keep, rest, trust, floor, weight float64 }

// follow2 steps two posteriors and adds both to out.
func follow2(out, p, q, home, read []float64, f *[2]factors) {
	n := len(out)
	p, q, home, read = p[:n], q[:n], home[:n], read[:n]
	start := part(n)
	if start > 0 {
		followWide(start, &f[0].keep, &p[0], &q[0], &home[0], &read[0], &out[0])
	}
	a, b := f[0], f[1]
	for j := start; j < n; j++ {
		g, r := home[j], read[j]
		x := (a.keep*p[j] + a.rest*g) * (a.trust*r + a.floor)
		y := (b.keep*q[j] + b.rest*g) * (b.trust*r + b.floor)
		p[j], q[j] = x, y
		out[j] += a.weight*x + b.weight*y
	}
}

// followUniform steps the posterior (keep p + rest) read and adds it to out.
func followUniform(out, p, read []float64, keep, rest, weight float64) {
	n := len(out)
	p, read = p[:n], read[:n]
	start := part(n)
	if start > 0 {
		k := [3]float64{keep, rest, weight}
		persistWide(start, &k[0], &p[0], &read[0], &out[0])
	}
	for j := start; j < n; j++ {
		v := (keep*p[j] + rest) * read[j]
		p[j] = v
		out[j] += weight * v
	}
}

// drift steps the posterior keep p + rest home, of a step that reads nothing in most classes, and adds it to out. A home of nil is 1 everywhere.
func drift(out, p, home []float64, keep, rest, weight float64) {
	n := len(p)
	out = out[:n]
	first := part(n)
	k := [3]float64{keep, rest, weight}
	if home == nil {
		if first > 0 {
			driftUniformWide(first, &k[0], &p[0], &out[0])
		}
		for j := first; j < n; j++ {
			v := keep*p[j] + rest
			p[j] = v
			out[j] += weight * v
		}
		return
	}
	home = home[:n]
	if first > 0 {
		driftWide(first, &k[0], &p[0], &home[0], &out[0])
	}
	for j := first; j < n; j++ {
		v := keep*p[j] + rest*home[j]
		p[j] = v
		out[j] += weight * v
	}
}

// over sets lift to like/(mass + more start + beyond), and returns <mu, lift>.
func over(lift, like, mass, start, mu []float64, more, beyond float64) float64 {
	n := len(lift)
	like, mass, start, mu = like[:n], mass[:n], start[:n], mu[:n]
	first, total := part(n), 0.0
	if first > 0 {
		k, s := [2]float64{more, beyond}, lanes{}
		liftWide(first, &k[0], &lift[0], &like[0], &mass[0], &start[0], &mu[0], &s[0])
		total = s.sum()
	}
	for j := first; j < n; j++ {
		r := like[j] / (mass[j] + more*start[j] + beyond)
		lift[j] = r
		total += mu[j] * r
	}
	return total
}

// learnRow turns row into row + k row lift + bias like, the bias being k (beta mu) lift over what scales the row, and returns its sum.
func learnRow(row, lift, like []float64, k, bias float64) float64 {
	lift, like = lift[:len(row)], like[:len(row)]
	var s lanes
	if n := part(len(row)); n > 0 {
		k := [3]float64{k, bias, 1}
		learnRowWide(n, &k[0], &row[0], &lift[0], &like[0], &s[0])
		row, lift, like = row[n:], lift[n:], like[n:]
	}
	a, b, c, d := s[0], s[1], s[2], s[3]
	for len(row) >= 4 && len(lift) >= 4 && len(like) >= 4 {
		r0 := (1+k*lift[0])*row[0] + bias*like[0]
		r1 := (1+k*lift[1])*row[1] + bias*like[1]
		r2 := (1+k*lift[2])*row[2] + bias*like[2]
		r3 := (1+k*lift[3])*row[3] + bias*like[3]
		row[0], row[1], row[2], row[3] = r0, r1, r2, r3
		a, b, c, d = a+r0, b+r1, c+r2, d+r3
		row, lift, like = row[4:], lift[4:], like[4:]
	}
	for j, v := range row {
		v = (1+k*lift[j])*v + bias*like[j]
		row[j] = v
		a += v
	}
	return (a + b) + (c + d)
}

// aimed sets u to p/(rows + beta) and returns the sums of u, of u in the classes that are outside, and of u rows in those.
func aimed(u, p, rows, outside []float64, beta float64) (total, rest, v float64) {
	n := len(u)
	p, rows, outside = p[:n], rows[:n], outside[:n]
	first := part(n)
	if first > 0 {
		var s [3]lanes
		aimWide(first, &beta, &u[0], &p[0], &rows[0], &outside[0], &s[0][0])
		total, rest, v = s[0].sum(), s[1].sum(), s[2].sum()
	}
	for i := first; i < n; i++ {
		w := p[i] / (rows[i] + beta)
		u[i] = w
		total += w
		w *= outside[i]
		rest += w
		v += w * rows[i]
	}
	return total, rest, v
}

// growth is how the sums of rows and columns grow: rows to keep rows + u (growth rows + bias), columns to columns (keep + share lift) + base outside like.
type growth struct{ keep, growth, bias, share, base float64 }

func (g *growth) learn(rows, columns, u, outside, lift, like []float64) {
	n := len(rows)
	columns, u, outside, lift, like = columns[:n], u[:n], outside[:n], lift[:n], like[:n]
	first := part(n)
	if first > 0 {
		learnSumsWide(first, &g.keep, &rows[0], &columns[0], &u[0], &outside[0], &lift[0], &like[0])
	}
	k := *g
	for i := first; i < n; i++ {
		r, c := rows[i], columns[i]
		rows[i] = k.keep*r + u[i]*(k.growth*r+k.bias)
		columns[i] = c*(k.keep+k.share*lift[i]) + k.base*outside[i]*like[i]
	}
}

// gather moves the masses of a marginal by one EM step, to keep mass + (mass + pseudo start) like norm.
func gather(mass, start, like []float64, keep, pseudo, norm float64) {
	n := len(mass)
	start, like = start[:n], like[:n]
	first := part(n)
	if first > 0 {
		k := [3]float64{keep, pseudo, norm}
		massWide(first, &k[0], &mass[0], &start[0], &like[0])
	}
	for j := first; j < n; j++ {
		v := mass[j]
		mass[j] = keep*v + (v+pseudo*start[j])*like[j]*norm
	}
}

// multiplyRead multiplies s by trust read + c, and returns its sum.
func multiplyRead(s, read []float64, trust, c float64) float64 {
	n := len(s)
	read = read[:n]
	first, total := part(n), 0.0
	if first > 0 {
		k, l := [2]float64{trust, c}, lanes{}
		staticWide(first, &k[0], &s[0], &read[0], &l[0])
		total = l.sum()
	}
	for j := first; j < n; j++ {
		v := s[j] * (trust*read[j] + c)
		s[j] = v
		total += v
	}
	return total
}

// scaleFrom multiplies s by norm, and raises what is then under least to it.
func scaleFrom(s []float64, norm, least float64) {
	first := part(len(s))
	if first > 0 {
		k := [2]float64{norm, least}
		raiseWide(first, &k[0], &s[0])
	}
	for j := first; j < len(s); j++ {
		s[j] = max(s[j]*norm, least)
	}
}

// timesRoot writes x sqrt(x) into dst.
func timesRoot(dst, x []float64) {
	n := len(dst)
	x = x[:n]
	first := part(n)
	if first > 0 {
		rootWide(first, &dst[0], &x[0])
	}
	for j := first; j < n; j++ {
		dst[j] = x[j] * math.Sqrt(x[j])
	}
}
