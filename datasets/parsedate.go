package datasets

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// zoneHours are the hours from UTC that names of zones stand for, those of the United States. Package time takes any name that it does not
// know for UTC, without a word.
var zoneHours = map[string]int{
	"UTC": 0, "GMT": 0, "UT": 0, "Z": 0,
	"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}

// dateParts are the parts of a time before they are checked. Hours go to 24, and the clock may be absent.
type dateParts struct {
	year, month, day     int
	hour, minute, second int
	nanos                int
	half                 byte // 'a' or 'p' of AM or PM; 0: 24 hours
	zone                 *time.Location
}

// parseDate reads a date with or without a clock and a zone.
func parseDate(s string) (time.Time, bool, error) {
	var p dateParts
	s, place := cutPlace(s)
	var err error
	if rest, ok := p.numericDate(s); ok {
		err = p.rest(rest)
	} else {
		err = p.named(s)
	}
	if err == nil && p.zone == nil && place != "" {
		if p.zone, err = time.LoadLocation(place); err != nil || place == "Local" {
			err = fmt.Errorf("zone %q is not known", place)
		}
	}
	if err != nil {
		return time.Time{}, false, err
	}
	return p.time()
}

// cutPlace parts the name of a place in brackets from the end: "... +0100 [Europe/London]".
func cutPlace(s string) (rest, place string) {
	if strings.HasSuffix(s, "]") {
		if i := strings.LastIndexByte(s, '['); i > 0 {
			return strings.TrimRight(s[:i], " "), s[i+1 : len(s)-1]
		}
	}
	return s, ""
}

// numericDate reads 2015-02-24, 2015/2/24, 2015:02:24, 2015.02.24 or 20150224 with anything but a digit behind it, or with the clock run on,
// and returns what follows.
func (p *dateParts) numericDate(s string) (rest string, ok bool) {
	digits := leadingDigits(s)
	switch {
	case digits == 4 && len(s) > 5 && strings.IndexByte("-/:.", s[4]) >= 0:
		month := leadingDigits(s[5:])
		end := 5 + month
		if month < 1 || month > 2 || end >= len(s) || s[end] != s[4] {
			return "", false
		}
		day := leadingDigits(s[end+1:])
		if day < 1 || day > 2 {
			return "", false
		}
		p.year, p.month, p.day = atoi(s[:4]), atoi(s[5:end]), atoi(s[end+1:end+1+day])
		return s[end+1+day:], true
	case digits == 8 || digits == 12 || digits == 14 || digits == 17:
		p.year, p.month, p.day = atoi(s[:4]), atoi(s[4:6]), atoi(s[6:8])
		if p.year < 1900 || p.year > 2100 { // such a number is more likely something else
			return "", false
		}
		if digits == 8 {
			return s[8:], true
		}
		p.hour, p.minute = atoi(s[8:10]), atoi(s[10:12])
		if digits >= 14 {
			p.second = atoi(s[12:14])
		}
		if digits == 17 {
			p.nanos = atoi(s[14:17]) * int(time.Millisecond)
		}
		return p.zoneAfter(s[digits:])
	}
	return "", false
}

// zoneAfter reads a zone that follows digits, and leaves nothing.
func (p *dateParts) zoneAfter(s string) (rest string, ok bool) {
	s = strings.TrimLeft(s, " ")
	return "", s == "" || p.setZone(s) == nil
}

// rest reads what stands behind a numeric date: nothing, or a clock and a zone.
func (p *dateParts) rest(s string) error {
	if s == "" {
		return nil
	}
	if strings.IndexByte(" Tt_", s[0]) < 0 {
		return ErrTime
	}
	s = strings.TrimLeft(s[1:], " ")
	n, err := p.clock(s)
	if err != nil {
		return err
	}
	return p.behindClock(strings.TrimLeft(s[n:], " "))
}

// behindClock reads AM or PM and a zone, both of which may be absent.
func (p *dateParts) behindClock(s string) error {
	word, rest, _ := strings.Cut(s, " ")
	if p.setHalf(word) {
		s = strings.TrimLeft(rest, " ")
	}
	if s == "" {
		return nil
	}
	return p.setZone(s)
}

// setHalf reads AM or PM.
func (p *dateParts) setHalf(word string) bool {
	switch {
	case strings.EqualFold(word, "am") || strings.EqualFold(word, "a.m."):
		p.half = 'a'
	case strings.EqualFold(word, "pm") || strings.EqualFold(word, "p.m."):
		p.half = 'p'
	default:
		return false
	}
	return true
}

// clock reads 15:04, 15:04:05.25, 1504 or 150405.25 and returns how many bytes it is.
func (p *dateParts) clock(s string) (n int, err error) {
	n = leadingDigits(s)
	switch {
	case (n == 1 || n == 2) && n+2 < len(s)+0 && s[n] == ':' && leadingDigits(s[n+1:]) == 2:
		p.hour, p.minute = atoi(s[:n]), atoi(s[n+1:n+3])
		n += 3
		if n+2 < len(s) && s[n] == ':' && leadingDigits(s[n+1:]) == 2 {
			p.second = atoi(s[n+1 : n+3])
			return n + 3 + p.fraction(s[n+3:]), nil
		}
		return n, nil
	case n == 4 || n == 6:
		p.hour, p.minute = atoi(s[:2]), atoi(s[2:4])
		if n == 4 {
			return n, nil
		}
		p.second = atoi(s[4:6])
		return n + p.fraction(s[n:]), nil
	}
	return 0, ErrTime
}

// fraction reads a fraction of a second, behind a point or a comma, and returns how many bytes it is. Digits beyond nanoseconds are passed over.
func (p *dateParts) fraction(s string) int {
	if len(s) < 2 || s[0] != '.' && s[0] != ',' || !isDigit(s[1]) {
		return 0
	}
	n := leadingDigits(s[1:])
	p.nanos = int(parseFraction(s[1 : 1+n]))
	return 1 + n
}

// setZone reads a zone, an offset or both, "GMT+0100".
func (p *dateParts) setZone(s string) error {
	sign := strings.IndexAny(s, "+-")
	name, offset := s, ""
	if sign >= 0 {
		name, offset = strings.TrimRight(s[:sign], " "), s[sign:]
	}
	if len(name) == 1 {
		name = strings.ToUpper(name) // of z alone
	}
	hours, known := zoneHours[name]
	switch {
	case name != "" && !known && isWord(name):
		return fmt.Errorf("zone %q is not known", name)
	case name != "" && !known, name != "" && offset != "" && hours != 0:
		return ErrTime
	case offset == "":
		p.zone = zone(hours * 3600)
		return nil
	}
	return p.setOffset(offset)
}

// setOffset reads +1, +01, +0100 or +01:00.
func (p *dateParts) setOffset(s string) error {
	digits := strings.Replace(s[1:], ":", "", 1)
	if digits == "" || len(digits) > 4 || !allDigits(digits) || len(digits) < 4 && strings.Contains(s, ":") {
		return ErrTime
	}
	hours, minutes := digits, "0"
	if len(digits) > 2 {
		hours, minutes = digits[:len(digits)-2], digits[len(digits)-2:]
	}
	seconds := atoi(hours)*3600 + atoi(minutes)*60
	if atoi(minutes) > 59 || seconds > 14*3600 { // no place on Earth is further from UTC
		return ErrTime
	}
	if s[0] == '-' {
		seconds = -seconds
	}
	p.zone = zone(seconds)
	return nil
}

// named reads a date with the name of its month, whose parts may come in any order: the clock has a colon, the year four digits, the day
// one or two.
func (p *dateParts) named(s string) error {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' })
	if len(words) == 1 || len(words) == 2 || len(words) == 3 { // 24-Feb-2015 and 24/Feb/2015
		if parts := strings.FieldsFunc(words[0], func(r rune) bool { return r == '-' || r == '/' }); len(parts) == 3 {
			words = append(parts, words[1:]...)
		}
	}
	for i, w := range words {
		if err := p.word(w, i+1 == len(words)); err != nil {
			return err
		}
	}
	return nil
}

// word takes one part of a date with the name of its month.
func (p *dateParts) word(w string, last bool) error {
	digits := leadingDigits(w)
	switch {
	case digits == 4 && len(w) == 4 && p.year == 0:
		p.year = atoi(w)
	case digits > 0 && digits < 3 && digits == len(w) && p.day == 0:
		p.day = atoi(w)
	case digits > 0 && strings.Contains(w, ":"):
		n, err := p.clock(w)
		if err != nil || n == len(w) {
			return err
		}
		return p.behindClock(w[n:])
	case p.month == 0 && monthOf(w) > 0:
		p.month = monthOf(w)
	case p.month == 0 && isWeekday(w):
	case p.setHalf(w):
	case p.month > 0 && p.zone == nil:
		return p.setZone(w)
	case last && p.zone != nil && w[0] == '(': // RFC 2822: +0100 (CET)
	default:
		return ErrTime
	}
	return nil
}

// time checks the parts.
func (p *dateParts) time() (time.Time, bool, error) {
	hour := p.hour
	if p.half != 0 {
		if hour < 1 || hour > 12 {
			return time.Time{}, false, ErrTime
		}
		hour %= 12
		if p.half == 'p' {
			hour += 12
		}
	}
	if p.year < 1 || p.month < 1 || p.month > 12 || p.day < 1 || hour > 24 || p.minute > 59 || p.second > 59 {
		return time.Time{}, false, ErrTime
	}
	where, zoned := p.zone, p.zone != nil
	if !zoned {
		where = time.UTC
	}
	if day := time.Date(p.year, time.Month(p.month), p.day, 0, 0, 0, 0, time.UTC); day.Day() != p.day { // 30 February
		return time.Time{}, false, ErrTime
	}
	t := time.Date(p.year, time.Month(p.month), p.day, hour, p.minute, p.second, p.nanos, where)
	if t.IsZero() {
		return time.Time{}, false, ErrTime
	}
	return t, zoned, nil
}

func leadingDigits(s string) int {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return i
		}
	}
	return len(s)
}

// atoi returns the number of a few digits.
func atoi(s string) int {
	n, _ := strconv.Atoi(s) // they were counted as digits
	return n
}

// isWord tells whether a text may be the name of a zone.
func isWord(s string) bool {
	return len(s) > 1 && len(s) <= 5 && !strings.ContainsFunc(s, func(r rune) bool { return r < 'A' || r > 'Z' })
}

// monthOf returns the number of a month by its English name, whole or three letters, 0 if it is none.
func monthOf(word string) int {
	word = strings.TrimSuffix(word, ".")
	for m := time.January; m <= time.December; m++ {
		if name := m.String(); strings.EqualFold(word, name) || strings.EqualFold(word, name[:3]) {
			return int(m)
		}
	}
	return 0
}

func isWeekday(word string) bool {
	word = strings.TrimSuffix(word, ".")
	for d := time.Sunday; d <= time.Saturday; d++ {
		if name := d.String(); strings.EqualFold(word, name) || strings.EqualFold(word, name[:3]) {
			return true
		}
	}
	return false
}
