package hypnogram

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/oatta/oatta/datasets/edf"
)

// WriteCSV writes a line for each epoch under the header "epoch,onset,stage": its number from 0, its second counted from where offset
// is counted from, and its stage, "?" where there is none.
func WriteCSV(w io.Writer, offset float64, stages []Stage) error {
	return writeRows(w, stages, "epoch,onset,stage\n", func(b io.Writer, i int, s Stage) {
		fmt.Fprintf(b, "%d,%v,%v\n", i, offset+float64(i)*EpochSeconds, s)
	})
}

// WriteTSV writes a line for each epoch under the header "onset, duration, stage", as the events of BIDS are: seconds, tabs between them.
func WriteTSV(w io.Writer, offset float64, stages []Stage) error {
	return writeRows(w, stages, "onset\tduration\tstage\n", func(b io.Writer, i int, s Stage) {
		fmt.Fprintf(b, "%v\t%d\t%v\n", offset+float64(i)*EpochSeconds, EpochSeconds, s)
	})
}

func writeRows(w io.Writer, stages []Stage, head string, row func(io.Writer, int, Stage)) error {
	if err := validate(stages); err != nil {
		return fmt.Errorf("hypnogram: %w", err)
	}
	b := bufio.NewWriter(w) // keeps the first error for Flush
	_, _ = b.WriteString(head)
	for i, s := range stages {
		row(b, i, s)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("hypnogram: %w", err)
	}
	return nil
}

// WriteEDF writes an EDF+ file of annotations, "Sleep stage N2" and so on, one for each run of equal stages. The first epoch begins
// offset seconds after start, which is cut to whole seconds, its fraction added to the onsets. The patient field may be "".
func WriteEDF(w io.Writer, patient string, start time.Time, offset float64, stages []Stage) error {
	if err := validate(stages); err != nil {
		return fmt.Errorf("hypnogram: %w", err)
	}
	whole := start.Truncate(time.Second)
	offset += start.Sub(whole).Seconds()
	var out []edf.Annotation
	for first := 0; first < len(stages); {
		end := first + 1
		for end < len(stages) && stages[end] == stages[first] {
			end++
		}
		out = append(out, edf.Annotation{
			Onset: offset + float64(first)*EpochSeconds, Duration: float64(end-first) * EpochSeconds, HasDuration: true,
			Text: "Sleep stage " + stages[first].String(),
		})
		first = end
	}
	return edf.WriteAnnotations(w, edf.AnnotationFile{Patient: patient, Start: whole, Annotations: out})
}

// validate refuses stages that no writer knows.
func validate(stages []Stage) error {
	for i, s := range stages {
		if s > R {
			return fmt.Errorf("epoch %d: %v", i, s)
		}
	}
	if len(stages) == 0 {
		return errors.New("no stages")
	}
	return nil
}
