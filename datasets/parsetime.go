package datasets

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseTime reads a time as metadata, posts, tables of movement and predictions have it:
//
//   - year, month and day in this order, parted by -, /, : or . or run together; behind them, after a space, T or _, the clock to the
//     minute or second with any fraction behind a point or a comma, of 24 hours or with AM or PM. 24:00:05 is of the next day.
//   - the same with the name of the month: RFC 2822, Python's ctime, "Mon Apr 06 22:19:45 PDT 2009" and "Feb 24, 2015 3:04 PM";
//   - behind either a zone: Z, UTC, GMT, +01, +0100, +01:00, UTC+1, one of the names of the United States (EST, EDT, CST, CDT, MST, MDT, PST,
//     PDT), and after them, or in place of them where the machine knows it, the name of a place in brackets, [Europe/London];
//   - a count since 1970, whole or decimal, of seconds, milliseconds, microseconds or nanoseconds, whichever is in the years 1980 to 2099.
//
// A time without a zone is taken for UTC, and zoned is then false: it is right for differences within one clock. 03/04/2021 is two
// dates, and not ok; [ParseLayout] is for those. No time that is ok is the zero time.
func ParseTime(s string) (t time.Time, zoned, ok bool) {
	t, zoned, err := readTime(s)
	return t, zoned, err == nil
}

// readTime is ParseTime with the reason.
func readTime(s string) (time.Time, bool, error) {
	s = strings.TrimSpace(s)
	if t, ok := parseUnix(s); ok {
		return t, true, nil
	}
	return parseDate(s)
}

// NoTime tells whether a text is one of the words for a time that is missing: nothing, NaN, NaT, None, NA or null.
func NoTime(s string) bool {
	switch s = strings.TrimSpace(s); len(s) {
	case 0:
		return true
	case 2, 3, 4:
		for _, word := range []string{"nan", "nat", "none", "null", "na", "n/a"} {
			if strings.EqualFold(s, word) {
				return true
			}
		}
	}
	return false
}

// Counts since 1970 are believed between 1980 and 2099, in seconds.
const (
	firstCount = 315532800
	lastCount  = 4102444799
)

// unixUnit returns the unit of a count since 1970 that makes it a plausible time, 0 if there is none.
func unixUnit(n int64) time.Duration {
	for unit, scale := time.Second, int64(1); unit >= 1; unit, scale = unit/1000, scale*1000 {
		if n/scale >= firstCount && n/scale <= lastCount {
			return unit
		}
	}
	return 0
}

// parseUnix reads a count since 1970. Digits are not taken through a float64, which has not enough of them for nanoseconds.
func parseUnix(s string) (time.Time, bool) {
	whole, fraction, _ := cutDecimal(s)
	if len(whole) < 9 || !allDigits(whole) || !allDigits(fraction) {
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	unit := int64(unixUnit(n))
	if unit == 0 {
		return time.Time{}, false
	}
	perSecond := int64(time.Second) / unit
	seconds, nanos := n/perSecond, n%perSecond*unit
	part, _ := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
	nanos += part * unit / int64(time.Second)
	return time.Unix(seconds, nanos).UTC(), true
}

// mostElapsed is the count of seconds up to which a number is taken for the time since some beginning: three years.
const mostElapsed = 1e8

// parseElapsed reads a number of seconds since a beginning, which it sets to 1970. The date 20150224 is none.
func parseElapsed(s string) (time.Time, bool) {
	v, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if err != nil || !(math.Abs(v) < mostElapsed) {
		return time.Time{}, false
	}
	whole := math.Floor(v)
	return time.Unix(int64(whole), int64(math.Round((v-whole)*1e9))).UTC(), true
}

// cutDecimal parts a number at its decimal point or comma.
func cutDecimal(s string) (whole, fraction string, found bool) {
	if whole, fraction, found = strings.Cut(s, "."); !found {
		whole, fraction, found = strings.Cut(s, ",")
	}
	return whole, fraction, found
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

// TimeReader reads the times of one input and counts what its readers should be told.
type TimeReader struct {
	layout  string
	elapsed bool

	wall, instants int           // times without and with a zone
	unit           time.Duration // of the last count since 1970; 0: there was none
	since          int           // seconds since some beginning
	bad            int
	firstBad       string
}

// NewTimeReader returns a reader that tries a layout of [ParseLayout] first, unless it is "". With elapsed, numbers of less than three years in
// seconds are times since a beginning, which is set to 1970 without a zone.
func NewTimeReader(layout string, elapsed bool) (*TimeReader, error) {
	goLayout, err := GoLayout(layout)
	if err != nil {
		return nil, err
	}
	return &TimeReader{layout: goLayout, elapsed: elapsed}, nil
}

// Read reads a time. The zero time without an error is one that is missing ([NoTime]).
func (r *TimeReader) Read(s string) (t time.Time, zoned bool, err error) {
	s = strings.TrimSpace(s)
	if NoTime(s) {
		return time.Time{}, false, nil
	}
	if t, zoned, err = r.read(s); err != nil {
		if r.bad++; r.bad == 1 {
			r.firstBad = s
		}
		return time.Time{}, false, err
	}
	if zoned {
		r.instants++
	} else {
		r.wall++
	}
	return t, zoned, nil
}

func (r *TimeReader) read(s string) (time.Time, bool, error) {
	if r.layout != "" {
		if t, zoned, ok := parseLayout(s, r.layout); ok {
			return t, zoned, nil
		}
	}
	if t, ok := parseUnix(s); ok {
		whole, _, _ := cutDecimal(s)
		n, _ := strconv.ParseInt(whole, 10, 64) // it was read as one
		r.unit = unixUnit(n)
		return t, true, nil
	}
	t, zoned, err := parseDate(s)
	if err == nil || !r.elapsed {
		return t, zoned, err
	}
	if t, ok := parseElapsed(s); ok {
		r.since++
		return t, false, nil
	}
	return t, zoned, err
}

// CountWall counts times without a zone that were read by other means.
func (r *TimeReader) CountWall(n int) { r.wall += n }

// Bad returns how many times could not be read, and the first of them.
func (r *TimeReader) Bad() (n int, first string) { return r.bad, r.firstBad }

// Notes tells what was taken for what, where that is a choice. That times could not be read is not among it.
func (r *TimeReader) Notes() (out []string) {
	units := map[time.Duration]string{time.Millisecond: "milliseconds", time.Microsecond: "microseconds", time.Nanosecond: "nanoseconds"}
	if name := units[r.unit]; name != "" {
		out = append(out, fmt.Sprintf("times are taken for %s since 1970", name))
	}
	if r.wall-r.since > 0 && r.instants > 0 {
		out = append(out, fmt.Sprintf("times with a zone: %d, without: %d", r.instants, r.wall-r.since))
	}
	if r.since > 0 && r.since < r.wall+r.instants {
		out = append(out, fmt.Sprintf("%d of %d times are numbers, taken for seconds since a beginning", r.since, r.wall+r.instants))
	}
	return out
}

// ErrTime is the reason of [TimeReader.Read] for a text that has no form of a time.
var ErrTime = errors.New("cannot be read")
