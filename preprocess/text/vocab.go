package text

import (
	"bytes"
	"errors"
	"fmt"
)

// defaultMaxChars is max_input_chars_per_word where no file says it.
const defaultMaxChars = 100

// parseVocab makes the tokenizer of a vocab.txt, with the special tokens of BERT or those that the configuration names.
func parseVocab(b []byte, conf folder, s Settings) (*Tokenizer, error) {
	if conf.Lowercase == nil {
		yes := true
		conf.Lowercase = &yes
	}
	n, err := conf.overrule(Normaliser{Clean: true, Chinese: true}, nil)
	if err != nil {
		return nil, err
	}
	sp := spec{normaliser: n, prefix: "##", maxChars: defaultMaxChars}
	if sp.settings, err = conf.fill(s, 0, false); err != nil {
		return nil, err
	}
	vocab, err := vocabOf(b)
	if err != nil {
		return nil, err
	}
	names, err := conf.names()
	if err != nil {
		return nil, err
	}
	sp.unknown, sp.padToken = names[0], names[2]
	for i, name := range names {
		id, ok := vocab[name]
		if !ok && i < 4 {
			return nil, fmt.Errorf("special token %q is not in the vocabulary of %d pieces", name, len(vocab))
		}
		if ok {
			sp.special = append(sp.special, special{name, int64(id)})
		}
	}
	sp.before, sp.after = []typed{{int64(vocab[names[3]]), 0}}, []typed{{int64(vocab[names[1]]), 0}}
	return newTokenizer(vocab, sp)
}

// names are the special tokens in the order unknown, end, padding, start, mask.
func (c folder) names() (names [5]string, err error) {
	for i, raw := range [5][]byte{c.Unk, c.Sep, c.Pad, c.Cls, c.Mask} {
		name, bad := tokenName(raw, [5]string{"[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"}[i])
		names[i], err = name, errors.Join(err, bad)
	}
	return names, err
}

// vocabOf numbers the lines. Of two lines with one piece the later counts, as in the reference; an empty last line is none.
func vocabOf(b []byte) (map[string]int, error) {
	b = bytes.TrimSuffix(b, []byte("\n"))
	if len(b) == 0 {
		return nil, errors.New("file is empty, want a piece a line")
	}
	vocab := make(map[string]int, bytes.Count(b, []byte("\n"))+1)
	n := 0
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		vocab[string(bytes.TrimSuffix(line, []byte("\r")))] = n
		n++
	}
	return vocab, nil
}
