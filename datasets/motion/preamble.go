package motion

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/internal/table"
)

// preamble is what the lines say that ActiLife writes before the header of a table.
type preamble struct {
	lines  int       // before the header; 0: there is no preamble
	rate   float64   // Hz; 0: it does not say
	start  time.Time // of the first sample; zero: it does not say
	layout string    // of times in the table
}

var (
	actiRate = regexp.MustCompile(`at (\d+(?:\.\d+)?) Hz`)
	actiDate = regexp.MustCompile(`date format ([dMy]+[./-][dMy]+[./-][dMy]+)`)
)

// preambleOf reads the ten lines of ActiLife: dashes with the device in between, names with values, dashes.
func preambleOf(head []byte) (p preamble) {
	lines := strings.Split(strings.ReplaceAll(string(head), "\r\n", "\n"), "\n")
	if !strings.HasPrefix(lines[0], "-----") || !strings.Contains(lines[0], "Data File Created By") {
		return p
	}
	if m := actiRate.FindStringSubmatch(lines[0]); m != nil {
		p.rate, _ = strconv.ParseFloat(m[1], 64) // digits
	}
	date := "1/2/2006"
	if m := actiDate.FindStringSubmatch(lines[0]); m != nil {
		date = strings.NewReplacer("yyyy", "2006", "yy", "06", "MM", "1", "M", "1", "dd", "2", "d", "2").Replace(m[1])
	}
	p.layout = date + " 15:04:05"
	if rest := string(head); strings.Contains(rest, " AM,") || strings.Contains(rest, " PM,") {
		p.layout = date + " 3:04:05 PM"
	}
	day, clock := "", ""
	for i, line := range lines[1:min(len(lines), 40)] {
		if strings.HasPrefix(line, "-----") {
			p.lines = i + 2
			break
		}
		line = strings.TrimRight(line, ",; ")
		if v, ok := strings.CutPrefix(line, "Start Date "); ok {
			day = v
		}
		if v, ok := strings.CutPrefix(line, "Start Time "); ok {
			clock = v
		}
	}
	if t, err := time.Parse(date+" 15:04:05", day+" "+clock); err == nil {
		p.start = t
	}
	return p
}

// openTable opens a table with what stands before its header, if anything does, and with names for columns that have none.
func (d *csvDecoder) openTable(in io.Reader, o *Options) error {
	br := bufio.NewReaderSize(in, 64<<10)
	head, _ := br.Peek(8 << 10) // an error comes again with the first row
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	form := table.Options{Comma: o.Delimiter, Quote: table.Quote(o.Quote), Skip: o.SkipLines, NoHeader: o.NoHeader}
	if o.SkipLines == 0 {
		if d.preamble = preambleOf(head); d.preamble.lines > 0 {
			form.Skip = d.preamble.lines
			if o.TimeLayout == "" {
				o.TimeLayout = d.preamble.layout
			}
			if o.Rate == 0 {
				o.Rate = d.preamble.rate
			}
		}
	}
	rows, err := table.Open(d.name, br, form)
	if err != nil {
		return err
	}
	d.rows, d.header = rows, rows.Header
	if o.NoHeader || isData(rows.Header) {
		if !o.NoHeader {
			first := rows.Header
			rows.DropHeader()
			d.header = nameColumns(first)
			d.rec.notes.say("%s: the first row is one of samples: there is no header, and the columns are taken for %s", show(d.name), strings.Join(d.header, ", "))
			return nil
		}
		d.header = nameColumns(rows.First())
	}
	return nil
}

// isData tells whether a header is no such thing but a row of numbers, with a time among them or without. The numbers 0, 1, 2 and so on are names.
func isData(cells []string) bool {
	if len(cells) < 2 {
		return false
	}
	counted := true
	for i, c := range cells {
		v, err := number(c)
		isNumber := err == nil && v == v
		if _, _, isTime := datasets.ParseTime(c); !isTime && !isNumber {
			return false
		}
		counted = counted && (strings.TrimSpace(c) == strconv.Itoa(i) || strings.TrimSpace(c) == strconv.Itoa(i+1))
	}
	return !counted
}

// nameColumns gives names to the columns of a table without a header, by its first row: time where the first cell is one, x, y and z where three
// others follow, else their numbers.
func nameColumns(first []string) []string {
	names := make([]string, len(first))
	for i := range names {
		names[i] = strconv.Itoa(i + 1)
	}
	others := 0
	if len(first) > 0 {
		if _, _, ok := datasets.ParseTime(first[0]); ok || len(first) == 4 {
			names[0], others = "time", 1
		}
	}
	if len(names)-others == 3 {
		copy(names[others:], []string{"x", "y", "z"})
	}
	return names
}
