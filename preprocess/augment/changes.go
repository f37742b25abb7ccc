package augment

import (
	"math"

	"github.com/oatta/oatta/preprocess/internal/draw"
)

// move writes the window that begins at sample at, shifted by a number of samples: by > 0 shows what comes later. Where the piece
// ends, the window goes on at its own other end, so that a window without neighbourhood turns in a circle.
func (v *Viewer) move(dst, piece []float32, length, at, by int) {
	from := min(max(at+by, 0), length-v.samples) // as far as the neighbourhood goes
	rest := at + by - from                       // the remainder turns the window that is there
	rest = ((rest % v.samples) + v.samples) % v.samples
	for c := range v.channels {
		x := piece[c*length+from:][:v.samples]
		y := v.channel(dst, c)
		copy(y[copy(y, x[rest:]):], x[:rest])
	}
}

// amplify scales and warps a channel.
func (v *Viewer) amplify(s *scratch, x []float32) {
	set, factor := v.views, 1.0
	if set.Scale > 0 {
		factor = 1 + float64(set.Scale*s.random.NormFloat64())
	}
	if set.Warp == 0 {
		if set.Scale > 0 {
			for i := range x {
				x[i] = float32(factor * float64(x[i]))
			}
		}
		return
	}
	for k := range s.points {
		s.points[k] = factor * (1 + float64(set.Warp*s.random.NormFloat64()))
	}
	for i := range x {
		x[i] = float32(v.curves.at(i, s.points) * float64(x[i]))
	}
}

// jitter adds noise.
func (v *Viewer) jitter(s *scratch, x []float32, std float64) {
	if v.views.Jitter == 0 {
		return
	}
	for i := range x {
		x[i] = float32(float64(x[i]) + float64(std*s.random.NormFloat64()))
	}
}

// silence flattens the channels and the stretch that fall silent.
func (v *Viewer) silence(s *scratch, dst []float32) {
	from, to := 0, 0
	if most := share(v.views.Mask, v.samples); most > 0 {
		n := s.random.IntN(most + 1)
		from = s.random.IntN(v.samples - n + 1)
		to = from + n
	}
	if v.views.Drop > 0 {
		v.drop(s)
	}
	for c := range v.channels {
		x := v.channel(dst, c)
		if s.silent[c] {
			flatten(x, s.mean[c])
		} else {
			flatten(x[from:to], s.mean[c])
		}
	}
}

// drop chooses the channels that fall silent. Where all would, one chosen evenly does not.
func (v *Viewer) drop(s *scratch) {
	n := 0
	for c := range s.silent {
		s.silent[c] = s.random.Chance(v.views.Drop)
		if s.silent[c] {
			n++
		}
	}
	if n == len(s.silent) {
		s.silent[s.random.IntN(n)] = false
	}
}

func flatten(x []float32, to float64) {
	for i := range x {
		x[i] = float32(to)
	}
}

// matrix is a rotation in space.
type matrix [3][3]float64

// rotation draws a turn of up to an angle, in radians, about an axis of any direction alike (Rodrigues' formula).
func rotation(r *draw.Source, most float64) (m matrix) {
	angle := r.Between(-most, most)
	z, turn := r.Between(-1, 1), r.Between(0, 2*math.Pi) // even on the sphere (Archimedes)
	across := math.Sqrt(max(1-z*z, 0))
	k := [3]float64{across * math.Cos(turn), across * math.Sin(turn), z}
	sin, cos := math.Sincos(angle)
	for i := range 3 {
		for j := range 3 {
			m[i][j] = (1 - cos) * k[i] * k[j]
		}
		m[i][i] += cos
	}
	m[0][1] -= sin * k[2]
	m[0][2] += sin * k[1]
	m[1][0] += sin * k[2]
	m[1][2] -= sin * k[0]
	m[2][0] -= sin * k[1]
	m[2][1] += sin * k[0]
	return m
}

// apply turns each sample of three axes.
func (m matrix) apply(x, y, z []float32) {
	for i := range x {
		a, b, c := float64(x[i]), float64(y[i]), float64(z[i])
		x[i] = float32(float64(m[0][0]*a) + float64(m[0][1]*b) + float64(m[0][2]*c))
		y[i] = float32(float64(m[1][0]*a) + float64(m[1][1]*b) + float64(m[1][2]*c))
		z[i] = float32(float64(m[2][0]*a) + float64(m[2][1]*b) + float64(m[2][2]*c))
	}
}
