package state

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/oatta/oatta/adapt"
)

// Fits reports in what a filter differs from one of these classes and settings, which must be resolved.
func Fits(f *adapt.Filter, classes int, want adapt.Settings) error { return matches(f, classes, want) }

// matches reports every setting in which a stored filter differs from what is wanted, by the names that the settings have in JSON.
func matches(f *adapt.Filter, classes int, want adapt.Settings) error {
	if f.Classes() != classes {
		return fmt.Errorf("made for %d classes: want %d", f.Classes(), classes)
	}
	if reflect.DeepEqual(f.Settings(), want) { // as nearly always
		return nil
	}
	had, err := flat(f.Settings())
	if err != nil {
		return err
	}
	now, err := flat(want)
	if err != nil {
		return err
	}
	if a, b := had["auto.edition"], now["auto.edition"]; a != b && a != nil && b != nil { // all constants differ with it
		return fmt.Errorf(`made under edition %v of the gate auto, now %v: --settings with {"auto": {"edition": %v}} continues it`, a, b, a)
	}
	if differ := differences(had, now); len(differ) > 0 {
		return fmt.Errorf("made under other settings: %s", strings.Join(differ, "; "))
	}
	return nil
}

func differences(had, now map[string]any) (out []string) {
	names := map[string]bool{}
	for name := range had {
		names[name] = true
	}
	for name := range now {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if a, b := had[name], now[name]; !same(name, a, b) {
			out = append(out, fmt.Sprintf("%s was %s, now %s", name, shown(a), shown(b)))
		}
	}
	return out
}

// same compares to the bit, but for priors: they are normalised wherever they pass, and may differ by the rounding.
func same(name string, a, b any) bool {
	x, ok := a.(float64)
	y, both := b.(float64)
	if ok && both && strings.HasPrefix(name, "prior[") {
		return math.Abs(x-y) <= 1e-12*max(x, y)
	}
	return a == b
}

func shown(v any) string {
	if v == nil {
		return "not set"
	}
	return fmt.Sprint(v)
}

// flat lists settings as name -> number, text or truth, such as paper.gamma or auto.grid[2]. A population's matrix, which can be large
// and tells of people, is one digest.
func flat(s adapt.Settings) (map[string]any, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	out := map[string]any{}
	if s.Population != nil {
		text, err := json.Marshal(s.Population)
		if err != nil {
			return nil, err
		}
		delete(tree, "population")
		out["population"] = fmt.Sprintf("%x", sha256.Sum256(text))[:16]
	}
	for name, v := range tree {
		flatten(out, name, v)
	}
	return out, nil
}

func flatten(out map[string]any, name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			flatten(out, name+"."+k, inner)
		}
	case []any:
		for i, inner := range v {
			flatten(out, fmt.Sprintf("%s[%d]", name, i), inner)
		}
	default:
		out[name] = v
	}
}
