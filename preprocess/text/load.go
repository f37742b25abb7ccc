package text

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxFile is the most bytes that a file of a model's folder may have; the largest vocabularies in use take a tenth of it.
const maxFile = 64 << 20

// folder is what the small files of a model's folder say. Pointers and raw values tell what is absent from what is null.
type folder struct {
	Class       string          `json:"tokenizer_class"`
	Lowercase   *bool           `json:"do_lower_case"`
	Chinese     *bool           `json:"tokenize_chinese_chars"`
	Strip       json.RawMessage `json:"strip_accents"`
	MaxLength   *float64        `json:"model_max_length"` // 1e30 where there is none
	BasicTokens *bool           `json:"do_basic_tokenize"`
	NeverSplit  []string        `json:"never_split"`
	Unk         json.RawMessage `json:"unk_token"`
	Sep         json.RawMessage `json:"sep_token"`
	Pad         json.RawMessage `json:"pad_token"`
	Cls         json.RawMessage `json:"cls_token"`
	Mask        json.RawMessage `json:"mask_token"`
}

// Load reads a folder as Hugging Face has them: tokenizer.json, else vocab.txt; over either, tokenizer_config.json, and special_tokens_map.json where
// that names no special tokens. As there, do_lower_case, strip_accents and tokenize_chinese_chars of the configuration overrule
// the normaliser of tokenizer.json, and a vocabulary alone is taken for an uncased model's.
func Load(dir string, s Settings) (*Tokenizer, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	var conf folder
	for _, name := range []string{"special_tokens_map.json", "tokenizer_config.json"} { // the second overrules the first
		if err := readJSON(filepath.Join(dir, name), &conf); err != nil {
			return nil, err
		}
	}
	if err := conf.check(); err != nil {
		return nil, fmt.Errorf("preprocess/text: %s: %w", filepath.Join(dir, "tokenizer_config.json"), err)
	}
	path := filepath.Join(dir, "tokenizer.json")
	parse := parseJSON
	b, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		path, parse = filepath.Join(dir, "vocab.txt"), parseVocab
		b, err = readFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("preprocess/text: %w", err)
	}
	t, err := parse(b, conf, s)
	if err != nil {
		return nil, fmt.Errorf("preprocess/text: %s: %w", path, err)
	}
	return t, nil
}

// ReadJSON reads a tokenizer.json alone.
func ReadJSON(r io.Reader, s Settings) (*Tokenizer, error) {
	return read("tokenizer.json", r, s, parseJSON, folder{})
}

// ReadVocab reads a vocab.txt alone, a piece a line, whose line numbers from 0 are the ids.
func ReadVocab(r io.Reader, lowercase bool, s Settings) (*Tokenizer, error) {
	return read("vocab.txt", r, s, parseVocab, folder{Lowercase: &lowercase})
}

func read(name string, r io.Reader, s Settings, parse func([]byte, folder, Settings) (*Tokenizer, error), conf folder) (*Tokenizer, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	b, err := readAll(r)
	if err != nil {
		return nil, fmt.Errorf("preprocess/text: %s: %w", name, err)
	}
	t, err := parse(b, conf, s)
	if err != nil {
		return nil, fmt.Errorf("preprocess/text: %s: %w", name, err)
	}
	return t, nil
}

// readFile reads a regular file: a pipe or a device may never end.
func readFile(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := readAll(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

func readAll(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("over %d MiB", maxFile>>20)
	}
	return b, err
}

// readJSON reads one of the small files, which may be absent.
func readJSON(path string, to any) error {
	b, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		if err = json.Unmarshal(b, to); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	if err != nil {
		return fmt.Errorf("preprocess/text: %w", err)
	}
	return nil
}

// wordPieceClasses are the tokenizers of transformers that are this one.
var wordPieceClasses = []string{"Bert", "DistilBert", "Electra", "MobileBert", "ConvBert", "LayoutLM", "Lxmert", "Retribert", "SqueezeBert", "PreTrained"}

// check refuses what would give other tokens in silence.
func (c folder) check() error {
	name := strings.TrimSuffix(strings.TrimSuffix(c.Class, "Fast"), "Tokenizer")
	switch {
	case c.Class != "" && !slices.Contains(wordPieceClasses, name):
		return fmt.Errorf("tokenizer_class %q is none that makes BERT's tokens", c.Class)
	case c.BasicTokens != nil && !*c.BasicTokens:
		return errors.New("do_basic_tokenize is false, which is not supported")
	case len(c.NeverSplit) > 0:
		return fmt.Errorf("never_split %q is not supported", c.NeverSplit)
	}
	return nil
}

// overrule puts the configuration over a normaliser. strip is what strip_accents is without it: nil for as lowercase.
func (c folder) overrule(n Normaliser, strip *bool) (Normaliser, error) {
	if c.Lowercase != nil {
		n.Lowercase = *c.Lowercase
	}
	if c.Chinese != nil {
		n.Chinese = *c.Chinese
	}
	if c.Strip != nil {
		strip = nil
		if err := json.Unmarshal(c.Strip, &strip); err != nil {
			return n, fmt.Errorf("strip_accents %s: want true, false or null", c.Strip)
		}
	}
	n.Strip = n.Lowercase
	if strip != nil {
		n.Strip = *strip
	}
	return n, nil
}

// fill completes settings by what the files say, tokenizer.json first.
func (c folder) fill(s Settings, maxLength int, fixed bool) (Settings, error) {
	if s.MaxLength == 0 {
		s.MaxLength = maxLength
	}
	if s.MaxLength == 0 && c.MaxLength != nil && *c.MaxLength >= 1 && *c.MaxLength <= maxMaxLength {
		s.MaxLength = int(*c.MaxLength)
	}
	if s.MaxLength == 0 {
		s.MaxLength = defaultMaxLength
	}
	if s.Padding == PadAsFile {
		s.Padding = PadLongest
		if fixed {
			s.Padding = PadFixed
		}
	}
	return s, s.Validate()
}

// tokenName reads the name of a special token: a string, or an object with the string in "content".
func tokenName(raw json.RawMessage, fallback string) (string, error) {
	if raw == nil || string(raw) == "null" {
		return fallback, nil
	}
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return name, nil
	}
	var object struct {
		Content string `json:"content"`
	}
	if err := json.Unmarshal(raw, &object); err != nil || object.Content == "" {
		return "", fmt.Errorf("special token %s: want a name", clip(string(raw)))
	}
	return object.Content, nil
}

// clip shortens a text for a message.
func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "..."
	}
	return s
}
