package text

import (
	"errors"
	"fmt"
	"math"
)

// post reads what stands around a text: nothing, BERT's two tokens, or a template.
func (s *spec) post(m map[string]any) error {
	if m == nil {
		return nil
	}
	switch typ, _ := m["type"].(string); typ {
	case "BertProcessing":
		before, err := pairOf(m, "cls")
		if err != nil {
			return err
		}
		after, err := pairOf(m, "sep")
		s.before, s.after = []typed{before}, []typed{after}
		return err
	case "TemplateProcessing":
		return s.template(m)
	default:
		return fmt.Errorf("type %q is not supported: want BertProcessing or TemplateProcessing", typ)
	}
}

// pairOf reads ["[SEP]", 102].
func pairOf(m map[string]any, name string) (typed, error) {
	if pair, ok := m[name].([]any); ok && len(pair) == 2 {
		if id, ok := whole(pair[1]); ok {
			return typed{id: int64(id)}, nil
		}
	}
	return typed{}, fmt.Errorf("%s: want a token and its id", name)
}

// template reads the list of a single text: special tokens, the text, special tokens.
func (s *spec) template(m map[string]any) error {
	list, _ := m["single"].([]any)
	ids, _ := m["special_tokens"].(map[string]any)
	texts := 0
	for i, element := range list {
		e, _ := element.(map[string]any)
		if text, ok := e["Sequence"].(map[string]any); ok {
			texts++
			s.sequence = kindOf(text)
			continue
		}
		token, _ := e["SpecialToken"].(map[string]any)
		name, _ := token["id"].(string)
		definition, _ := ids[name].(map[string]any)
		numbers, _ := definition["ids"].([]any)
		if len(numbers) == 0 {
			return fmt.Errorf("single[%d]: %q is no special token with ids", i, clip(name))
		}
		for _, v := range numbers {
			id, ok := whole(v)
			if !ok {
				return fmt.Errorf("special token %q: id %v: want a whole number", clip(name), v)
			}
			to := &s.before
			if texts > 0 {
				to = &s.after
			}
			*to = append(*to, typed{int64(id), kindOf(token)})
		}
	}
	if texts != 1 {
		return errors.New("single: want the text once")
	}
	return nil
}

func kindOf(m map[string]any) int64 {
	kind, _ := whole(m["type_id"])
	return int64(kind)
}

// whole reads a number of JSON that must be an id or a count.
func whole(v any) (int, bool) {
	f, ok := v.(float64)
	if !ok || f != math.Trunc(f) || !(f >= 0 && f <= maxID) {
		return 0, false
	}
	return int(f), true
}

// intOf, stringOf and boolOf read a field that may be absent or null and must else be of its type.
func intOf(m map[string]any, name string, to *int) error {
	if v, ok := m[name]; ok && v != nil {
		n, ok := whole(v)
		if !ok {
			return fmt.Errorf("%s: %v: want a whole number, 0 to %d", clip(name), v, maxID)
		}
		*to = n
	}
	return nil
}

func stringOf(m map[string]any, name string, to *string) error {
	return typeOf(m, name, "a string", to)
}

func boolOf(m map[string]any, name string, to *bool) error {
	return typeOf(m, name, "true or false", to)
}

func typeOf[T any](m map[string]any, name, want string, to *T) error {
	if v, ok := m[name]; ok && v != nil {
		t, ok := v.(T)
		if !ok {
			return fmt.Errorf("%s: %s: want %s", name, clip(fmt.Sprint(v)), want)
		}
		*to = t
	}
	return nil
}
