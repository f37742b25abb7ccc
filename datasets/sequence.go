package datasets

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/internal/table"
	"github.com/oatta/oatta/datasets/internal/textfile"
)

// Sequence is the true order of labels of one stream, without what was labelled.
type Sequence struct {
	Stream string
	Labels []string
}

// maxSequence bounds the labels of a file: more than a year of one every ten seconds.
const maxSequence = 4 << 20

// ReadCCTSequence reads the column category of a table with one row for each picture of one camera, in time order. Such tables
// exist of iWildCam 2019, whose pictures are those of Caltech Camera Traps.
func ReadCCTSequence(name string) (Sequence, error) {
	in, err := textfile.Open(name)
	if err != nil {
		return Sequence{}, err
	}
	defer in.Close() // read only
	labels, err := readColumn(filepath.Base(name), in, "category")
	return Sequence{Stream: strings.TrimSuffix(filepath.Base(name), ".csv"), Labels: labels}, err
}

// readColumn reads one column of a table, which every row must have.
func readColumn(name string, r io.Reader, column string) (out []string, _ error) {
	t, err := table.New(name, r, ',')
	if err != nil {
		return nil, err
	}
	at, err := t.Column(column, true)
	if err != nil {
		return nil, err
	}
	err = t.Each(func(row table.Row) error {
		switch {
		case len(row.Cells) != len(t.Header):
			return t.Errorf(column, "%s: the header has %d", message.Count(len(row.Cells), "column"), len(t.Header))
		case len(out) == maxSequence:
			return t.Errorf(column, "more than %d rows", maxSequence)
		}
		out = append(out, strings.Clone(row.Get(at)))
		return nil
	})
	return out, err
}

// ReadHAPTSequences reads RawData/labels.txt out of the archive of UCI's HAPT (Smartphone-Based Recognition of Human Activities and
// Postural Transitions): lines of experiment, user, activity, first and last sample, at 50 Hz, samples counted from 1. A label is
// taken every hop samples; samples that no line covers are left out. Each recording is a stream, named exp01_user01.
func ReadHAPTSequences(name string, hop int) ([]Sequence, error) {
	if hop < 1 {
		panic(fmt.Sprintf("datasets: HAPT with a hop of %d samples", hop))
	}
	var out []Sequence
	err := eachInTar(name, func(entry string, r io.Reader) (err error) {
		if path.Base(entry) == "labels.txt" {
			out, err = haptSequences(r, hop)
		}
		return err
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("datasets: %s: no labels.txt with labels", message.Show(filepath.Base(name)))
	}
	return out, err
}

// haptActivities are those of the archive's activity_labels.txt, numbered from 1.
var haptActivities = []string{
	"walking", "walking_upstairs", "walking_downstairs", "sitting", "standing", "laying",
	"stand_to_sit", "sit_to_stand", "sit_to_lie", "lie_to_sit", "stand_to_lie", "lie_to_stand",
}

func haptSequences(r io.Reader, hop int) (out []Sequence, err error) {
	lines := bufio.NewScanner(r)
	total := 0
	for number := 1; lines.Scan(); number++ {
		v, err := fiveInts(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		experiment, user, activity, first, last := v[0], v[1], v[2], v[3], v[4]
		if activity < 1 || activity > len(haptActivities) || first < 1 || last < first {
			return nil, fmt.Errorf("line %d: activity %d from sample %d to %d", number, activity, first, last)
		}
		stream := fmt.Sprintf("exp%02d_user%02d", experiment, user)
		if len(out) == 0 || out[len(out)-1].Stream != stream {
			out = append(out, Sequence{Stream: stream})
		}
		n := last/hop - (first-1)/hop // multiples of hop in [first, last]
		if total += n; total > maxSequence {
			return nil, fmt.Errorf("line %d: more than %d labels", number, maxSequence)
		}
		s := &out[len(out)-1]
		for range n {
			s.Labels = append(s.Labels, haptActivities[activity-1])
		}
	}
	return out, lines.Err()
}

func fiveInts(line string) (v [5]int, err error) {
	fields := strings.Fields(line)
	if len(fields) != len(v) {
		return v, fmt.Errorf("%d fields: want %d", len(fields), len(v))
	}
	for i, f := range fields {
		n, err := strconv.ParseInt(f, 10, 32) // 32 bits: no sum or difference overflows
		if err != nil {
			return v, fmt.Errorf("field %d: %w", i+1, err)
		}
		v[i] = int(n)
	}
	return v, nil
}

// maxTarEntry bounds what is read of one file in an archive, in bytes.
const maxTarEntry = 64 << 20

// eachInTar calls do for each file of a gzipped archive, in its order.
func eachInTar(name string, do func(entry string, r io.Reader) error) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("datasets: %w", err)
	}
	defer f.Close() // read only
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return fmt.Errorf("datasets: %s: %w", message.Show(filepath.Base(name)), err)
	}
	archive := tar.NewReader(z)
	for {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && entry.Typeflag == tar.TypeReg {
			err = do(entry.Name, io.LimitReader(archive, maxTarEntry))
		}
		if err != nil {
			at := filepath.Base(name)
			if entry != nil {
				at += ": " + entry.Name
			}
			return fmt.Errorf("datasets: %s: %w", message.Show(at), err)
		}
	}
}
