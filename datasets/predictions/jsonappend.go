package predictions

import "github.com/oatta/oatta/datasets/internal/rawjson"

// added is a field that is written.
type added int

const (
	addedLabel added = iota
	addedAdaptedLabel
	addedGate
	addedMode
	addedAdapted
	addedAdaptedProb // replaced where it is, not added
	addedKinds
)

// placed is an added field that stands in the line already.
type placed struct {
	kind  added
	value rawjson.Value
}

// kindOf tells whether a field is one of those that are written.
func (j *JSONLines) kindOf(name []byte) (added, bool) {
	switch string(name) {
	case j.labelField:
		return addedLabel, true
	case "adapted_label":
		return addedAdaptedLabel, true
	case "gate":
		return addedGate, true
	case "adapted_mode":
		return addedMode, true
	case "adapted":
		return addedAdapted, true
	case "adapted_prob":
		return addedAdaptedProb, true
	}
	return 0, false
}

// Append implements [Lines].
func (j *JSONLines) Append(dst []byte, a Adapted) []byte {
	text, n := j.record, len(dst)
	var done [addedKinds]bool
	done[addedAdaptedProb] = true
	from := 0
	for _, p := range j.own {
		dst = append(dst, text[from:j.skip+p.value.At]...)
		dst = appendAdded(dst, p.kind, a)
		from = j.skip + p.value.End()
		done[p.kind] = true
	}
	end := j.skip + j.last
	dst = append(dst, text[from:end]...)
	for kind := range addedKinds {
		if !done[kind] {
			dst = append(dst, ',', '"')
			dst = append(dst, j.fieldName(kind)...)
			dst = append(dst, '"', ':')
			dst = appendAdded(dst, kind, a)
		}
	}
	return j.in.encoded(append(dst, text[end:]...), n)
}

func (j *JSONLines) fieldName(kind added) string {
	switch kind {
	case addedLabel:
		return j.labelField
	case addedAdaptedLabel:
		return "adapted_label"
	case addedGate:
		return "gate"
	case addedMode:
		return "adapted_mode"
	}
	return "adapted"
}

func appendAdded(dst []byte, kind added, a Adapted) []byte {
	switch kind {
	case addedLabel:
		return rawjson.AppendString(dst, a.Label)
	case addedAdaptedLabel:
		return rawjson.AppendString(dst, a.AdaptedLabel)
	case addedGate:
		return rawjson.AppendNumber(dst, a.Gate)
	case addedMode:
		return rawjson.AppendString(dst, a.Mode)
	case addedAdaptedProb:
		return rawjson.AppendNumber(dst, highest(a.Probs))
	}
	dst = append(dst, '[')
	for i, v := range a.Probs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendNumber(dst, v)
	}
	return append(dst, ']')
}

func highest(p []float64) float64 {
	m := 0.0
	for _, v := range p {
		m = max(m, v)
	}
	return m
}
