package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/calibration"
)

// read takes in the whole input.
func (r *calibrateRun) read(in *predictionInput) error {
	switch r.format {
	case predictions.FormatJSONLines:
		return r.lines(predictions.NewJSONLines(r.name, in, r.options))
	case predictions.FormatCSV:
		return r.lines(predictions.NewCSV(r.name, in, r.options))
	default:
		return r.document(in)
	}
}

func (r *calibrateRun) lines(in predictions.Lines) error {
	labels, err := in.Begin()
	if err == nil && labels != nil {
		err = r.begin(labels)
	}
	for err == nil {
		var item *predictions.Item
		if item, err = in.Next(); err == io.EOF {
			return nil
		}
		var bad *predictions.LineError
		if err != nil && !errors.As(err, &bad) {
			return err
		}
		if err == nil {
			if err = r.item(item); err != nil {
				r.unread(item)
				err = &predictions.LineError{Name: r.name, Line: in.Line(), Err: err}
			}
		}
		err = r.failed(err)
	}
	return err
}

func (r *calibrateRun) document(in io.Reader) error {
	d, err := predictions.ReadDocument(r.name, in, r.format, r.options)
	if err != nil {
		return err
	}
	r.noteOf(d)
	if len(d.Classes()) > 0 {
		if err := r.begin(d.Classes()); err != nil {
			return err
		}
	}
	probs := make([]float64, r.classes)
	for i := range d.Len() {
		select {
		case <-r.stop:
			return errInterrupted
		default:
		}
		item, err := d.Item(i, probs)
		if err == nil {
			if err = r.item(&item); err != nil {
				r.unread(&item)
				err = d.Fail(i, err)
			}
		}
		if err = r.failed(err); err != nil {
			return err
		}
	}
	return nil
}

// begin fixes the classes, and holds them against those of the model and the counts.
func (r *calibrateRun) begin(labels []string) error {
	if err := r.target.match(labels); err != nil {
		return err
	}
	if r.counts != nil && len(r.counts) != len(labels) {
		return fmt.Errorf("--class-prior has %d numbers for the %d classes %s", len(r.counts), len(labels), some(labels, 8))
	}
	r.classes, r.labels = len(labels), labels
	r.recordings = calibration.NewRecordings(len(labels), r.c.Int64("max-memory"))
	r.truths.begin(labels)
	return nil
}

// unread notes that an item of a stream is not known, as far as it is known which stream it is of.
func (r *calibrateRun) unread(item *predictions.Item) {
	if r.recordings != nil {
		r.recordings.Unread(string(item.Stream))
	}
}

// item keeps one prediction, labelled or not: what lies between two labels is no transition.
func (r *calibrateRun) item(item *predictions.Item) error {
	switch {
	case item.Blank:
		return nil
	case item.Probs == nil:
		r.items++
		r.unpredicted++
		r.unread(item)
		return nil
	case r.classes == 0:
		if err := r.beginUnnamed(len(item.Probs)); err != nil {
			return fatal(err)
		}
	}
	rounded, err := adapt.Normalise(item.Probs, r.classes)
	if err != nil {
		if len(item.Probs) != r.classes && r.recordings.Len() == 0 && r.target != nil {
			return fatal(fmt.Errorf("%d probabilities, and %s has %d labels: %s", len(item.Probs), r.target.path, len(r.target.labels), some(r.target.labels, 8)))
		}
		return err
	}
	if rounded {
		r.rounded++
	}
	r.items++
	class, ok := r.truths.classOf(item)
	if !ok {
		class = -1
	}
	if !r.recordings.Add(string(item.Stream), class, timeOf(item), item.Probs) && ok {
		r.beyond++
	}
	return nil
}

// beginUnnamed numbers the classes, where the input does not name them and nobody else does.
func (r *calibrateRun) beginUnnamed(classes int) error {
	labels := make([]string, classes)
	for i := range labels {
		labels[i] = strconv.Itoa(i)
	}
	return r.begin(labels)
}
