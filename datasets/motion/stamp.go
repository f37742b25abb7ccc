package motion

import (
	"strconv"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets"
)

// stamps reads the times of a table, in the form of its first one.
type stamps struct {
	relative bool  // seconds since some beginning; else dates or counts since 1970
	unit     int64 // nanoseconds of a relative time's unit
	zoned    bool

	reader  *datasets.TimeReader
	quickly int // times that quick read

	minute string // the date to the minute that was read last, 2020-01-31 12:59
	at     int64  // its nanoseconds since 1970
}

// relativeLimit is the count of seconds up to which a number is taken for seconds since some beginning: 1973, if it were since 1970.
const relativeLimit = 1e8

// newStamps looks at the first time and its column's name, which may say that the unit is ms, us or ns.
func newStamps(column, first, layout string) (stamps, bool) {
	first = strings.TrimSpace(first)
	s := stamps{unit: unitOf(column)}
	reader, err := datasets.NewTimeReader(layout, false)
	if err != nil {
		return s, false
	}
	s.reader = reader
	if v, err := strconv.ParseFloat(withPoint(first), 64); err == nil && layout == "" {
		seconds := v * float64(s.unit) / 1e9
		s.relative = seconds < relativeLimit && seconds > -relativeLimit
	}
	if s.relative {
		return s, true
	}
	t, zoned, err := reader.Read(first)
	s.zoned = zoned
	return s, err == nil && !t.IsZero()
}

// withPoint returns a number with a decimal point where it has a comma.
func withPoint(s string) string {
	if strings.Count(s, ",") == 1 {
		return strings.Replace(s, ",", ".", 1)
	}
	return s
}

// unitOf returns the nanoseconds of the unit that the name of a column ends in, time_ms or t [us]; seconds without one.
func unitOf(column string) int64 {
	name := strings.ToLower(strings.TrimRight(strings.TrimSpace(column), ")]"))
	units := map[string]time.Duration{"ms": time.Millisecond, "us": time.Microsecond, "ns": time.Nanosecond}
	if len(name) > 2 && endsWord(name[:len(name)-2]) && units[name[len(name)-2:]] > 0 {
		return int64(units[name[len(name)-2:]])
	}
	return int64(time.Second)
}

// endsWord tells whether what follows begins a word of its own: time_ms, t(ms, time ms.
func endsWord(head string) bool {
	return head != "" && strings.ContainsRune(" _-([.", rune(head[len(head)-1]))
}

// parse returns nanoseconds, since 1970 or the beginning.
func (s *stamps) parse(text string) (int64, bool) {
	if s.relative {
		v, err := strconv.ParseFloat(withPoint(strings.TrimSpace(text)), 64)
		ns := v * float64(s.unit)
		if err != nil || !(ns > -9e18 && ns < 9e18) {
			return 0, false
		}
		if ns < 0 {
			return int64(ns - 0.5), true
		}
		return int64(ns + 0.5), true
	}
	if ns, ok := s.quick(text); ok {
		s.quickly++
		return ns, true
	}
	t, _, err := s.reader.Read(text)
	if err != nil || t.IsZero() || t.Year() < 1700 || t.Year() > 2250 { // what nanoseconds can count
		return 0, false
	}
	s.remember(text, t)
	return t.UnixNano(), true
}

// remember keeps the minute of a time of the form that quick reads.
func (s *stamps) remember(text string, t time.Time) {
	if len(text) < 19 || text[4] != '-' || text[13] != ':' || text[16] != ':' || !digits(text[17:19]) {
		return
	}
	if rest := text[19:]; rest == "" || rest[0] == '.' && digits(rest[1:]) {
		s.minute, s.at = text[:16], t.Truncate(time.Minute).UnixNano()
	}
}

// quick reads a time within the minute of the one before: all but a few in a table of 50 Hz.
func (s *stamps) quick(text string) (int64, bool) {
	if len(text) < 19 || s.minute == "" || text[:16] != s.minute || text[16] != ':' || !digits(text[17:19]) {
		return 0, false
	}
	seconds := int64(text[17]-'0')*10 + int64(text[18]-'0')
	if seconds > 59 {
		return 0, false
	}
	ns := s.at + seconds*int64(time.Second)
	rest := text[19:]
	if rest == "" {
		return ns, true
	}
	if rest[0] != '.' || len(rest) > 10 || len(rest) < 2 || !digits(rest[1:]) {
		return 0, false
	}
	unit := int64(time.Second)
	for i := 1; i < len(rest); i++ {
		unit /= 10
		ns += int64(rest[i]-'0') * unit
	}
	return ns, true
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
