package datasets

import (
	"strconv"
	"strings"
	"time"
)

// ParseTime reads a time as metadata and predictions have it: RFC 3339, with or without a zone; date and time with a space between
// them; the form of EXIF, 2006:01:02 15:04:05; each with or without a fraction of the seconds; a date alone; or a count since 1970,
// whole or decimal, of seconds up to 1e11 and beyond that of milliseconds, microseconds or nanoseconds, whichever gives a year before
// 5138. A time without a zone is taken for UTC, and zoned is then false: it is right for differences within one clock. 03/04/2021 is two
// dates, and not ok. No time that is ok is the zero time.
func ParseTime(s string) (t time.Time, zoned, ok bool) {
	s = strings.TrimSpace(s)
	if t, ok := parseUnix(s); ok {
		return t, true, true
	}
	return parseTime(s, "")
}

// unixLimit is the count of seconds from which it is taken for one of something shorter.
const unixLimit = 1e11

// parseUnix reads a count since 1970. Digits are not taken through a float64, which has not enough of them for nanoseconds.
func parseUnix(s string) (time.Time, bool) {
	digits, negative := strings.CutPrefix(s, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if !allDigits(whole) || whole == "" || !allDigits(fraction) {
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	unit := int64(time.Second)
	for limit := int64(unixLimit); n >= limit && unit > 1; limit *= 1000 {
		unit /= 1000
	}
	perSecond := int64(time.Second) / unit
	seconds, nanos := n/perSecond, n%perSecond*unit
	part, _ := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
	nanos += part * unit / int64(time.Second)
	if negative {
		seconds, nanos = -seconds, -nanos
	}
	t := time.Unix(seconds, nanos).UTC()
	return t, !t.IsZero()
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }
