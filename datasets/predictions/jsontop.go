package predictions

import (
	"fmt"
)

// topVector spreads a list of top classes.
func (j *JSONLines) topVector(text []byte) error {
	if j.classes == nil {
		return ErrNeedsClasses
	}
	j.scan.reset(j.field.top.of(text))
	j.top = j.top[:0]
	err := j.scan.array(func(i int) error {
		s, err := j.scan.pair(j.classes)
		if err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
		j.top = append(j.top, s)
		return nil
	})
	if err != nil {
		return err
	}
	j.probs = grown(j.probs, len(j.classes))
	return spread(j.probs, j.top)
}

// grown returns a slice of n entries, the old one if it holds them.
func grown(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// pair reads ["deer", 0.8] or [3, 0.8].
func (s *scanner) pair(classes map[string]int) (score, error) {
	var out score
	n := 0
	err := s.array(func(i int) error {
		at, err := s.value()
		if err != nil {
			return err
		}
		n++
		switch i {
		case 0:
			out.class, err = classOf(at.of(s.text), classes)
		case 1:
			out.p, err = jsonNumber(at.of(s.text))
		}
		return err
	})
	if err == nil && n != 2 {
		err = fmt.Errorf("%d values: want a class and its score", n)
	}
	return out, err
}

// classOf finds a class by its name, a JSON string, or its index, a number.
func classOf(raw []byte, classes map[string]int) (int, error) {
	if raw[0] == '"' {
		name, err := unquoted(raw)
		if err != nil {
			return 0, err
		}
		if i, ok := classes[string(name)]; ok {
			return i, nil
		}
		return 0, fmt.Errorf("class %q is none of the %d", clip(name), len(classes))
	}
	v, err := jsonNumber(raw)
	if err != nil {
		return 0, err
	}
	if i := int(v); v >= 0 && v < float64(len(classes)) && float64(i) == v {
		return i, nil
	}
	return 0, fmt.Errorf("class %s: want 0 to %d, or a name", clip(raw), len(classes)-1)
}
