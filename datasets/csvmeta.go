package datasets

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/oatta/oatta/datasets/internal/table"
)

// readCSV reads metadata from a table with a row for each picture: columns for file and, where there are such, stream, time and label.
func readCSV(ctx context.Context, name string, r io.Reader, f Fields, want wanted) (*metadata, error) {
	t, err := table.New(name, r, 0)
	if err != nil {
		return nil, err
	}
	cols, err := fieldColumnsOf(t, f)
	if err != nil {
		return nil, err
	}
	md := &metadata{}
	err = t.Each(func(row table.Row) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		file := row.Get(cols.file)
		if file == "" {
			return t.Errorf(cmp.Or(f.File, defaultFileField), "is empty")
		}
		if !want.has(file) {
			md.absent.add(file)
			return nil
		}
		rec := record{file: cleanName(file), stream: strings.TrimSpace(row.Get(cols.stream)), label: strings.TrimSpace(row.Get(cols.label))}
		md.setTime(&rec, row.Get(cols.time), f.TimeLayout, t.Place())
		md.records = append(md.records, rec)
		return nil
	})
	return md, err
}

// fieldColumns are the indices of the columns of a table, -1 for those that are absent.
type fieldColumns struct{ file, stream, time, label int }

// fieldColumnsOf finds the columns. One that the options name must be there: a misspelt column would otherwise be silence.
func fieldColumnsOf(t *table.Reader, f Fields) (c fieldColumns, err error) {
	for _, col := range []struct {
		index           *int
		given, fallback string
		required        bool
	}{
		{&c.file, f.File, defaultFileField, true},
		{&c.stream, f.Stream, defaultStream, false},
		{&c.time, f.Time, defaultTime, false},
		{&c.label, f.Label, defaultLabel, false},
	} {
		*col.index, err = t.Column(cmp.Or(col.given, col.fallback), col.required || col.given != "")
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
