package text

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/sugarme/tokenizer"
)

// parseJSON makes the tokenizer of a tokenizer.json. Anything in it that would change tokens and is not BERT's is an error that names it.
func parseJSON(b []byte, conf folder, s Settings) (*Tokenizer, error) {
	var c tokenizer.Config
	if err := json.Unmarshal(b, &c); err != nil {
		return nil, err
	}
	sp := spec{padToken: "[PAD]"}
	model, vocab, err := modelOf(c.Model)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	sp.unknown, sp.prefix, sp.maxChars = model.unknown, model.prefix, model.maxChars
	norm, strip, err := normaliserOf(c.Normalizer)
	if err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	if sp.normaliser, err = conf.overrule(norm, strip); err != nil {
		return nil, err
	}
	if typ, _ := c.PreTokenizer["type"].(string); typ != "BertPreTokenizer" {
		return nil, fmt.Errorf("pre_tokenizer: type %q is not supported: want BertPreTokenizer", typ)
	}
	if err := sp.post(c.PostProcessor); err != nil {
		return nil, fmt.Errorf("post_processor: %w", err)
	}
	if err := sp.added(c.AddedTokens); err != nil {
		return nil, fmt.Errorf("added_tokens: %w", err)
	}
	if err := sp.lengths(&c, conf, s); err != nil {
		return nil, err
	}
	return newTokenizer(vocab, sp)
}

// wordPiece are the parameters of the model. They are read here because wordpiece.New of the library looks for the prefix under another name, and
// its loader panics on a field of another type.
type wordPiece struct {
	unknown, prefix string
	maxChars        int
}

func modelOf(m map[string]any) (w wordPiece, vocab map[string]int, err error) {
	if typ, ok := m["type"]; ok && typ != "WordPiece" {
		return w, nil, fmt.Errorf("type %q is not supported: want WordPiece", typ)
	}
	w = wordPiece{unknown: "[UNK]", prefix: "##", maxChars: defaultMaxChars}
	if err := errors.Join(stringOf(m, "unk_token", &w.unknown), stringOf(m, "continuing_subword_prefix", &w.prefix), intOf(m, "max_input_chars_per_word", &w.maxChars)); err != nil {
		return w, nil, err
	}
	pieces, ok := m["vocab"].(map[string]any)
	if !ok {
		return w, nil, errors.New("no vocab, an object of pieces and ids")
	}
	vocab = make(map[string]int, len(pieces))
	for piece := range pieces {
		var id int
		if err := intOf(pieces, piece, &id); err != nil {
			return w, nil, fmt.Errorf("vocab: %w", err)
		}
		vocab[piece] = id
	}
	return w, vocab, nil
}

// normaliserOf reads a BertNormalizer, or a sequence of that alone.
func normaliserOf(m map[string]any) (n Normaliser, strip *bool, err error) {
	if m == nil {
		return n, new(bool), nil
	}
	switch typ, _ := m["type"].(string); typ {
	case "BertNormalizer":
		n = Uncased
		if v, ok := m["strip_accents"].(bool); ok {
			strip = &v
		}
		return n, strip, errors.Join(boolOf(m, "clean_text", &n.Clean), boolOf(m, "handle_chinese_chars", &n.Chinese), boolOf(m, "lowercase", &n.Lowercase))
	case "Sequence":
		list, _ := m["normalizers"].([]any)
		if len(list) == 1 {
			if inner, ok := list[0].(map[string]any); ok && inner["type"] != "Sequence" {
				return normaliserOf(inner)
			}
		}
		return n, nil, fmt.Errorf("a sequence of %s is not supported: want BertNormalizer", typesOf(list))
	default:
		return n, nil, fmt.Errorf("type %q is not supported: want BertNormalizer", typ)
	}
}

func typesOf(list []any) string {
	var names []string
	for _, v := range list {
		m, _ := v.(map[string]any)
		names = append(names, fmt.Sprint(m["type"]))
	}
	return clip(strings.Join(names, ", "))
}

// added takes the special tokens.
func (s *spec) added(tokens []tokenizer.TokenConfig) error {
	for _, t := range tokens {
		if t.SingleWord || t.Lstrip || t.Rstrip || t.Normalized {
			return fmt.Errorf("token %q: single_word, lstrip, rstrip and normalized are not supported", clip(t.Content))
		}
		s.special = append(s.special, special{t.Content, t.Id})
	}
	return nil
}

// lengths reads truncation and padding.
func (s *spec) lengths(c *tokenizer.Config, conf folder, given Settings) (err error) {
	maxLength, fixed := 0, false
	if c.Truncation != nil {
		if err := intOf(c.Truncation, "max_length", &maxLength); err != nil {
			return fmt.Errorf("truncation: %w", err)
		}
		given.Left = given.Left || c.Truncation["direction"] == "Left"
	}
	if c.Padding != nil {
		if c.Padding["direction"] == "Left" {
			return errors.New("padding: direction Left is not supported")
		}
		if err := stringOf(c.Padding, "pad_token", &s.padToken); err != nil {
			return fmt.Errorf("padding: %w", err)
		}
		if strategy, ok := c.Padding["strategy"].(map[string]any); ok {
			n := 0
			if err := intOf(strategy, "Fixed", &n); err != nil {
				return fmt.Errorf("padding: %w", err)
			}
			fixed = n > 0 && (n == maxLength || maxLength == 0)
			maxLength = max(n, maxLength)
		}
	}
	s.settings, err = conf.fill(given, maxLength, fixed)
	return err
}
