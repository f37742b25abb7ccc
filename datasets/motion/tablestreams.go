package motion

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/internal/table"
	"github.com/oatta/oatta/datasets/internal/textfile"
)

// streamColumns are names of columns that mostly tell whose samples they are.
var streamColumns = []string{"subject", "subject_id", "subjectid", "participant", "participant_id", "person", "person_id", "pid", "user", "user_id", "userid", "stream", "sensor", "sensor_id", "device", "device_id"}

// maxStreams bounds the streams of one table: more are a column of something else.
const maxStreams = 10_000

// Streams returns the values of the column Options.Stream of a table, in the order in which they come: each, as Options.Only, is a recording of its
// own. Without such an option there is none.
func Streams(path string, o Options) (names []string, err error) {
	if o.Stream == "" {
		return nil, nil
	}
	f, err := textfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := &csvDecoder{name: path, rec: &Recording{}}
	if err := d.openTable(f, &o); err != nil {
		return nil, err
	}
	if err := d.findStream(o); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for {
		row, err := d.read()
		if err == io.EOF {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		name := d.streamOf(row)
		if seen[name] {
			continue
		}
		if len(names) == maxStreams {
			return nil, fmt.Errorf("motion: %s: column %s has over %d values, too many to be streams", show(path), show(o.Stream), maxStreams)
		}
		name = strings.Clone(name)
		seen[name], names = true, append(names, name)
	}
}

// findStream finds the column that tells streams, and one that looks like it.
func (d *csvDecoder) findStream(o Options) error {
	d.stream, d.looks = -1, -1
	columns := indexColumns(d.header)
	if o.Stream != "" {
		if d.stream = columns.find(o.Stream); d.stream < 0 {
			return d.errorf(1, "no column %s for the stream; columns are %s", show(o.Stream), columns)
		}
		d.only = o.Only
		return nil
	}
	d.looks = slices.IndexFunc(columns.names, func(name string) bool { return slices.Contains(streamColumns, name) })
	return nil
}

func (d *csvDecoder) streamOf(row table.Row) string { return strings.TrimSpace(row.Get(d.stream)) }

// watchStream tells of a column that looks like one of streams and changes.
func (d *csvDecoder) watchStream(row table.Row) {
	if d.looks < 0 {
		return
	}
	name := strings.TrimSpace(row.Get(d.looks))
	if d.watched && name != d.lastName {
		column := d.header[d.looks]
		d.rec.notes.add(fmt.Sprintf("changes of %s within one stream (--stream-column %s makes a stream of each)", show(column), show(column)), d.place(row.Line))
	}
	if !d.watched || name != d.lastName {
		d.lastName, d.watched = strings.Clone(name), true
	}
}
