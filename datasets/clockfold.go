package datasets

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets/internal/message"
)

const (
	leastFold = time.Minute // below, cameras name the pictures of a burst out of turn
	foldHour  = time.Hour   // of the clock at the end of summer time; its fall is as much less as time passes between two pictures
	seriesGap = 100         // numbers that may be missing between neighbours of one series, as pictures that were deleted
)

// fold is a fall of the clock from one picture to the next of a series.
type fold struct {
	from, to *item
	by       time.Duration
}

// clockFolds looks, in a stream whose items are in natural order of names, for a clock that falls back by half a year or less between two
// pictures that a camera numbered one after the other: at the end of summer time, or where somebody set it. Where the numbers start anew
// after 9999 all pictures before the fall are younger than those behind it, which is no fold; where names say nothing of the order there
// are many, and none is returned.
func clockFolds(items []*item) (folds []fold) {
	var last *item
	var first time.Time // the earliest so far
	for _, it := range items {
		if it.Time.IsZero() {
			continue
		}
		if last != nil {
			by := last.Time.Sub(it.Time)
			overlap := !first.After(it.Time)
			if by >= leastFold && by <= jumpSpan && overlap && inSeries(last.Name, it.Name) {
				folds = append(folds, fold{last, it, by})
			} else if by >= leastFold {
				return nil
			}
		}
		if last = it; first.IsZero() || it.Time.Before(first) {
			first = it.Time
		}
	}
	if len(folds) > mostJumps {
		return nil
	}
	return folds
}

// inSeries reports whether two names differ in one number alone, which grows by a little.
func inSeries(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && isDigit(a[n-1]) { // from the first digit of the number on
		n--
	}
	x, y := a[n:], b[n:]
	p, q := digits(x), digits(y)
	if p == 0 || q == 0 || !strings.EqualFold(x[p:], y[q:]) {
		return false
	}
	from, err1 := strconv.ParseUint(x[:p], 10, 63)
	to, err2 := strconv.ParseUint(y[:q], 10, 63)
	return err1 == nil && err2 == nil && from < to && to-from <= seriesGap
}

// warnFolds tells of a stream whose clock was set back, with how many pictures lie in the time that it showed twice.
func (l *Listing) warnFolds(stream string, items []*item) {
	folds := clockFolds(items)
	if len(folds) == 0 {
		return
	}
	f := folds[0]
	at := slices.Index(items, f.to)
	before, behind := 0, 0
	for i, it := range items {
		switch {
		case it.Time.IsZero():
		case i < at && it.Time.After(f.to.Time):
			before++
		case i >= at && it.Time.Before(f.from.Time):
			behind++
		}
	}
	hint, more := "", ""
	if f.by <= foldHour {
		hint = ", as at the end of summer time"
	}
	if n := len(folds) - 1; n > 0 {
		more = "; it falls " + message.Count(n, "more time")
	}
	l.warn("%s: the camera's clock falls back by %v, from %s to %s, at %s%s: %s before it by name and %s from it on lie in the time that it showed twice, and their order is that of the times%s",
		message.Show(stream), f.by.Round(time.Second), f.from.Time.Format(time.DateTime), f.to.Time.Format(time.DateTime), message.Show(f.to.Name), hint,
		message.Count(before, "picture"), message.Count(behind, "picture"), more)
}
