package datasets

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// CIFARSide is the width and height of a CIFAR picture, in pixels.
const CIFARSide = 32

// maxStrip is the most pictures of one strip; CIFAR has batches of 10,000.
const maxStrip = 100_000

// CIFARNames returns the classes of CIFAR-10 in the order of their indices.
func CIFARNames() []string {
	return []string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"}
}

// CIFARStrips says what UnpackCIFAR unpacks. A strip is a PNG, 1024 pixels wide, with one picture in each row: its 32 x 32 pixels row after
// row. CIFAR-10 is published in this form, loss-free, and CIFAR-10-C here too.
type CIFARStrips struct {
	Strips []string // PNG files; their pictures are numbered on
	Labels []int    // class of each picture; may be longer than the strips (CIFAR-10-C here holds the first 1000 of 10,000); none: no labels.csv
	Names  []string // names of the classes, for labels.csv; none: indices
}

// UnpackCIFAR writes every picture of the strips into a new or empty folder as 00000.png, 00001.png and so on, and labels.csv with
// the columns file and label after them, so a folder with labels.csv is complete. It returns the number of pictures.
func UnpackCIFAR(ctx context.Context, s CIFARStrips, outDir string) (int, error) {
	if err := s.validate(); err != nil {
		return 0, err
	}
	if err := emptyDir(outDir); err != nil {
		return 0, err
	}
	n := 0
	for _, strip := range s.Strips {
		img, err := readStrip(strip)
		if err != nil {
			return n, fmt.Errorf("datasets: %s: %w", show(strip), cause(err))
		}
		if n, err = unpackStrip(ctx, img, n, outDir); err != nil {
			return n, err
		}
	}
	if len(s.Labels) == 0 {
		return n, nil
	}
	if n > len(s.Labels) {
		return n, fmt.Errorf("datasets: %s: %d pictures, but %d labels", show(outDir), n, len(s.Labels))
	}
	return n, s.writeLabels(filepath.Join(outDir, "labels.csv"), n)
}

// validate looks at the labels before anything is written.
func (s CIFARStrips) validate() error {
	if len(s.Strips) == 0 {
		return errors.New("datasets: no CIFAR strip given")
	}
	for i, label := range s.Labels {
		if label < 0 || len(s.Names) > 0 && label >= len(s.Names) {
			return fmt.Errorf("datasets: CIFAR label %d: %d is no class", i, label)
		}
	}
	return nil
}

// emptyDir makes a folder, and refuses one that holds something.
func emptyDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("datasets: %s: %w", show(dir), cause(err))
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("datasets: %s: %w", show(dir), cause(err))
	}
	if len(entries) > 0 {
		return fmt.Errorf("datasets: %s: folder is not empty", show(dir))
	}
	return nil
}

// readStrip decodes a strip as RGBA, after a look at its dimensions.
func readStrip(name string) (*image.RGBA, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	cfg, err := png.DecodeConfig(f)
	if err != nil {
		return nil, err
	}
	if cfg.Width != CIFARSide*CIFARSide || cfg.Height > maxStrip {
		return nil, fmt.Errorf("picture of %d x %d, want a strip %d wide, %d high at the most", cfg.Width, cfg.Height, CIFARSide*CIFARSide, maxStrip)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, err := png.Decode(bufio.NewReader(f))
	if err != nil {
		return nil, err
	}
	if rgba, ok := img.(*image.RGBA); ok {
		return rgba, nil
	}
	rgba := image.NewRGBA(img.Bounds())
	draw.Draw(rgba, rgba.Rect, img, img.Bounds().Min, draw.Src)
	return rgba, nil
}

// unpackStrip writes the rows of a strip, numbered from n, and returns the number after the last.
func unpackStrip(ctx context.Context, strip *image.RGBA, n int, outDir string) (int, error) {
	enc := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &pngBuffer{}}
	for y := range strip.Rect.Dy() {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		row := strip.Pix[y*strip.Stride:][:4*CIFARSide*CIFARSide]
		// A row of the strip is a picture of its own, with another stride.
		img := &image.RGBA{Pix: row, Stride: 4 * CIFARSide, Rect: image.Rect(0, 0, CIFARSide, CIFARSide)}
		if err := writePNG(&enc, filepath.Join(outDir, cifarName(n)), img); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// cifarName has five digits, so that plain and natural order of the 10,000 names agree.
func cifarName(n int) string { return fmt.Sprintf("%05d.png", n) }

// pngBuffer lends the encoder one buffer for all pictures.
type pngBuffer struct{ b *png.EncoderBuffer }

func (p *pngBuffer) Get() *png.EncoderBuffer  { return p.b }
func (p *pngBuffer) Put(b *png.EncoderBuffer) { p.b = b }

// writePNG writes one picture.
func writePNG(enc *png.Encoder, name string, img image.Image) error {
	return writeFile(name, func(w io.Writer) error { return enc.Encode(w, img) })
}

// writeFile creates a file and writes it; an error of closing counts, since it may be that of writing.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("datasets: %s: %w", show(name), cause(err))
	}
	w := bufio.NewWriter(f)
	if err := errors.Join(write(w), w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("datasets: %s: %w", show(name), cause(err))
	}
	return nil
}

// writeLabels writes the table that ReadLabels reads.
func (s CIFARStrips) writeLabels(name string, n int) error {
	return writeFile(name, func(w io.Writer) error {
		rows := csv.NewWriter(w)
		_ = rows.Write([]string{defaultFileField, defaultLabel}) // Error below tells
		for i := range n {
			label := strconv.Itoa(s.Labels[i])
			if len(s.Names) > 0 {
				label = s.Names[s.Labels[i]]
			}
			_ = rows.Write([]string{cifarName(i), label})
		}
		rows.Flush()
		return rows.Error()
	})
}

// ReadCIFARLabels reads class indices from a JSON array of integers, if the name ends in .json, or else from a file with a byte for each.
func ReadCIFARLabels(name string) ([]int, error) {
	in, err := openInput(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, maxRecord))
	if err != nil {
		return nil, fmt.Errorf("datasets: %s: %w", show(name), err)
	}
	if strings.HasSuffix(strings.ToLower(name), ".json") {
		var labels []int
		if err := json.Unmarshal(b, &labels); err != nil {
			return nil, fmt.Errorf("datasets: %s: %w", show(name), err)
		}
		return labels, nil
	}
	labels := make([]int, len(b))
	for i, v := range b {
		labels[i] = int(v)
	}
	return labels, nil
}
