package adapt

import "fmt"

// What others see of activePairs: the matrix over all classes, and the state.

// sizes returns the row sums of all classes.
func (s *activePairs) sizes() []float64 { return s.rows }

// counts writes C_ij of row i into dst, each by what its class is kept in.
func (s *activePairs) counts(dst []float64, i int) {
	k, share := s.shareOf(i)
	row := s.row(k)
	setScaled(dst, share*row[0]*s.ofColumn, s.columns)
	for k, j := range s.apart() {
		dst[j] = share * row[k+1]
	}
}

// own returns C_ii.
func (s *activePairs) own(i int) float64 {
	k, share := s.shareOf(i)
	if k > 0 {
		return share * s.row(k)[k]
	}
	return share * s.row(0)[0] * s.ofColumn * s.columns[i]
}

// shareOf returns the slot that a class has its counts in, and by what its row of c is to be multiplied for them.
func (s *activePairs) shareOf(i int) (slot int, share float64) {
	if s.outside[i] == 1 {
		return 0, s.rows[i] * reciprocal(sum(s.row(0)))
	}
	for k, j := range s.apart() {
		if int(j) == i {
			slot = k + 1
		}
	}
	return slot, s.scale
}

// visit leaves out what aim forms.
func (s *activePairs) visit(v visitor) {
	v.integer("active classes", &s.used, s.most)
	for k := range s.most {
		class := int(s.classes[k+1])
		v.integer("active class", &class, len(s.rows)-1)
		s.classes[k+1] = int32(class)
	}
	v.numbers("counts", s.c, counted)
	v.number("scale", &s.scale, scales)
	v.numbers("row sums", s.rows, counted)
	v.numbers("column sums", s.columns, counted)
	v.flag("started", &s.started)
}

// settle forms what a snapshot leaves out.
func (s *activePairs) settle(p []float64) { s.aim(p) }

// sumsTolerance is how far sums over the rest may be apart, in shares of all counts: moving a class takes one of nearly equal numbers from the other.
const sumsTolerance = 1e-6

// consistent holds the sums to the lumped matrix, and the list of classes to itself.
func (s *activePairs) consistent([]float64) error {
	apart := make(map[int32]int, s.used)
	for k, i := range s.apart() {
		if apart[i] != 0 {
			return fmt.Errorf("state: class %d is active twice", i)
		}
		apart[i] = k + 1
		if s.columns[i] != 0 {
			return fmt.Errorf("state: column sum %d is %g of an active class: want 0", i, s.columns[i])
		}
	}
	rest, all, column := 0.0, 0.0, 0.0
	for i, r := range s.rows {
		all += r
		if k := apart[int32(i)]; k == 0 {
			rest += r
		} else if err := agree(fmt.Sprintf("row sum %d", i), r, s.scale*sum(s.row(k))); err != nil {
			return err
		}
	}
	for k := range s.used + 1 {
		column += s.row(k)[0]
	}
	if err := agree("row sums of the rest", rest+sumsTolerance*all, s.scale*sum(s.row(0))+sumsTolerance*all); err != nil {
		return err
	}
	return agree("column sums of the rest", sum(s.columns)+sumsTolerance*all, s.scale*column+sumsTolerance*all)
}
