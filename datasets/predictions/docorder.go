package predictions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/internal/rawjson"
)

// sort brings the items into the order of steps: stream after stream, each by time (instants where all are that, else the clock on
// the wall), then by natural order of names. Items without a time
// take that of the last one before them in natural order, so that one of them keeps its place.
func (d *Document) sort() {
	slices.SortStableFunc(d.entries, func(a, b entry) int {
		if c := datasets.CompareNatural(a.stream, b.stream); c != 0 {
			return c
		}
		return datasets.CompareNatural(a.name, b.name)
	})
	times, err := datasets.NewTimeReader("", true)
	if err != nil {
		panic(err) // of a layout that is none
	}
	for i := 0; i < len(d.entries); {
		n := i
		for n < len(d.entries) && d.entries[n].stream == d.entries[i].stream {
			n++
		}
		if sortByTime(times, d.entries[i:n]) {
			if d.mixed++; d.mixed == 1 {
				d.firstMixed = d.entries[i].stream
			}
		}
		i = n
	}
}

// timeKeys returns what the entries of a stream compare by, "" for no time: instants where all times are that, else what the clock on the wall showed;
// mixed tells that some are and some are not.
func timeKeys(times *datasets.TimeReader, stream []entry) (keys []string, mixed bool) {
	keys = make([]string, len(stream))
	instants := make([]string, len(stream))
	zoned, wall := 0, 0
	for i, e := range stream {
		if keys[i] = timeKey(e.time); keys[i] == "" {
			continue
		}
		if instants[i] = instant(times, e.time); instants[i] == "" {
			wall++
		} else {
			zoned++
		}
	}
	if wall == 0 {
		return instants, false
	}
	return keys, zoned > 0
}

// instant returns what a time with a zone compares by, "" for one without.
func instant(times *datasets.TimeReader, s string) string {
	if yearFirst.FindString(s) == strings.TrimSpace(s) { // as most are
		return ""
	}
	t, zoned, err := times.Read(s)
	if err != nil || !zoned {
		return ""
	}
	return t.UTC().Format("20060102150405.000000000")
}

// sortByTime orders the entries of a stream. It tells whether some times have a zone and some have none.
func sortByTime(times *datasets.TimeReader, stream []entry) (mixed bool) {
	keys, mixed := timeKeys(times, stream)
	order := make([]int, len(stream))
	last := ""
	if i := slices.IndexFunc(keys, func(k string) bool { return k != "" }); i >= 0 {
		last = keys[i]
	}
	for i, k := range keys {
		if k != "" {
			last = k
		}
		keys[i], order[i] = last, i
		stream[i].onWall = mixed
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if c := strings.Compare(keys[a], keys[b]); c != 0 {
			return c
		}
		if c := datasets.CompareNatural(stream[a].name, stream[b].name); c != 0 {
			return c
		}
		switch { // frames of one video
		case stream[a].frame < stream[b].frame:
			return -1
		case stream[a].frame > stream[b].frame:
			return 1
		}
		return 0
	})
	sorted := make([]entry, len(stream))
	for i, from := range order {
		sorted[i] = stream[from]
	}
	copy(stream, sorted)
	return mixed
}

// yearFirst matches times as MegaDetector's tools and EXIF write them, after which their digits compare as the times do.
var yearFirst = regexp.MustCompile(`^(\d{4})[-:/](\d\d)[-:/](\d\d)[ T](\d\d):(\d\d):(\d\d)(\.\d+)?`)

// timeKey returns what a time compares by, wall-clock time; "" for one that is not understood.
func timeKey(s string) string {
	m := yearFirst.FindStringSubmatch(s)
	if m == nil || m[1] == "0000" { // EXIF of a clock that was never set
		return ""
	}
	return strings.Join(m[1:], "")
}

// streamer makes streams of file names.
type streamer struct {
	pattern *regexp.Regexp
	group   int
	one     string
}

func newStreamer(o Options) (*streamer, error) {
	if o.StreamPattern == "" {
		return &streamer{one: o.Stream}, nil
	}
	re, err := regexp.Compile(o.StreamPattern)
	if err != nil {
		return nil, fmt.Errorf("predictions: stream pattern: %w", err)
	}
	return &streamer{pattern: re, group: datasets.GroupOf(re, "stream")}, nil
}

// of returns the stream of a file. given is what the document itself says.
func (s *streamer) of(file, given string) (string, error) {
	file = strings.ReplaceAll(file, `\`, "/")
	switch {
	case s.pattern != nil:
		m := s.pattern.FindStringSubmatch(file)
		if m == nil || m[s.group] == "" {
			return "", fmt.Errorf("stream pattern %q does not match %q", s.pattern, rawjson.Clip([]byte(file)))
		}
		return m[s.group], nil
	case given != "":
		return given, nil
	case s.one != "":
		return s.one, nil
	}
	if i := strings.LastIndexByte(file, '/'); i > 0 {
		return file[:i], nil
	}
	return ".", nil
}
