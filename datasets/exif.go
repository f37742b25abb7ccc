package datasets

import (
	"io"
	"os"
	"strings"
	"time"

	"github.com/oatta/oatta/internal/exif"
)

// Tags that tell time, from IFD0 and the Exif IFD.
const (
	tagDateTime          = 0x0132 // of the last change of the file
	tagDateTimeOriginal  = 0x9003 // of the exposure
	tagDateTimeDigitized = 0x9004
	tagOffset            = 0x9010
	tagOffsetOriginal    = 0x9011
	tagOffsetDigitized   = 0x9012
	tagSubSec            = 0x9290
	tagSubSecOriginal    = 0x9291
	tagSubSecDigitized   = 0x9292
)

// exifSources are the three times of Exif, the best first, each with its fraction and its offset.
var exifSources = [3]struct{ stamp, fraction, offset uint16 }{
	{tagDateTimeOriginal, tagSubSecOriginal, tagOffsetOriginal},
	{tagDateTimeDigitized, tagSubSecDigitized, tagOffsetDigitized},
	{tagDateTime, tagSubSec, tagOffset},
}

// exifTime returns the capture time that a picture (JPEG, PNG, WebP, TIFF) of so many bytes tells: DateTimeOriginal, else
// DateTimeDigitized, else DateTime, each with its fraction and UTC offset where there are such. Blank times (0000:00:00) and impossible ones
// count as none. zoned is true where there is an offset; else the time is wall-clock time held in UTC. No time, no EXIF and damaged
// EXIF all give a zero time; the error is r's own. A few kilobytes are read.
func exifTime(r io.ReaderAt, size int64) (t time.Time, zoned bool, err error) {
	tags, err := exif.Texts(r, size, tellsTime)
	if err != nil {
		return time.Time{}, false, err
	}
	t, zoned = timeOfTags(tags)
	return t, zoned, nil
}

// tellsTime reports whether a tag is one of those that tell time.
func tellsTime(tag uint16) bool {
	for _, s := range exifSources {
		if tag == s.stamp || tag == s.fraction || tag == s.offset {
			return true
		}
	}
	return false
}

// exifTimeOfFile is EXIFTime of a file.
func exifTimeOfFile(path string, size int64) (time.Time, bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return time.Time{}, false, err
	}
	defer f.Close() // read only: nothing is lost by an error
	return exifTime(f, size)
}

// timeOfTags returns the best time of the texts of the tags.
func timeOfTags(tags map[uint16]string) (time.Time, bool) {
	for _, s := range exifSources {
		stamp, offset := cutOffset(tags[s.stamp])
		t, ok := parseStamp(stamp)
		if !ok {
			continue
		}
		if t.Nanosecond() == 0 {
			t = t.Add(parseFraction(tags[s.fraction]))
		}
		if offset == "" {
			offset = tags[s.offset]
		}
		if zone, ok := parseOffset(offset); ok {
			return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone), true
		}
		return t, false
	}
	return time.Time{}, false
}

// cutOffset takes off the UTC offset of a time in ISO's form, "2024-05-01T10:00:02.669+09:00", which some programs write there.
func cutOffset(s string) (stamp, offset string) {
	const least = len("2009:04:21 00:40:00")
	if len(s) <= least {
		return s, ""
	}
	if i := strings.IndexAny(s[least:], "Z+-"); i >= 0 {
		if _, ok := parseOffset(s[least+i:]); ok {
			return s[:least+i], s[least+i:]
		}
	}
	return s, ""
}

// parseStamp reads "2009:04:21 00:40:00", with a fraction or without. Cameras also write dashes or slashes in the date and a T in between,
// and hour 24 for that of the next day.
func parseStamp(s string) (time.Time, bool) {
	if len(s) < 19 {
		return time.Time{}, false
	}
	date, sep, clock := s[:10], s[10], strings.TrimSpace(s[11:])
	if sep != ' ' && sep != 'T' {
		return time.Time{}, false
	}
	date = strings.NewReplacer(":", "-", "/", "-").Replace(date)
	late := time.Duration(0)
	if rest, ok := strings.CutPrefix(clock, "24:"); ok {
		clock, late = "00:"+rest, 24*time.Hour
	}
	t, err := time.Parse("2006-01-02 15:04:05", date+" "+clock) // refuses 2023-02-30 and 25:00:00
	t = t.Add(late)
	if err != nil || t.Year() < 2 || t.Year() > 9999 { // the first year holds the zero time, which stands for none
		return time.Time{}, false
	}
	return t, true
}

// parseFraction reads the digits that follow the decimal point of the seconds: "057" is 57 ms, "57" is 570 ms.
func parseFraction(s string) time.Duration {
	var d time.Duration
	unit := time.Second / 10
	for i := 0; i < len(s) && isDigit(s[i]); i++ {
		d += time.Duration(s[i]-'0') * unit
		unit /= 10
	}
	return d
}

// parseOffset reads "+02:00" or "Z".
func parseOffset(s string) (*time.Location, bool) {
	if s == "Z" {
		return time.UTC, true
	}
	t, err := time.Parse("-07:00", s)
	if err != nil {
		return nil, false
	}
	_, seconds := t.Zone()
	if seconds < -14*3600 || seconds > 14*3600 { // no place on Earth is further from UTC
		return nil, false
	}
	return zone(seconds), true
}

// zone returns the location of an offset. UTC is itself, so that equal times are also == in all their fields.
func zone(seconds int) *time.Location {
	if seconds == 0 {
		return time.UTC
	}
	return time.FixedZone("", seconds)
}
