package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// madeLine is one of the things that are told of where numbers come from.
type madeLine struct {
	Name, Text string
	Code       bool // it is typed, or a hash
}

// lines leaves out what nobody filled in.
func (m Made) lines() (out []madeLine) {
	add := func(name, text string, code bool) {
		if text != "" {
			out = append(out, madeLine{name, text, code})
		}
	}
	add("Command", m.Command, true)
	add("Seeds", m.Seeds, false)
	add("Models", pairs(m.Models), true)
	add("Versions", pairs(m.Versions), false)
	add("Machine", m.Machine, false)
	add("Settings", m.Settings, true)
	if !m.Began.IsZero() {
		add("Made", fmt.Sprintf("%s, in %v", m.Began.UTC().Format("2006-01-02 15:04 MST"), m.Took.Round(time.Second)), false)
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

// list is a list of the lines, with what is typed between two texts.
func (m Made) list(around string) string {
	var b strings.Builder
	for _, l := range m.lines() {
		text := l.Text
		if l.Code {
			text = around + text + around
		}
		fmt.Fprintf(&b, "- %s: %s\n", l.Name, text)
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}
