package training

import (
	"crypto/sha256"
	"fmt"
	"io"
	"sync"

	"github.com/oatta/oatta/runtime"
)

// Pixels are pictures of one size as bytes, planes of red, green and blue. Those that there is room for are held; the others are decoded
// each time they are shown.
type Pixels struct {
	height, width int
	held          [][]byte
	sums          [][sha256.Size]byte
	decode        func(dst []float32, item int) error // values of 0 to 1, [3, height, width]
	mean, scale   [3]float32

	pad  int  // pixels by which a changed picture is moved at the most, black moving in
	flip bool // half of the changed pictures are seen in a mirror

	mu   sync.Mutex
	room int64 // bytes that may still be held
}

// PictureChanges say how a picture is changed.
type PictureChanges struct {
	Pad  int  `json:"pad"`  // largest move in pixels, either way; black moves in
	Flip bool `json:"flip"` // left becomes right in every other one
}

// NewPixels returns pictures of so many items, of which as many are held as fit into room bytes. decode writes a picture as values of 0 to 1
// that are multiples of 1/255.
func NewPixels(items, height, width int, room int64, decode func(dst []float32, item int) error) *Pixels {
	p := &Pixels{height: height, width: width, held: make([][]byte, items), sums: make([][sha256.Size]byte, items), decode: decode, room: room}
	p.Standardise([3]float64{}, [3]float64{1, 1, 1})
	return p
}

// Standardise makes every value v of 0 to 1 of a colour (v - mean) / std.
func (p *Pixels) Standardise(mean, std [3]float64) {
	for c := range 3 {
		p.mean[c], p.scale[c] = float32(mean[c]), float32(std[c])
	}
}

// Change says how pictures are changed where a seed asks for it.
func (p *Pixels) Change(c PictureChanges) { p.pad, p.flip = c.Pad, c.Flip }

// Set holds the pixels [3, height, width] of an item if there is room.
func (p *Pixels) Set(item int, pixels []byte) {
	p.sums[item] = sha256.Sum256(pixels)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.room -= int64(len(pixels)); p.room >= 0 {
		p.held[item] = pixels
	}
}

// Read decodes an item for the first time.
func (p *Pixels) Read(item int) error {
	pixels, err := p.pixels(item)
	if err == nil {
		p.Set(item, pixels)
	}
	return err
}

// pixels returns the bytes of a picture.
func (p *Pixels) pixels(item int) ([]byte, error) {
	if p.held[item] != nil {
		return p.held[item], nil
	}
	x := make([]float32, 3*p.height*p.width)
	if err := p.decode(x, item); err != nil {
		return nil, err
	}
	out := make([]byte, len(x))
	for i, v := range x {
		out[i] = byte(255*v + 0.5)
	}
	return out, nil
}

// Batch implements [Store]: float32 [items, 3, height, width].
func (p *Pixels) Batch(items []int, seed func(item int) uint64) ([]runtime.Tensor, error) {
	one := 3 * p.height * p.width
	out, errs := make([]float32, len(items)*one), make([]error, len(items))
	forEach(len(items), func() struct{} { return struct{}{} }, func(_ struct{}, k int) {
		pixels, err := p.pixels(items[k])
		if err != nil {
			errs[k] = err
			return
		}
		dx, dy, mirrored := 0, 0, false
		if seed != nil {
			dx, dy, mirrored = p.draw(seed(items[k]))
		}
		p.write(out[k*one:(k+1)*one], pixels, dx, dy, mirrored)
	})
	for k, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("training: item %d, which could be read before: %w", items[k], err)
		}
	}
	return []runtime.Tensor{runtime.TensorOf(out, int64(len(items)), 3, int64(p.height), int64(p.width))}, nil
}

// draw says how a picture is changed.
func (p *Pixels) draw(seed uint64) (dx, dy int, mirrored bool) {
	random := generator(seed)
	if p.pad > 0 {
		dx, dy = random.IntN(2*p.pad+1)-p.pad, random.IntN(2*p.pad+1)-p.pad
	}
	return dx, dy, p.flip && random.IntN(2) == 1
}

// write writes a picture moved by dx and dy pixels and perhaps mirrored after that, as torchvision's RandomCrop with padding and then its
// RandomHorizontalFlip do.
func (p *Pixels) write(dst []float32, pixels []byte, dx, dy int, mirrored bool) {
	for c := range 3 {
		var value [256]float32
		for v := range value {
			value[v] = (float32(v)/255 - p.mean[c]) / p.scale[c]
		}
		plane := pixels[c*p.height*p.width:][:p.height*p.width]
		for y := range p.height {
			row := dst[(c*p.height+y)*p.width:][:p.width]
			for x := range row {
				from := x
				if mirrored {
					from = p.width - 1 - x
				}
				v := byte(0)
				if sx, sy := from+dx, y+dy; sx >= 0 && sx < p.width && sy >= 0 && sy < p.height {
					v = plane[sy*p.width+sx]
				}
				row[x] = value[v]
			}
		}
	}
}

// Changes implements [Store].
func (p *Pixels) Changes() bool { return p.pad > 0 || p.flip }

// Digest implements [Store].
func (p *Pixels) Digest(w io.Writer, item int) { _, _ = w.Write(p.sums[item][:]) } // hashes do not fail

// Held returns how many pictures are held.
func (p *Pixels) Held() (n int) {
	for _, pixels := range p.held {
		if pixels != nil {
			n++
		}
	}
	return n
}
