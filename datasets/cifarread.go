package datasets

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/internal/textfile"
	"github.com/oatta/oatta/datasets/npy"
)

// cifarSide is the width and height of a CIFAR picture, in pixels.
const cifarSide = 32

const (
	cifarBytes  = 3 * cifarSide * cifarSide // of one picture
	cifarRecord = 1 + cifarBytes            // of one in a binary batch, with its class
	maxCIFAR    = 100_000                   // pictures of one file; CIFAR-10-C has 50,000
	severities  = 5                         // of CIFAR-10-C
)

// CIFARNames returns the classes of CIFAR-10 in the order of their indices.
func CIFARNames() []string {
	return []string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"}
}

// CIFAR is pictures of 32 x 32 pixels, as CIFAR-10 and the test sets made after it have them.
type CIFAR struct {
	Pixels []byte // [pictures, 32, 32, 3], red, green, blue
	Labels []int  // class of each picture, 0 to 9; nil where the file has none
}

// ReadCIFAR reads a file in one of the layouts that such pictures are published in, which its content tells:
//
//   - a strip: a PNG of 1024 x N pixels, each row one picture, its 32 rows one after another (CIFAR-10 as a loss-free package; CIFAR-10-C
//     beside this project);
//   - an array of NumPy's, bytes [N, 32, 32, 3] (CIFAR-10.1, CIFAR-10-C), whose classes are in a file of their own: see
//     ReadCIFARLabels;
//   - a binary batch (CIFAR-10's "binary version"): N records of the class, a byte, and the red, green and blue plane.
//
// gzip is looked through. The fourth layout, Python's pickle, is not read.
func ReadCIFAR(name string) (*CIFAR, error) {
	in, err := textfile.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close() // read only
	c, err := readCIFAR(bufio.NewReader(in))
	if err != nil {
		return nil, fmt.Errorf("datasets: %s: %w", message.Show(name), err)
	}
	return c, nil
}

func readCIFAR(r *bufio.Reader) (*CIFAR, error) {
	head, err := r.Peek(8)
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case string(head) == "\x89PNG\r\n\x1a\n":
		return readStrip(r)
	case npy.Is(head):
		return readCIFARArray(r)
	}
	return readCIFARBatch(r)
}

// readStrip decodes a strip, after a look at its dimensions: they decide how much memory decoding takes.
func readStrip(r io.Reader) (*CIFAR, error) {
	var read bytes.Buffer
	cfg, err := png.DecodeConfig(io.TeeReader(r, &read))
	if err != nil {
		return nil, err
	}
	if cfg.Width != cifarSide*cifarSide || cfg.Height > maxCIFAR {
		return nil, fmt.Errorf("picture of %d x %d, want a strip %d wide, %d high at the most", cfg.Width, cfg.Height, cifarSide*cifarSide, maxCIFAR)
	}
	img, err := png.Decode(io.MultiReader(&read, r))
	if err != nil {
		return nil, err
	}
	rgba, ok := img.(*image.RGBA)
	if !ok {
		rgba = image.NewRGBA(img.Bounds())
		draw.Draw(rgba, rgba.Rect, img, img.Bounds().Min, draw.Src)
	}
	c := &CIFAR{Pixels: make([]byte, 0, cfg.Height*cifarBytes)}
	for at := 0; at < len(rgba.Pix); at += 4 {
		c.Pixels = append(c.Pixels, rgba.Pix[at:at+3]...)
	}
	return c, nil
}

// readCIFARArray checks the shape; the order of the bytes is our own.
func readCIFARArray(r io.Reader) (*CIFAR, error) {
	a, err := npy.Read(r, maxCIFAR*cifarBytes)
	if err != nil {
		return nil, err
	}
	if a.Type != "|u1" || len(a.Shape) != 4 || !slices.Equal(a.Shape[1:], []int{cifarSide, cifarSide, 3}) {
		return nil, fmt.Errorf("array of %s%v: want bytes [N, %d, %d, 3]", a.Type, a.Shape, cifarSide, cifarSide)
	}
	return &CIFAR{Pixels: a.Data}, nil
}

// readCIFARBatch interleaves the planes of every record.
func readCIFARBatch(r io.Reader) (*CIFAR, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxCIFAR*cifarRecord+1))
	if err != nil {
		return nil, err
	}
	if len(b) == 0 || len(b)%cifarRecord != 0 || len(b) > maxCIFAR*cifarRecord {
		return nil, fmt.Errorf("neither a PNG strip nor an array of NumPy's, and %d bytes are no batch of records of %d", len(b), cifarRecord)
	}
	c := &CIFAR{Pixels: make([]byte, 0, len(b))}
	for record := range slices.Chunk(b, cifarRecord) {
		class, planes := int(record[0]), record[1:]
		if class >= len(CIFARNames()) {
			return nil, fmt.Errorf("record %d: %d is no class: want 0 to %d", c.Len(), class, len(CIFARNames())-1)
		}
		c.Labels = append(c.Labels, class)
		const plane = cifarSide * cifarSide
		for p := range plane {
			c.Pixels = append(c.Pixels, planes[p], planes[plane+p], planes[2*plane+p])
		}
	}
	return c, nil
}

// Len returns the number of pictures.
func (c *CIFAR) Len() int { return len(c.Pixels) / cifarBytes }

// Image returns a copy of picture i.
func (c *CIFAR) Image(i int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, cifarSide, cifarSide))
	at := 0
	for rgb := range slices.Chunk(c.Pixels[i*cifarBytes:(i+1)*cifarBytes], 3) {
		copy(img.Pix[at:], rgb)
		img.Pix[at+3] = 255
		at += 4
	}
	return img
}

// Severity returns the pictures of one severity, 1 to 5, of an array of CIFAR-10-C: a fifth of them, in their order. They share memory
// with c.
func (c *CIFAR) Severity(s int) (*CIFAR, error) {
	n := c.Len()
	if s < 1 || s > severities || n%severities != 0 {
		return nil, fmt.Errorf("datasets: severity %d of %d CIFAR pictures: want 1 to %d, and a multiple of %d pictures", s, n, severities, severities)
	}
	each := n / severities
	out := &CIFAR{Pixels: c.Pixels[(s-1)*each*cifarBytes : s*each*cifarBytes]}
	if c.Labels != nil {
		out.Labels = c.Labels[(s-1)*each : s*each]
	}
	return out, nil
}

// ReadCIFARLabels reads class indices: from a JSON array of integers, if the name ends in .json; from an array of NumPy's (CIFAR-10.1 and
// CIFAR-10-C, whose labels.npy has each class five times, so that its first fifth is that of any severity); or else from a file with a byte for each.
func ReadCIFARLabels(name string) ([]int, error) {
	in, err := textfile.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close() // read only
	b, err := io.ReadAll(io.LimitReader(in, textfile.MaxRecord))
	if err != nil {
		return nil, fmt.Errorf("datasets: %s: %w", message.Show(name), err)
	}
	labels, err := cifarLabels(name, b)
	if err != nil {
		return nil, fmt.Errorf("datasets: %s: %w", message.Show(name), err)
	}
	return labels, nil
}

func cifarLabels(name string, b []byte) (labels []int, err error) {
	switch {
	case strings.HasSuffix(strings.ToLower(name), ".json"):
		err = json.Unmarshal(b, &labels)
		return labels, err
	case npy.Is(b):
		a, err := npy.Read(bytes.NewReader(b), textfile.MaxRecord)
		if err != nil {
			return nil, err
		}
		if len(a.Shape) != 1 {
			return nil, fmt.Errorf("array of shape %v: want a class for each picture", a.Shape)
		}
		return a.Ints()
	}
	for _, v := range b {
		labels = append(labels, int(v))
	}
	return labels, nil
}
