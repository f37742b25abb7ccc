package networks

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"image"
	"image/draw"
	"path/filepath"
	"slices"
	"strings"

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

// ReadFolder reads the pictures of a folder that labels.csv, in it, or the named table gives a class of the network, by name. All of them
// are held in memory.
func ReadFolder(net *Network, dir, table string) (*Set, error) {
	labels, err := datasets.ReadLabels(cmp.Or(table, filepath.Join(dir, "labels.csv")))
	if err != nil {
		return nil, err
	}
	s := &Set{Name: filepath.Base(dir)}
	for _, e := range labels.Entries {
		class := slices.IndexFunc(net.Model.Manifest.Labels, func(name string) bool { return strings.EqualFold(name, e.Label) })
		if class < 0 {
			continue
		}
		img, err := net.picture(filepath.Join(dir, filepath.FromSlash(e.File)))
		if err != nil {
			return nil, err
		}
		s.Pictures, s.Labels = append(s.Pictures, NewPicture(img)), append(s.Labels, class)
	}
	if len(s.Labels) == 0 {
		return nil, fmt.Errorf("networks: %s: no label is a class of %s", labels.Name, net.Name)
	}
	return s, nil
}

// picture reads a file, upright.
func (n *Network) picture(name string) (*image.RGBA, error) {
	opened, err := n.transform.Open(name)
	if err != nil {
		return nil, err
	}
	w, h := opened.Size()
	upright, err := opened.Cut(image.Rect(0, 0, w, h))
	if err != nil {
		return nil, err
	}
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, upright, image.Point{}, draw.Src)
	return img, nil
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
