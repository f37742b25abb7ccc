package datasets

import (
	"cmp"
	"context"
	"io"
	"strings"
)

// readCSV reads metadata from a table with a row for each picture: columns for file and, where there are such, stream, time and label.
func readCSV(ctx context.Context, name string, r io.Reader, f Fields, want wanted) (*metadata, error) {
	t, err := newTable(name, r)
	if err != nil {
		return nil, err
	}
	cols, err := t.fieldColumns(f)
	if err != nil {
		return nil, err
	}
	md := &metadata{}
	for {
		ok, err := t.next()
		if !ok || err != nil {
			return md, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		file := t.get(cols.file)
		if file == "" {
			return nil, t.errorf(cmp.Or(f.File, defaultFileField), "is empty")
		}
		if !want.has(file) {
			md.absent.add(file)
			continue
		}
		rec := record{file: cleanName(file), stream: strings.TrimSpace(t.get(cols.stream)), label: strings.TrimSpace(t.get(cols.label))}
		md.setTime(&rec, t.get(cols.time), f.TimeLayout, t.place())
		md.records = append(md.records, rec)
	}
}

// fieldColumns are the indices of the columns of a table, -1 for those that are absent.
type fieldColumns struct{ file, stream, time, label int }

// fieldColumns finds the columns. One that the options name must be there: a misspelt column would otherwise be silence.
func (t *table) fieldColumns(f Fields) (c fieldColumns, err error) {
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
		*col.index, err = t.column(cmp.Or(col.given, col.fallback), col.required || col.given != "")
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
