package predicted

import (
	"errors"
	"io"
	"os"

	"github.com/oatta/oatta/datasets/predictions"
)

// maxLabels bounds how many different true labels are kept. They are those of classes.
const maxLabels = 1 << 20

// trueLabels reads the input for the true labels that items hold, each once. It returns nil for an input that can be read but once.
func (r *Reading) trueLabels() ([]string, error) {
	path := r.C.Args().First()
	if info, err := os.Stat(path); path == "-" || err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	in, err := Open(path, r.Stop)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	labels, seen := []string{}, map[string]bool{}
	add := func(truth []byte) {
		if len(truth) > 0 && !seen[string(truth)] && len(labels) < maxLabels {
			seen[string(truth)] = true
			labels = append(labels, string(truth))
		}
	}
	switch r.Format {
	case predictions.FormatJSONLines:
		err = eachTruth(predictions.NewJSONLines(r.Name, in, r.Options), add)
	case predictions.FormatCSV:
		err = eachTruth(predictions.NewCSV(r.Name, in, r.Options), add)
	default:
		var d *predictions.Document
		if d, err = predictions.ReadDocument(r.Name, in, r.Format, r.Options); err != nil {
			return nil, err
		}
		for i := range d.Len() {
			item, _ := d.Item(i, make([]float64, d.Space(i).Len())) // what is wrong with it, the pass will say
			add(item.Truth)
		}
	}
	return labels, err
}

// eachTruth calls f with the true label of each line. What is wrong with a line, the pass will say.
func eachTruth(in predictions.Lines, f func(truth []byte)) error {
	if _, err := in.Begin(); err != nil {
		return err
	}
	for {
		item, err := in.Next()
		switch {
		case err == nil:
			f(item.Truth)
		case err == io.EOF:
			return nil
		case !errors.As(err, new(*predictions.LineError)):
			return err
		}
	}
}
