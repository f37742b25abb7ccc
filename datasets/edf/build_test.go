package edf

import (
	"bytes"
	"fmt"
	"strings"
)

// sample is a signal of a file under construction: its header fields, and its bytes for each record.
type sample struct {
	label, unit, pmin, pmax, dmin, dmax string
	samples                             int
	data                                func(record int) []byte
}

// build lays out a file. Fields are as they come, so that tests can make bad ones.
func build(version, reserved, records, seconds string, n int, signals []sample) []byte {
	var b bytes.Buffer
	put := func(s string, width int) { fmt.Fprintf(&b, "%-*s", width, s) }
	b.WriteString(version)
	put("X X X X", 80)
	put("Startdate 05-MAR-2021 X X X", 80)
	b.WriteString("05.03.2122.30.00")
	put(fmt.Sprint(256*(1+len(signals))), 8)
	put(reserved, 44)
	put(records, 8)
	put(seconds, 8)
	put(fmt.Sprint(len(signals)), 4)
	column := func(width int, get func(s sample) string) {
		for _, s := range signals {
			put(get(s), width)
		}
	}
	none := func(sample) string { return "" }
	column(16, func(s sample) string { return s.label })
	column(80, none)
	column(8, func(s sample) string { return s.unit })
	column(8, func(s sample) string { return s.pmin })
	column(8, func(s sample) string { return s.pmax })
	column(8, func(s sample) string { return s.dmin })
	column(8, func(s sample) string { return s.dmax })
	column(80, none)
	column(8, func(s sample) string { return fmt.Sprint(s.samples) })
	column(32, none)
	for r := range n {
		for _, s := range signals {
			b.Write(s.data(r))
		}
	}
	return b.Bytes()
}

// ramp is a signal of four samples a record that counts up: the value is the number of the sample, in units of half a digit.
func ramp() sample {
	return sample{"EEG", "uV", "-500", "500", "-1000", "1000", 4, func(r int) []byte {
		var b []byte
		for i := range 4 {
			v := 4*r + i
			b = append(b, byte(v), byte(v>>8))
		}
		return b
	}}
}

// notes is a signal of annotations of 40 bytes a record.
func notes(texts ...string) sample {
	return sample{"EDF Annotations", "", "-1", "1", "-32768", "32767", 20, func(r int) []byte {
		return []byte(texts[r] + strings.Repeat("\x00", 40-len(texts[r])))
	}}
}

const version0 = "0       "

// gappy has four records of one second: two, a gap of 3.5 seconds, two.
func gappy() []byte {
	return build(version0, "EDF+D", "4", "1", 4, []sample{ramp(), notes(
		"+0.25\x14\x14\x00+3\x150.5\x14late\x14\x00", "+1.25\x14\x14\x00+0.5\x14early\x14\x00", "+5.75\x14\x14\x00", "+6.75\x14\x14\x00")})
}
