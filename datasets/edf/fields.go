package edf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// text returns a field without its padding. The formats allow ASCII only; UTF-8 is kept where it is whole, and all else is taken
// for Latin-1, in which every byte is a character.
func text(b []byte) (s string, ascii bool) {
	s, ascii = string(b), true
	for i := range b {
		ascii = ascii && b[i] < utf8.RuneSelf
	}
	if !ascii && !utf8.Valid(b) {
		runes := make([]rune, len(b))
		for i, c := range b {
			runes[i] = rune(c)
		}
		s = string(runes)
	}
	return strings.Trim(s, " \x00"), ascii
}

// integer reads a count, which some writers begin with + or follow by a point and zeros.
func integer(b []byte) (int64, error) {
	v, err := number(b)
	if err != nil {
		return 0, err
	}
	if v != math.Trunc(v) || math.Abs(v) > 1e8 {
		return 0, fmt.Errorf("%s is not a whole number", show(strings.TrimSpace(string(b))))
	}
	return int64(v), nil
}

// number reads a decimal number; a comma for the point is met in files from some countries.
func number(b []byte) (float64, error) {
	s := strings.Trim(string(b), " \x00")
	// ParseFloat alone would let hexadecimal numbers, infinities and NaN through.
	if strings.Trim(s, "0123456789+-.,eE") != "" || s == "" {
		return 0, fmt.Errorf("%s is not a number", show(s))
	}
	v, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s is not a number", show(s))
	}
	return v, nil
}

var errDate = errors.New("no date and time that can be read")

// startTime reads dd.mm.yy and hh.mm.ss. Years from 85 are of the last century, as the format has it; exact is false where the separators
// are others than points.
func startTime(date, clock []byte) (t time.Time, exact bool, err error) {
	d, exact1, ok1 := triple(date)
	c, exact2, ok2 := triple(clock)
	if !ok1 || !ok2 {
		return time.Time{}, false, errDate
	}
	year := 2000 + d[2]
	if d[2] >= 85 {
		year = 1900 + d[2]
	}
	t = time.Date(year, time.Month(d[1]), d[0], c[0], c[1], c[2], 0, time.UTC)
	// time.Date carries 31 April over to May; a field that came back changed was out of its range.
	if t.Day() != d[0] || int(t.Month()) != d[1] || t.Hour() != c[0] || t.Minute() != c[1] || t.Second() != c[2] {
		return time.Time{}, false, errDate
	}
	return t, exact1 && exact2, nil
}

// triple reads three numbers of two digits.
func triple(b []byte) (v [3]int, exact, ok bool) {
	s := strings.TrimSpace(string(b))
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("./-: ", r) })
	if len(parts) != 3 {
		return v, false, false
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 8)
		if err != nil || n > 99 {
			return v, false, false
		}
		v[i] = int(n)
	}
	return v, strings.Count(s, ".") == 2, true
}

// recordingDate returns the date in the recording field of a plus file, "Startdate 24-APR-1989 ...", which has all digits of the year.
func recordingDate(recording string) (time.Time, bool) {
	f := strings.Fields(recording)
	if len(f) < 2 || f[0] != "Startdate" {
		return time.Time{}, false
	}
	t, err := time.Parse("2-Jan-2006", f[1]) // months in any case
	return t, err == nil
}
