package datasets

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/oatta/oatta/datasets/internal/message"
)

// CIFARStrips says what UnpackCIFAR unpacks.
type CIFARStrips struct {
	// Strips are files that ReadCIFAR reads, PNG strips, arrays of NumPy or binary batches; their pictures are numbered on.
	Strips []string
	// Severity, 1 to 5, takes one fifth of the pictures: CIFAR-10-C has the whole test set five times in one array, at rising
	// severity. 0 takes all.
	Severity int
	// Labels are the classes of the pictures taken. They may be more (CIFAR-10-C here holds the first 1000 of 10,000). None: those of
	// the files, where they have any; else there will be no labels.csv.
	Labels []int
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
	n, labels := 0, []int{}
	for _, name := range s.Strips {
		c, err := ReadCIFAR(name)
		if err == nil && s.Severity > 0 {
			c, err = c.Severity(s.Severity)
		}
		if err != nil {
			return n, err
		}
		if n, err = c.unpack(ctx, n, outDir); err != nil {
			return n, err
		}
		labels = append(labels, c.Labels...)
	}
	if len(s.Labels) == 0 {
		s.Labels = labels
	}
	if len(s.Labels) == 0 {
		return n, nil
	}
	if err := s.validate(); err != nil { // labels of the files, too, may be more than there are names
		return n, err
	}
	if n > len(s.Labels) {
		return n, fmt.Errorf("datasets: %s: %d pictures, but %d labels", message.Show(outDir), n, len(s.Labels))
	}
	return n, s.writeLabels(filepath.Join(outDir, "labels.csv"), n)
}

// validate looks at the labels before anything is written.
func (s CIFARStrips) validate() error {
	if len(s.Strips) == 0 {
		return errors.New("datasets: no CIFAR strip given")
	}
	if s.Severity < 0 || s.Severity > severities {
		return fmt.Errorf("datasets: CIFAR severity %d: want 1 to %d, or 0 for all", s.Severity, severities)
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
		return fmt.Errorf("datasets: %s: %w", message.Show(dir), message.Cause(err))
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("datasets: %s: %w", message.Show(dir), message.Cause(err))
	}
	if len(entries) > 0 {
		return fmt.Errorf("datasets: %s: folder is not empty", message.Show(dir))
	}
	return nil
}

// unpack writes the pictures, numbered from n, and returns the number after the last.
func (c *CIFAR) unpack(ctx context.Context, n int, outDir string) (int, error) {
	enc := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &pngBuffer{}}
	for i := range c.Len() {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		if err := writePNG(&enc, filepath.Join(outDir, cifarName(n)), c.Image(i)); err != nil {
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
		return fmt.Errorf("datasets: %s: %w", message.Show(name), message.Cause(err))
	}
	w := bufio.NewWriter(f)
	if err := errors.Join(write(w), w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("datasets: %s: %w", message.Show(name), message.Cause(err))
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
