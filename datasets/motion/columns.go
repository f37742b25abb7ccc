package motion

import (
	"fmt"
	"slices"
	"strings"
)

// findColumns finds time, label and channels in a header, and makes the header of the recording.
func (d *csvDecoder) findColumns(header []string, o Options) (err error) {
	columns := indexColumns(header)
	if d.time, err = columns.choose(o.Time, timeColumns, "time", d); err != nil {
		return err
	}
	if d.label, err = columns.choose(o.Label, labelColumns, "label", d); err != nil {
		return err
	}
	if d.time < 0 && !(o.Rate > 0) {
		return d.errorf(1, "no column of times among %s: name it, or give the rate", columns)
	}
	if d.time >= 0 {
		d.timeName = header[d.time]
	}
	if d.label >= 0 {
		d.rec.labels = newDictionary()
	}
	if err := d.findChannels(columns, o); err != nil {
		return err
	}
	for _, c := range d.channels {
		d.rec.head.Channels = append(d.rec.head.Channels, channelOf(header[c], o.Unit))
	}
	return nil
}

func (d *csvDecoder) findChannels(columns columnIndex, o Options) error {
	for _, name := range o.Channels {
		i := columns.find(name)
		if i < 0 {
			return d.errorf(1, "no column %s; columns are %s", show(name), columns)
		}
		d.channels = append(d.channels, i)
	}
	if len(o.Channels) == 0 {
		for i, name := range columns.names {
			// Columns without a name, or named index, are the numbers of rows that pandas writes: HARTH has both.
			if i != d.time && i != d.label && name != "" && name != "index" && !strings.HasPrefix(name, "unnamed:") && d.numeric(i) {
				d.channels = append(d.channels, i)
			}
		}
	}
	switch n := len(d.channels); {
	case n == 0:
		return d.errorf(1, "no column of numbers; columns are %s", columns)
	case n > maxChannels:
		return d.errorf(1, "%d channels: want at most %d", n, maxChannels)
	}
	return nil
}

// numeric tells whether most of the first rows have a number in a column.
func (d *csvDecoder) numeric(column int) bool {
	numbers, others := 0, 0
	for _, row := range d.head {
		if column >= len(row.Cells) {
			continue
		}
		switch v, err := number(row.Cells[column]); {
		case err != nil:
			others++
		case v == v:
			numbers++
		}
	}
	return numbers > others
}

// columnIndex is a header, for looking names up without regard to case and units.
type columnIndex struct {
	names []string // lower case
	bare  []string // without units
}

func indexColumns(header []string) (c columnIndex) {
	for _, h := range header {
		name := strings.ToLower(strings.TrimSpace(h))
		bare, _ := cutUnit(name)
		c.names, c.bare = append(c.names, name), append(c.bare, bare)
	}
	return c
}

// find returns the column of a name, -1 if there is none.
func (c columnIndex) find(name string) int {
	name = strings.ToLower(strings.TrimSpace(name))
	if i := slices.Index(c.names, name); i >= 0 {
		return i
	}
	return slices.Index(c.bare, name)
}

// choose finds the column that options name, or the first of the usual ones; -1 for "-" and for none.
func (c columnIndex) choose(name string, usual []string, what string, d *csvDecoder) (int, error) {
	if name == "-" {
		return -1, nil
	}
	if name != "" {
		i := c.find(name)
		if i < 0 {
			return 0, d.errorf(1, "no column %s for the %s; columns are %s", show(name), what, c)
		}
		return i, nil
	}
	for _, name := range usual {
		if i := c.find(name); i >= 0 {
			return i, nil
		}
	}
	return -1, nil
}

// String lists the columns for a message.
func (c columnIndex) String() string {
	const most = 20
	var out []string
	for _, name := range c.names[:min(len(c.names), most)] {
		out = append(out, show(name))
	}
	if more := len(c.names) - most; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// channelOf takes a column's name apart.
func channelOf(column, unit string) Channel {
	name, own := cutUnit(strings.TrimSpace(column))
	switch {
	case own != "":
		unit = own
	case unit == "":
		unit = "g"
	}
	return Channel{Name: name, Unit: unit}
}

// cutUnit splits "acc_x [m/s^2]" and "x (g)".
func cutUnit(name string) (bare, unit string) {
	for _, brackets := range []string{"()", "[]"} {
		if i := strings.LastIndexByte(name, brackets[0]); i > 0 && name[len(name)-1] == brackets[1] {
			return strings.TrimSpace(name[:i]), unitName(name[i+1 : len(name)-1])
		}
	}
	return name, ""
}

// unitName writes a unit in one way.
func unitName(unit string) string {
	switch u := strings.ToLower(strings.TrimSpace(unit)); u {
	case "m/s^2", "m/s**2", "m/s²", "ms-2", "m.s-2", "m s-2", "m*s^-2", "m/s/s":
		return "m/s2"
	case "g's", "gs":
		return "g"
	case "°/s", "dps":
		return "deg/s"
	default:
		return u
	}
}
