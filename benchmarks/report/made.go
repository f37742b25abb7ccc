package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// lines tells in words where the numbers come from; what nobody filled in is left out.
func (m Made) lines() (out []string) {
	add := func(name, text string) {
		if text != "" {
			out = append(out, name+": "+text)
		}
	}
	add("Command", m.Command)
	add("Seeds", m.Seeds)
	add("Models", pairs(m.Models))
	add("Versions", pairs(m.Versions))
	add("Machine", m.Machine)
	add("Settings", m.Settings)
	if !m.Began.IsZero() {
		add("Made", fmt.Sprintf("%s, in %v", m.Began.UTC().Format("2006-01-02 15:04 MST"), m.Took.Round(time.Second)))
	}
	return out
}

// pairs lists a map in a fixed order.
func pairs(m map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, name+" "+m[name])
	}
	return strings.Join(out, ", ")
}
