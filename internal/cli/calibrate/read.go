package calibrate

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/calibration"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/predicted"
)

// read takes in the whole input.
func (r *job) read(in *predicted.Input) error {
	switch r.Format {
	case predictions.FormatJSONLines:
		return r.lines(predictions.NewJSONLines(r.Name, in, r.Options))
	case predictions.FormatCSV:
		return r.lines(predictions.NewCSV(r.Name, in, r.Options))
	default:
		return r.document(in)
	}
}

func (r *job) lines(in predictions.Lines) error {
	labels, err := in.Begin()
	if err == nil && labels != nil {
		err = r.begin(labels)
	}
	for err == nil {
		var item *predictions.Item
		if item, err = in.Next(); err == io.EOF {
			r.NoteOf(in)
			return nil
		}
		var bad *predictions.LineError
		if err != nil && !errors.As(err, &bad) {
			return err
		}
		if err == nil {
			if err = r.item(item); err != nil {
				r.unread(item)
				err = &predictions.LineError{Name: r.Name, Line: in.Line(), Err: err}
			}
		}
		err = r.Failed(err)
	}
	return err
}

func (r *job) document(in io.Reader) error {
	d, err := predictions.ReadDocument(r.Name, in, r.Format, r.Options)
	if err != nil {
		return err
	}
	r.NoteOf(d)
	if len(d.Classes()) > 0 {
		if err := r.begin(d.Classes()); err != nil {
			return err
		}
	}
	probs := make([]float64, r.Classes)
	for i := range d.Len() {
		select {
		case <-r.Stop:
			return predicted.ErrInterrupted
		default:
		}
		item, err := d.Whole(i, probs)
		if err == nil {
			if err = r.item(&item); err != nil {
				r.unread(&item)
				err = d.Fail(i, err)
			}
		}
		if err = r.Failed(err); err != nil {
			return err
		}
	}
	return nil
}

// begin fixes the classes, and holds them against those of the model and the counts.
func (r *job) begin(labels []string) error {
	if err := r.target.match(labels); err != nil {
		return err
	}
	if r.counts != nil && len(r.counts) != len(labels) {
		return fmt.Errorf("--class-prior has %d numbers for the %d classes %s", len(r.counts), len(labels), console.Some(labels, 8))
	}
	r.Classes, r.Labels = len(labels), labels
	r.recordings = calibration.NewRecordings(len(labels), r.C.Int64("max-memory"))
	return r.Truths.Begin(labels)
}

// unread notes that an item of a stream is not known, as far as it is known which stream it is of.
func (r *job) unread(item *predictions.Item) {
	if r.recordings != nil {
		r.recordings.Unread(string(item.Stream))
	}
}

// item keeps one prediction, labelled or not: what lies between two labels is no transition.
func (r *job) item(item *predictions.Item) error {
	switch {
	case item.Blank:
		return nil
	case item.Probs == nil:
		r.Items++
		r.Unpredicted++
		r.unread(item)
		return nil
	case r.Classes == 0:
		if err := r.beginUnnamed(len(item.Probs)); err != nil {
			return predicted.Fatal(err)
		}
	}
	rounded, err := adapt.Normalise(item.Probs, r.Classes)
	if err != nil {
		if len(item.Probs) != r.Classes && r.recordings.Len() == 0 && r.target != nil {
			return predicted.Fatal(fmt.Errorf("%d probabilities, and %s has %d labels: %s", len(item.Probs), r.target.path, len(r.target.labels), console.Some(r.target.labels, 8)))
		}
		return err
	}
	if rounded {
		r.Rounded++
	}
	r.Items++
	class, ok := r.Truths.ClassOf(item)
	if r.Truths.Err != nil {
		return predicted.Fatal(r.Truths.Err)
	}
	if !ok {
		class = -1
	}
	if !r.recordings.Add(string(item.Stream), class, r.TimeOf(item), item.Probs) && ok {
		r.beyond++
	}
	return nil
}

// beginUnnamed numbers the classes, where the input does not name them and nobody else does.
func (r *job) beginUnnamed(classes int) error {
	labels := make([]string, classes)
	for i := range labels {
		labels[i] = strconv.Itoa(i)
	}
	return r.begin(labels)
}
