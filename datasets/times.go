package datasets

import (
	"context"
	"regexp"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oatta/oatta/datasets/internal/message"
)

// readTimes gives a time to every item that has none from metadata: EXIF, then the name if asked for. Files are read side by side, each
// worker writing its own items only, so the outcome does not depend on their number.
func (s *settings) readTimes(ctx context.Context, items []*item) error {
	var need []*item
	for _, it := range items {
		if it.Time.IsZero() {
			need = append(need, it)
		}
	}
	workers := s.Parallel
	if workers == 0 {
		workers = goruntime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	done := s.progress(len(need))
	for range min(workers, len(need)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(need) {
					return
				}
				s.readTime(need[i])
				done()
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// progress returns what to call after each file.
func (s *settings) progress(total int) func() {
	if s.Progress == nil {
		return func() {}
	}
	var mu sync.Mutex
	n := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		n++
		s.Progress(n, total)
	}
}

// readTime is what a worker does for one file. Opening it is also how one that may not be read is found.
func (s *settings) readTime(it *item) {
	t, zoned, err := exifTimeOfFile(it.Path, it.Bytes)
	switch {
	case err != nil:
		it.failed = "file cannot be read: " + message.Cause(err).Error()
	case !t.IsZero():
		it.setTime(t, zoned, TimeFromEXIF)
	default:
		s.timeFromName(it)
	}
}

// setTime keeps time, offset and source together.
func (it *item) setTime(t time.Time, zoned bool, from string) {
	it.Time, it.Zoned, it.TimeFrom = t, zoned, from
}

// timeFromName tries the pattern of the options, then the common forms.
func (s *settings) timeFromName(it *item) {
	if s.time != nil {
		text := group(s.time.FindStringSubmatch(it.Name), s.timeGroup)
		if t, err := time.Parse(s.TimeLayout, text); err == nil {
			it.setTime(t, zonedLayout(s.TimeLayout), TimeFromName)
			return
		}
	}
	if s.NameTimes {
		if t, ok := timeInName(it.Name); ok {
			it.setTime(t, false, TimeFromName)
		}
	}
}

// nameTime matches year to second, run together or with the usual separators, and thousandths where a phone adds them.
var nameTime = regexp.MustCompile(`(?:^|\D)((?:19|20)\d\d)([-_.]?)(\d\d)([-_.]?)(\d\d)(?:[-_T .]{0,2})(\d\d)([-_.h]?)(\d\d)([-_.m]?)(\d\d)(\d{3})?(?:\D|$)`)

// timeInName finds a date and time in the last element of a name: 20210531082538, 20240501_102030, 20240501_102030123,
// 2009-04-21__00-40-00, 2024-05-01_10-20-30, 2024-05-01T10.20.30. What is no possible time is passed over.
func timeInName(name string) (time.Time, bool) {
	base := name[strings.LastIndexByte(name, '/')+1:]
	for base != "" {
		m := nameTime.FindStringSubmatchIndex(base)
		if m == nil {
			break
		}
		part := func(i int) string { return base[m[2*i]:m[2*i+1]] }
		alike := part(2) == part(4) && (part(7) == "") == (part(9) == "") // 2024-0501 is no date
		t, err := time.Parse("20060102150405", part(1)+part(3)+part(5)+part(6)+part(8)+part(10))
		if err == nil && alike {
			if m[22] >= 0 {
				t = t.Add(parseFraction(part(11)))
			}
			return t, true
		}
		base = base[m[2]+1:] // look on, right of the year's first digit
	}
	return time.Time{}, false
}

// zonedLayout tells whether times read with a layout are instants.
func zonedLayout(layout string) bool {
	return strings.Contains(layout, "Z07") || strings.Contains(layout, "-07")
}

// parseTime reads a time of metadata: by a layout of GoLayout, unless it is "", then as ParseTime does. 03/04/2021 has two meanings: it needs a
// layout.
func parseTime(s, layout string) (t time.Time, zoned, ok bool) {
	s = strings.TrimSpace(s)
	if layout != "" {
		if t, zoned, ok := parseLayout(s, layout); ok {
			return t, zoned, true
		}
	}
	return ParseTime(s)
}
