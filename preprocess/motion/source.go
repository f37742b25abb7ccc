package motion

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Source is a recording, such as one of package datasets/motion.
type Source interface {
	Names() []string  // of the channels
	Units() []string  // of the channels
	Rate() float64    // Hz, nominal
	Labels() []string // that labels are indices into; they may grow while the source is read

	// Read reads up to len(times) samples: seconds since the start, increasing; values [n, channels], NaN for what is missing; labels,
	// negative for none. It returns how many, and io.EOF after the last. What it is given is not kept.
	Read(times []float64, values []float32, labels []int32) (int, error)
}

// Units of acceleration.
const (
	G                = "g"
	MetresPerSecond2 = "m/s2"
)

// gravity is the standard one, in m/s2.
const gravity = 9.80665

// perG holds the units of acceleration: how many of each one g is.
var perG = map[string]float64{G: 1, "mg": 1000, MetresPerSecond2: gravity, "cm/s2": 100 * gravity}

// Convert returns what a value in one unit of acceleration is to be multiplied with to be in another; false if one of them is none. Units
// are g, mg, m/s2 and cm/s2.
func Convert(from, to string) (float64, bool) {
	a, b := perG[strings.ToLower(strings.TrimSpace(from))], perG[strings.ToLower(strings.TrimSpace(to))]
	return b / a, a != 0 && b != 0
}

// Find chooses a channel by name. Alternatives stand with | between them, the first that is there counts: "thigh_x|x". A name fits if it
// is the same, or the same but for case, blanks, dashes and underscores, or the same axis of an accelerometer: x, acc_x, Accelerometer X.
func Find(names []string, name string) (int, error) {
	for want := range strings.SplitSeq(name, "|") {
		for _, same := range []func(a, b string) bool{
			func(a, b string) bool { return a == b },
			func(a, b string) bool { return fold(a) == fold(b) },
			func(a, b string) bool { return axis(a) != "" && axis(a) == axis(b) },
		} {
			found := -1
			for i, n := range names {
				if !same(n, strings.TrimSpace(want)) {
					continue
				}
				if found >= 0 {
					return 0, fmt.Errorf("channel %q: several of the recording's fit: %q", want, names)
				}
				found = i
			}
			if found >= 0 {
				return found, nil
			}
		}
	}
	return 0, fmt.Errorf("channel %q: not among the recording's: %q", name, names)
}

// axis returns x, y or z for the name of an axis of an accelerometer, "" for other names.
func axis(name string) string {
	name = fold(name)
	for _, sensor := range []string{"accelerometer", "acceleration", "accel", "acc"} {
		if rest, ok := strings.CutPrefix(name, sensor); ok {
			name = rest
			break
		}
	}
	if name == "x" || name == "y" || name == "z" {
		return name
	}
	return ""
}

func fold(s string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(s))
}

// sampler reads a source and gives its chosen channels in the unit of the settings, without samples that are not whole.
type sampler struct {
	src      Source
	channels int // of the source
	pick     []int
	scale    []float32
	warnings []string

	times   []float64
	values  []float32
	labels  []int32
	missing int // samples that were not whole
	row     []float32
}

const readSamples = 1024

func newSampler(src Source, set Settings) (*sampler, error) {
	if rate := src.Rate(); !(rate > 0 && rate <= maxRate) {
		return nil, fmt.Errorf("the recording's rate of %v Hz: want over 0 and at most %d", rate, maxRate)
	}
	names, units := src.Names(), src.Units()
	if len(names) != len(units) {
		return nil, errors.New("the source has not a unit for every channel")
	}
	s := &sampler{src: src, channels: len(names), row: make([]float32, len(set.Channels))}
	for _, name := range set.Channels {
		i, err := Find(names, name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(s.pick, i) {
			return nil, fmt.Errorf("channel %q: the recording's %q is taken already", name, names[i])
		}
		s.pick = append(s.pick, i)
		s.scale = append(s.scale, s.scaleOf(names[i], units[i], set.Unit))
	}
	s.times = make([]float64, readSamples)
	s.values = make([]float32, readSamples*s.channels)
	s.labels = make([]int32, readSamples)
	return s, nil
}

func (s *sampler) scaleOf(name, unit, want string) float32 {
	if want == "" {
		want = G
	}
	if factor, ok := Convert(unit, want); ok {
		return float32(factor)
	}
	s.warnings = append(s.warnings, fmt.Sprintf("channel %q: unit %q is none of acceleration: values are as they are", name, unit))
	return 1
}

// read passes the next samples on.
func (s *sampler) read(use func(t float64, row []float32, label int32) error) error {
	n, err := s.src.Read(s.times, s.values, s.labels)
	for i := range n {
		if !s.take(s.values[i*s.channels:]) {
			s.missing++
			continue
		}
		if err := use(s.times[i], s.row, s.labels[i]); err != nil {
			return err
		}
	}
	return err
}

// take fills row, and tells whether it is whole.
func (s *sampler) take(values []float32) bool {
	for k, c := range s.pick {
		v := values[c] * s.scale[k]
		if v-v != 0 || math.Abs(float64(v)) > 1e30 { // whose squares float32 could not hold
			return false
		}
		s.row[k] = v
	}
	return true
}
