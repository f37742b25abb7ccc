package posts

import (
	"fmt"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets"
)

// zones are the hours from UTC that names of zones stand for. Package time takes any name that it does not know for UTC, without a word.
var zones = map[string]int{
	"UTC": 0, "GMT": 0,
	"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}

// parseTime reads the time of a post: by the layout if there is one and it fits, else in the forms that the package names. zoned tells an
// instant from wall-clock time, which is held in UTC.
func parseTime(s, layout string) (t time.Time, zoned bool, err error) {
	s = strings.TrimSpace(s)
	if layout != "" {
		if t, err := time.Parse(layout, s); err == nil && !t.IsZero() {
			return t, strings.Contains(layout, "07"), nil
		}
	}
	if f := strings.Fields(s); len(f) == 6 {
		return twitterTime(s, f)
	}
	t, zoned, ok := datasets.ParseTime(s)
	if !ok {
		return time.Time{}, false, fmt.Errorf("time %s cannot be read", show(s))
	}
	return t, zoned, nil
}

// twitterTime reads "Mon Apr 06 22:19:45 PDT 2009", and the same with +0000 in place of the zone's name.
func twitterTime(s string, f []string) (time.Time, bool, error) {
	t, err := time.Parse("Mon Jan 2 15:04:05 -0700 2006", strings.Join(f, " "))
	if err == nil && !t.IsZero() {
		_, seconds := t.Zone()
		return t.In(time.FixedZone("", seconds)), true, nil
	}
	name := f[4]
	t, err = time.Parse("Mon Jan 2 15:04:05 2006", strings.Join(append(append([]string{}, f[:4]...), f[5]), " "))
	if err != nil || t.IsZero() {
		return time.Time{}, false, fmt.Errorf("time %s cannot be read", show(s))
	}
	hours, ok := zones[name]
	if !ok {
		return time.Time{}, false, fmt.Errorf("time %s: zone %s is not known", show(s), show(name))
	}
	offset := time.Duration(hours) * time.Hour
	return t.Add(-offset).In(time.FixedZone(name, hours*3600)), true, nil
}
