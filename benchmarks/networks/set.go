package networks

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"image"

	"github.com/oatta/oatta/datasets"
)

// Picture is one of a set.
type Picture struct {
	Image *image.RGBA
	Seed  uint64 // of what predictors draw for it: masks and views
	key   [16]byte
}

// NewPicture returns a picture with a seed that is made of its pixels.
func NewPicture(img *image.RGBA) Picture {
	sum := sha256.Sum256(img.Pix)
	return newPicture(img, binary.LittleEndian.Uint64(sum[:]))
}

// newPicture returns a picture that is known by its pixels, its size and its seed.
func newPicture(img *image.RGBA, seed uint64) (p Picture) {
	h := sha256.New()
	fmt.Fprintln(h, img.Rect.Dx(), img.Rect.Dy(), seed) // never fails
	_, _ = h.Write(img.Pix)
	p.Image, p.Seed = img, seed
	copy(p.key[:], h.Sum(nil))
	return p
}

// WithSeed returns the picture with another seed.
func (p Picture) WithSeed(seed uint64) Picture { return newPicture(p.Image, seed) }

// Set is pictures with their classes.
type Set struct {
	Name     string
	Pictures []Picture
	Labels   []int
}

// ReadSet reads n pictures, from number from on, of a file that datasets.ReadCIFAR reads, with the classes of all of its pictures; n
// of 0 is all behind.
func ReadSet(name, file string, from, n int, labels []int) (*Set, error) {
	c, err := datasets.ReadCIFAR(file)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		n = c.Len() - from
	}
	if end := from + n; n < 1 || end > c.Len() || end > len(labels) {
		return nil, fmt.Errorf("%s: %d pictures and %d labels: want %d", file, c.Len(), len(labels), max(end, from+1))
	}
	s := &Set{Name: name, Labels: labels[from : from+n]}
	for i := range n {
		s.Pictures = append(s.Pictures, NewPicture(c.Image(from+i)))
	}
	return s, nil
}

// First returns the set's first n pictures, or all if there are fewer.
func (s *Set) First(n int) *Set {
	n = min(n, len(s.Pictures))
	return &Set{s.Name, s.Pictures[:n], s.Labels[:n]}
}

// Stream is pictures of a set, by number, in an order.
type Stream struct {
	Set   *Set
	Name  string // of the order
	Items []int
}

// Truth is the class of every item.
func (s *Stream) Truth() []int {
	out := make([]int, len(s.Items))
	for t, item := range s.Items {
		out[t] = s.Set.Labels[item]
	}
	return out
}

// key is what all of its pictures are known by, in their order.
func (s *Stream) key() string {
	h := sha256.New()
	for _, item := range s.Items {
		k := s.Set.Pictures[item].key
		_, _ = h.Write(k[:]) // never fails
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}
