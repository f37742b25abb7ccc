package datasets

import (
	"fmt"
	"strings"
	"time"
)

// strftime are the directives of strftime as layouts of package time. Those of numbers take one digit or two, as Python's strptime does.
var strftime = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "1", 'd': "2", 'e': "_2", 'j': "002", 'b': "Jan", 'h': "Jan", 'B': "January", 'a': "Mon", 'A': "Monday",
	'H': "15", 'I': "3", 'M': "4", 'S': "5", 'p': "PM", 'P': "PM", 'z': "-0700", 'F': "2006-1-2", 'T': "15:4:5", 'D': "1/2/06", 'R': "15:4", '%': "%",
	'n': "\n", 't': "\t",
}

// GoLayout returns a layout of package time for one that is that already, as 2.1.2006 15:04, or that strftime has, as %d.%m.%Y %H:%M. A layout
// has a year, and an offset (-0700) or no zone: package time makes UTC of the name of one (MST). "" stays "".
func GoLayout(layout string) (string, error) {
	if layout == "" {
		return "", nil
	}
	out := layout
	if strings.Contains(layout, "%") {
		var err error
		if out, err = fromStrftime(layout); err != nil {
			return "", err
		}
	}
	if strings.Contains(out, "MST") {
		return "", fmt.Errorf("datasets: time layout %q has the name of a zone: want an offset or none", layout)
	}
	at := time.Date(2024, 5, 17, 10, 0, 0, 0, time.UTC)
	if at.Format(out) == at.AddDate(1, 0, 0).Format(out) { // two years that are written alike
		return "", fmt.Errorf("datasets: time layout %q has no year: want it as 2.1.2006 15:04 or %%d.%%m.%%Y %%H:%%M", layout)
	}
	return out, nil
}

// fromStrftime translates directives. %f is what package time reads behind seconds by itself.
func fromStrftime(layout string) (string, error) {
	layout = strings.NewReplacer("%S.%f", "%S", "%S,%f", "%S", "%-", "%").Replace(layout)
	var out strings.Builder
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' {
			out.WriteByte(layout[i])
			continue
		}
		if i++; i == len(layout) || strftime[layout[i]] == "" {
			return "", fmt.Errorf("datasets: time layout %q: directive %q is not known", layout, layout[i-1:min(i+1, len(layout))])
		}
		out.WriteString(strftime[layout[i]])
	}
	return out.String(), nil
}

// parseLayout reads a time by a layout of GoLayout. Surplus of seconds, as of a layout of minutes, is no match.
func parseLayout(s, layout string) (t time.Time, zoned, ok bool) {
	t, err := time.Parse(layout, s)
	if err != nil && strings.Contains(layout, "PM") {
		t, err = time.Parse(layout, strings.ToUpper(s))
	}
	if err != nil || t.IsZero() {
		return time.Time{}, false, false
	}
	if zoned = zonedLayout(layout); zoned { // without the name of the machine's own zone
		_, seconds := t.Zone()
		t = t.In(zone(seconds))
	}
	return t, zoned, true
}
