package image

import "github.com/oatta/oatta/preprocess/internal/draw"

// mixture is what AugMix draws for one view: chains of operations, how much each result weighs, and how much of the unchanged
// crop is kept beside them.
type mixture struct {
	weights [mixWidth]float32 // from Dirichlet(1, 1, 1)
	keep    float32           // from Beta(1, 1)
	chains  [mixWidth]chain
}

// mixWidth is the number of chains, of 1 to mixDepth operations each.
const mixWidth, mixDepth = 3, 3

type chain struct {
	n   int
	ops [mixDepth]operation
}

// operation is one change with its amount, whose meaning depends on the kind.
type operation struct {
	kind   kind
	amount float64
}

// kind is an operation of AugMix. Those of AugMix's longer list that change colour, contrast, brightness or sharpness are
// not among them: they overlap the corruptions that it is tested on.
type kind uint8

const (
	autocontrast kind = iota
	equalize
	rotate     // amount: whole degrees, counterclockwise
	solarize   // amount: the first value that is inverted
	shearX     // amount: columns a row
	shearY     // amount: rows a column
	translateX // amount: whole pixels
	translateY // amount: whole pixels
	posterize  // amount: bits that are kept
	kinds
)

// drawMixture draws a view's mixture, for crops of w x h pixels.
func drawMixture(r *draw.Source, severity float64, w, h int) (m mixture) {
	var weights [mixWidth]float64
	r.Simplex(weights[:])
	for i, v := range weights {
		m.weights[i] = float32(v)
	}
	m.keep = float32(r.Float64()) // Beta(1, 1) is even
	for i := range m.chains {
		c := &m.chains[i]
		c.n = 1 + r.IntN(mixDepth)
		for j := range c.n {
			c.ops[j] = drawOperation(r, severity, w, h)
		}
	}
	return m
}

// drawOperation draws an operation as MEMO's and AugMix's code does: a level from 0.1 to the severity, of which 10 stands for
// the largest amount, truncated where the amount is whole, and either sign where it has one.
func drawOperation(r *draw.Source, severity float64, w, h int) operation {
	o := operation{kind: kind(r.IntN(int(kinds)))}
	if o.kind == autocontrast || o.kind == equalize {
		return o
	}
	level := r.Between(0.1, severity)
	whole := func(most float64) float64 { return float64(int(level * most / 10)) }
	switch o.kind {
	case rotate:
		o.amount = whole(30)
	case solarize:
		o.amount = 256 - whole(256)
	case shearX, shearY:
		o.amount = level * 0.3 / 10
	case translateX:
		o.amount = whole(float64(w) / 3)
	case translateY:
		o.amount = whole(float64(h) / 3)
	case posterize:
		o.amount = max(4-whole(4), 1)
	}
	if o.kind.signed() && r.Coin() {
		o.amount = -o.amount
	}
	return o
}

func (k kind) signed() bool { return k == rotate || shearX <= k && k <= translateY }

// augmix writes the mixture of s.view into dst.
func (v *Viewer) augmix(s *viewScratch, dst []float32) {
	w, h := v.t.settings.Width, v.t.settings.Height
	m := drawMixture(s.random, v.views.Severity, w, h)
	s.mixer.mix(v.t, dst, s.view, &m, v.recipe.fill)
}

// mixer is the memory of AugMix.
type mixer struct {
	from, to raster
	table    [3][256]float32
}

// mix computes keep x + (1-keep) sum of weights[i] chain_i(x), where x and the results of the chains are normalised first. The
// float32 operations are those of the reference code, in its order.
func (s *mixer) mix(t *Transform, dst []float32, crop []uint8, m *mixture, fill [3]uint8) {
	w, h := t.settings.Width, t.settings.Height
	for i := range m.chains {
		s.from.reset(w, h)
		copy(s.from.pix, crop)
		for _, o := range m.chains[i].ops[:m.chains[i].n] {
			s.apply(o, fill)
		}
		s.weigh(t, m.weights[i])
		if i == 0 {
			t.tabulate(dst, s.from.pix, &s.table)
		} else {
			t.blend(dst, 1, s.from.pix, &s.table)
		}
	}
	s.weigh(t, m.keep)
	t.blend(dst, 1-m.keep, crop, &s.table)
}

// weigh makes the table that of normalised values, times a weight.
func (s *mixer) weigh(t *Transform, weight float32) {
	for c := range s.table {
		for v, x := range t.tables[c] {
			s.table[c][v] = weight * x
		}
	}
}

// blend turns each element of dst into k times itself plus the table's value of the crop's byte. The products are converted
// so that no processor fuses them with the sum.
func (t *Transform) blend(dst []float32, k float32, crop []uint8, table *[3][256]float32) {
	rt, gt, bt := &table[0], &table[1], &table[2]
	r, g, b, step := t.planes(dst)
	for at := 0; len(crop) >= 3; at += step {
		r[at] = rt[crop[0]] + float32(k*r[at])
		g[at] = gt[crop[1]] + float32(k*g[at])
		b[at] = bt[crop[2]] + float32(k*b[at])
		crop = crop[3:]
	}
}

// apply changes the picture in s.from.
func (s *mixer) apply(o operation, fill [3]uint8) {
	if a, moves := o.affine(s.from.w, s.from.h); moves {
		s.to.reset(s.from.w, s.from.h)
		a.draw(&s.to, &s.from, fill)
		s.from, s.to = s.to, s.from
		return
	}
	var lut [3][256]uint8
	switch o.kind {
	case autocontrast:
		lut = stretching(histogram(s.from.pix))
	case equalize:
		lut = equalizing(histogram(s.from.pix))
	case solarize:
		lut = perValue(func(v int) int { return solarized(v, int(o.amount)) })
	case posterize:
		mask := -1 << (8 - int(o.amount))
		lut = perValue(func(v int) int { return v & mask })
	default:
		return // an amount of 0
	}
	look(s.from.pix, &lut)
}
