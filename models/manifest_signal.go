package models

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/oatta/oatta/preprocess/eeg"
	"github.com/oatta/oatta/preprocess/eeg/yasa"
)

// The tasks beside ImageClassification, and the words of their sections.
const (
	SignalClassification = "signal-classification" // Task: windows of a recording
	TextClassification   = "text-classification"   // Task: posts and sentences

	Motion = "motion" // Signal.Modality: accelerometers, windows of any length that may overlap
	Sleep  = "sleep"  // Signal.Modality: EEG, epochs of 30 seconds

	PerRecording = "recording" // Signal.Standardise: by mean and deviation of the recording itself
	ByNumbers    = "numbers"   // Signal.Standardise: by Mean and Std

	YASA = eeg.YASA // Signal.Features: those of package preprocess/eeg/yasa
	EEG  = eeg.EEG  // Signal.Roles, as the next two
	EOG  = eeg.EOG
	EMG  = eeg.EMG
)

const (
	maxChannels = 1024
	maxWindow   = 1 << 20 // samples
	maxRate     = 1e6     // Hz
	maxTokens   = 1 << 16
)

// Signal says how a recording becomes the network's input, float32 [N, channels, samples] or, with Features, [N, features].
//
// Channels are found by name, brought to Unit, filtered to the band of Low to High, resampled to Rate, standardised and cut into
// windows of Samples, each beginning Hop samples after the last.
type Signal struct {
	Name     string   `json:"name"`           // of the graph's input
	Modality string   `json:"modality"`       // motion or sleep
	Channels []string `json:"channels"`       // in the network's order; "EEG Fpz-Cz|C4-M1" names alternatives
	Rate     float64  `json:"rate"`           // Hz
	Samples  int      `json:"samples"`        // of a window
	Hop      int      `json:"hop,omitempty"`  // samples from one window to the next, 1 to Samples; default: Samples, no overlap
	Unit     string   `json:"unit,omitempty"` // motion: g (default) or m/s2; sleep: uV

	Low    float64 `json:"low,omitempty"`    // Hz, edge of the high-pass; 0: none
	High   float64 `json:"high,omitempty"`   // Hz, edge of the low-pass; 0: none
	Order  int     `json:"order,omitempty"`  // of either edge, 1 to 12; default 4
	Causal bool    `json:"causal,omitempty"` // the filter looks only back, with its delay

	Standardise string    `json:"standardise,omitempty"` // recording or numbers; "": not
	Mean        []float64 `json:"mean,omitempty"`        // of each channel in Unit, for numbers
	Std         []float64 `json:"std,omitempty"`         // of each channel in Unit, over 0, for numbers

	// Features, yasa-0.8.1 or nothing, says that the input is a row of features of each window in the place of samples: those of package preprocess/eeg/yasa, of sleep alone, with a band of their own. They are normalised by the whole recording and
	// are means of epochs before and behind, so they are never causal. Roles are what the channels record: eeg, then eog, emg or both.
	Features string   `json:"features,omitempty"`
	Roles    []string `json:"roles,omitempty"`
}

// Shape is that of one input, without the batch.
func (s Signal) Shape() []int64 {
	if s.Features != "" {
		return []int64{int64(len(yasa.Names(slices.Contains(s.Roles, eeg.EOG), slices.Contains(s.Roles, eeg.EMG))))}
	}
	return []int64{int64(len(s.Channels)), int64(s.Samples)}
}

// Text says how a text becomes the network's inputs, int64 [N, length] each.
type Text struct {
	IDs        string   `json:"ids"`                  // name of the graph's input of token ids
	Mask       string   `json:"mask,omitempty"`       // of the attention mask; "": the network has none
	Types      string   `json:"types,omitempty"`      // of the token types; "": the network has none
	Tokenizer  string   `json:"tokenizer,omitempty"`  // folder of tokenizer.json or vocab.txt, relative to the manifest; default: its own
	MaxTokens  int      `json:"max_tokens,omitempty"` // special ones included; default: what the tokenizer's files say
	Transforms []string `json:"transforms,omitempty"` // that a text goes through first, as "cardiffnlp" (package preprocess/text names them)
}

// withDefaults fills what is left out.
func (s Signal) withDefaults() Signal {
	if s.Hop == 0 {
		s.Hop = s.Samples
	}
	if s.Unit == "" {
		s.Unit = map[string]string{Motion: "g", Sleep: "uV"}[s.Modality]
	}
	if s.Order == 0 && s.Features == "" {
		s.Order = 4
	}
	return s
}

func (s Signal) check() error {
	switch {
	case s.Name == "":
		return fmt.Errorf("signal.name: missing")
	case s.Modality != Motion && s.Modality != Sleep:
		return fmt.Errorf("signal.modality: %q, want %s or %s", clip(s.Modality), Motion, Sleep)
	case len(s.Channels) < 1 || len(s.Channels) > maxChannels:
		return fmt.Errorf("signal.channels: %d names, want 1 to %d", len(s.Channels), maxChannels)
	case !(s.Rate > 0 && s.Rate <= maxRate):
		return fmt.Errorf("signal.rate: %v Hz, want over 0 and at most %v", s.Rate, float64(maxRate))
	case s.Samples < 1 || s.Samples > maxWindow:
		return fmt.Errorf("signal.samples: %d, want 1 to %d", s.Samples, maxWindow)
	case s.Hop < 0 || s.Hop > s.Samples:
		return fmt.Errorf("signal.hop: %d samples, want 1 to the %d of a window", s.Hop, s.Samples)
	}
	for i, name := range s.Channels {
		if strings.TrimSpace(name) == "" || len(name) > maxLabelSize || strings.ContainsFunc(name, unicode.IsControl) {
			return fmt.Errorf("signal.channels[%d]: %q is no name", i, clip(name))
		}
		if slices.Contains(s.Channels[:i], name) {
			return fmt.Errorf("signal.channels[%d]: %q occurs twice", i, clip(name))
		}
	}
	for _, check := range []func() error{s.checkUnit, s.checkBand, s.checkScale, s.checkFeatures} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkUnit also holds sleep to its epochs: the stages of the AASM are scored in those alone.
func (s Signal) checkUnit() error {
	if s.Modality == Motion {
		return oneOf("signal.unit", s.Unit, "g", "m/s2")
	}
	if seconds := float64(s.Samples) / s.Rate; seconds != 30 {
		return fmt.Errorf("signal.samples: %d at %v Hz are %v seconds, want the 30 of an epoch", s.Samples, s.Rate, seconds)
	}
	if s.Hop != 0 && s.Hop != s.Samples {
		return fmt.Errorf("signal.hop: %d, want none: epochs do not overlap", s.Hop)
	}
	return oneOf("signal.unit", s.Unit, "uV")
}

func (s Signal) checkBand() error {
	switch {
	case !(s.Low >= 0 && s.High >= 0) || s.Low >= s.Rate/2 || s.High > s.Rate/2:
		return fmt.Errorf("signal.low, signal.high: %v and %v Hz, want 0 or more and not beyond half the rate", s.Low, s.High)
	case s.High > 0 && s.Low >= s.High:
		return fmt.Errorf("signal.low: %v Hz, want below signal.high, %v", s.Low, s.High)
	case s.Order < 0 || s.Order > 12:
		return fmt.Errorf("signal.order: %d, want 1 to 12", s.Order)
	}
	return nil
}

func (s Signal) checkScale() error {
	if s.Standardise != "" && s.Standardise != PerRecording && s.Standardise != ByNumbers {
		return fmt.Errorf("signal.standardise: %q, want %s, %s or nothing", clip(s.Standardise), PerRecording, ByNumbers)
	}
	want := 0
	if s.Standardise == ByNumbers {
		want = len(s.Channels)
	}
	if len(s.Mean) != want || len(s.Std) != want {
		return fmt.Errorf("signal.mean, signal.std: %d and %d values, want %d with standardise %q", len(s.Mean), len(s.Std), want, s.Standardise)
	}
	for i := range s.Mean {
		if !(math.Abs(s.Mean[i]) <= 1e12) || !(s.Std[i] >= 1e-12 && s.Std[i] <= 1e12) {
			return fmt.Errorf("signal.mean[%d], signal.std[%d]: %v and %v, want finite, the second over 0", i, i, s.Mean[i], s.Std[i])
		}
	}
	return nil
}

func (s Signal) checkFeatures() error {
	if s.Features == "" {
		if s.Roles != nil {
			return fmt.Errorf("signal.roles: %q, want none without signal.features", s.Roles)
		}
		return nil
	}
	switch {
	case s.Features != eeg.YASA:
		return fmt.Errorf("signal.features: %q, want %s or nothing", clip(s.Features), eeg.YASA)
	case s.Modality != Sleep:
		return fmt.Errorf("signal.features: %s is of %s", eeg.YASA, Sleep)
	case s.Low != 0 || s.High != 0 || s.Order != 0 || s.Standardise != "":
		return fmt.Errorf("signal.features: %s has a band of its own and is not standardised, want no signal.low, high, order and standardise", eeg.YASA)
	case s.Causal:
		return fmt.Errorf("signal.causal: %s takes what follows an epoch", eeg.YASA)
	case len(s.Roles) != len(s.Channels):
		return fmt.Errorf("signal.roles: %d for %d channels", len(s.Roles), len(s.Channels))
	}
	if err := eeg.CheckRoles(s.Roles); err != nil {
		return fmt.Errorf("signal.%w", err)
	}
	return nil
}

func (t Text) check() error {
	if t.IDs == "" {
		return fmt.Errorf("text.ids: missing")
	}
	if t.Mask == t.IDs || t.Types == t.IDs || t.Mask != "" && t.Mask == t.Types {
		return fmt.Errorf("text.ids, text.mask, text.types: %q, %q, %q, want different inputs", clip(t.IDs), clip(t.Mask), clip(t.Types))
	}
	if t.MaxTokens != 0 && (t.MaxTokens < 3 || t.MaxTokens > maxTokens) {
		return fmt.Errorf("text.max_tokens: %d, want 3 to %d", t.MaxTokens, maxTokens)
	}
	if t.Tokenizer != "" && !isLocal(t.Tokenizer) {
		return fmt.Errorf("text.tokenizer: %q is not a path below the manifest's folder", clip(t.Tokenizer))
	}
	return nil
}
