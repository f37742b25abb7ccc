package predictions

import (
	"errors"
	"fmt"
	"math"

	"github.com/oatta/oatta/datasets/internal/rawjson"
)

// sumTolerance is how far over 1 the sum of a list of top classes may be, from rounding.
const sumTolerance = 1e-2

// score is one entry of a list of top classes.
type score struct {
	class int
	p     float64
}

// spread writes the vector of a list of top classes into dst [K], with the rest of the mass spread as the package says: equally over the
// classes that are not listed, of which there are so many, those that dst has no place for among them. place finds a class in dst; nil:
// where its number says.
func spread(dst []float64, top []score, place map[int]int, unlisted int) error {
	for i := range dst {
		dst[i] = -1 // not listed
	}
	sum := 0.0
	for _, s := range top {
		if !(s.p >= 0 && s.p <= 1+sumTolerance) {
			return fmt.Errorf("class %d has the score %g: want 0 to 1", s.class, s.p)
		}
		at := s.class
		if place != nil {
			at = place[s.class]
		}
		if dst[at] >= 0 {
			return fmt.Errorf("class %d is listed twice", s.class)
		}
		dst[at] = s.p
		sum += s.p
	}
	if sum > 1+sumTolerance {
		return fmt.Errorf("scores sum to %g: want at most 1", sum)
	}
	scale := 1.0
	if sum > 1 || unlisted == 0 {
		scale = 1 / sum
	}
	if !(scale < math.MaxFloat64) { // all classes listed, with a score of 0 each
		return errors.New("all scores are 0")
	}
	for i, p := range dst {
		if p < 0 {
			dst[i] = max(0, 1-sum) / float64(unlisted)
		} else {
			dst[i] = p * scale
		}
	}
	return nil
}

// readScores appends the entries of [["deer", 0.8], ...]. classOf finds the class of a JSON value. An error begins with what an entry is called.
func readScores(s *rawjson.Scanner, dst []score, list rawjson.Value, what string, classOf func(class []byte) (int, error)) ([]score, error) {
	s.Reset(list.Text)
	err := s.Array(func(i int) error {
		entry, err := readScore(s, classOf)
		if err != nil {
			return fmt.Errorf("%s %d: %w", what, i, err)
		}
		dst = append(dst, entry)
		return nil
	})
	return dst, err
}

func readScore(s *rawjson.Scanner, classOf func(class []byte) (int, error)) (out score, _ error) {
	var pair [2]rawjson.Value
	n := 0
	err := s.Array(func(i int) error {
		value, err := s.Value()
		if i < len(pair) {
			pair[i] = value
		}
		n++
		return err
	})
	if err == nil && n != 2 {
		err = fmt.Errorf("%d values: want a class and its score", n)
	}
	if err == nil {
		out.p, err = rawjson.Number(pair[1].Text)
	}
	if err == nil {
		out.class, err = classOf(pair[0].Text)
	}
	return out, err
}

// classOf finds a class by its name, a JSON string, or its index, a number.
func classOf(raw []byte, classes map[string]int) (int, error) {
	if raw[0] == '"' {
		name, err := rawjson.Unquoted(raw)
		if err != nil {
			return 0, err
		}
		if i, ok := classes[string(name)]; ok {
			return i, nil
		}
		return 0, fmt.Errorf("class %q is none of the %d", rawjson.Clip(name), len(classes))
	}
	v, err := rawjson.Number(raw)
	if err != nil {
		return 0, err
	}
	if i := int(v); v >= 0 && v < float64(len(classes)) && float64(i) == v {
		return i, nil
	}
	return 0, fmt.Errorf("class %s: want 0 to %d, or a name", rawjson.Clip(raw), len(classes)-1)
}

// classIndex finds classes by name.
func classIndex(classes []string) map[string]int {
	m := make(map[string]int, len(classes))
	for i, c := range classes {
		m[c] = i
	}
	return m
}
