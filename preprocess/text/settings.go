package text

import (
	"fmt"
	"slices"
)

// Settings says how texts become a network's input. The zero value takes all that the model's files tell, and pads to the longest text of a batch.
type Settings struct {
	// MaxLength is the most tokens of a text, special ones included, at least one more than these. 0: the truncation of tokenizer.json, else
	// model_max_length of tokenizer_config.json, else 512, the positions that BERT has.
	MaxLength int
	// Left cuts off the beginning of a text that is too long; default: its end, as of all published models.
	Left bool
	// Padding is how far the texts of a batch are padded, on the right.
	Padding Padding
	// Multiple rounds the length of a batch up to a multiple, not beyond MaxLength; 0 and 1: it does not.
	Multiple int
	// Tweets are names of [Transforms] that a text goes through first, in order.
	Tweets []string
}

// Padding is a length of batches.
type Padding uint8

// Lengths of batches.
const (
	PadAsFile  Padding = iota // as tokenizer.json says; PadLongest without
	PadLongest                // to the longest text of the batch
	PadFixed                  // to MaxLength
)

// defaultMaxLength is the number of positions of BERT and its kin.
const defaultMaxLength = 512

// maxMaxLength bounds the length of an input, and with it the memory of a batch.
const maxMaxLength = 1 << 16

// Validate returns the first thing that is wrong with the settings.
func (s Settings) Validate() error {
	switch {
	case s.MaxLength < 0 || s.MaxLength > maxMaxLength:
		return fmt.Errorf("preprocess/text: greatest length %d: want 0 to %d tokens", s.MaxLength, maxMaxLength)
	case s.Padding > PadFixed:
		return fmt.Errorf("preprocess/text: padding %d: want 0 to %d", s.Padding, PadFixed)
	case s.Multiple < 0 || s.Multiple > maxMaxLength:
		return fmt.Errorf("preprocess/text: multiple %d: want 0 to %d tokens", s.Multiple, maxMaxLength)
	}
	for _, name := range s.Tweets {
		if _, ok := transforms[name]; !ok {
			return fmt.Errorf("preprocess/text: transform %q is none of %v", name, slices.Sorted(slices.Values(Transforms())))
		}
	}
	return nil
}
