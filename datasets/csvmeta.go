package datasets

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/oatta/oatta/datasets/internal/table"
)

// readCSV reads metadata from a table with a row for each picture: columns for file and, where there are such, folder, stream, time and label.
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
		file := cols.named.of(row)
		if file == "" {
			return t.Errorf(cols.named.column, "is empty")
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

// noColumn, in the place of a name, says that there is none, whatever columns of the usual names there are.
const noColumn = "-"

// fieldColumns are the indices of the columns of a table, -1 for those that are absent.
type fieldColumns struct {
	named               fileColumns
	stream, time, label int
}

// fieldColumnsOf finds the columns. One that the options name must be there: a misspelt column would otherwise be silence.
func fieldColumnsOf(t *table.Reader, f Fields) (c fieldColumns, err error) {
	if c.named, err = fileColumnsOf(t, f.Folder, f.File); err != nil {
		return c, err
	}
	for _, col := range []struct {
		index           *int
		given, fallback string
	}{
		{&c.stream, f.Stream, defaultStream},
		{&c.time, f.Time, cmp.Or(c.named.time, defaultTime)},
		{&c.label, f.Label, defaultLabel},
	} {
		if col.given == noColumn {
			*col.index = -1
			continue
		}
		*col.index, err = t.Column(cmp.Or(col.given, col.fallback), col.given != "")
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// fileColumns are the columns that name a file: one, or one of its folder and one of its name there.
type fileColumns struct {
	folder, file int    // folder is -1 where one column says all
	column       string // the name of the file's, for messages
	known        bool   // found by the names of a pair
	time         string // the name that the program which wrote such a pair gives its times; "" none
}

// pairs are the columns of folder, name and time of programs that name files in two columns.
var pairs = [][3]string{
	{"RelativePath", "File", "DateTime"},          // Timelapse
	{"Directory", "FileName", "DateTimeOriginal"}, // camtrapR
}

// fileColumnsOf finds the columns that name a file. What is not given is that of a known pair, else the column file.
func fileColumnsOf(t *table.Reader, folder, file string) (c fileColumns, err error) {
	if folder == "" && file == "" {
		for _, pair := range pairs {
			if t.Has(strings.ToLower(pair[0]), strings.ToLower(pair[1])) {
				folder, file, c.time, c.known = pair[0], pair[1], pair[2], true
				break
			}
		}
	}
	c.folder, c.column = -1, cmp.Or(file, defaultFileField)
	if c.file, err = t.Column(c.column, true); err == nil && folder != "" {
		c.folder, err = t.Column(folder, true)
	}
	return c, err
}

// of returns the file that a row names; "" if it names none.
func (c fileColumns) of(row table.Row) string {
	folder, file := row.Get(c.folder), row.Get(c.file)
	if folder == "" || file == "" || c.known && strings.ContainsAny(file, `/\\`) { // another program's File may say all
		return file
	}
	return folder + "/" + file
}
