package models

import (
	"bytes"
	"fmt"

	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/preprocess/dsp"
	"github.com/oatta/oatta/preprocess/eeg"
	"github.com/oatta/oatta/preprocess/image"
	"github.com/oatta/oatta/preprocess/motion"
	"github.com/oatta/oatta/preprocess/text"
	"github.com/oatta/oatta/runtime"
)

// Transform returns what makes a picture the network's input, as the manifest promises. A model of signals has settings of its own
// instead, [Signal.Epochs] or [Signal.Windows], and one of texts a [Model.Tokenizer].
func (m *Model) Transform() (*image.Transform, error) {
	if m.Manifest.Signal != nil || m.Manifest.Text != nil {
		return nil, fmt.Errorf("models: %s is not for pictures: its task is %s", m.Manifest.Name, m.Manifest.Task)
	}
	return image.New(m.Manifest.Input.Settings(), image.Limits{})
}

// Settings are those of the transform of pictures.
func (in Input) Settings() image.Settings {
	interpolation, err := image.ParseInterpolation(in.Interpolation)
	if err != nil {
		panic(err) // the manifest's check allows only what the transform has; a test compares the two
	}
	layout, err := image.ParseLayout(in.Layout)
	if err != nil {
		panic(err)
	}
	s := image.Settings{
		Resize: in.Resize, Stretch: in.Stretch, Height: in.Height, Width: in.Width, Interpolation: interpolation, BGR: in.Color == BGR, Layout: layout,
	}
	copy(s.Mean[:], in.Mean)
	copy(s.Std[:], in.Std)
	return s
}

// epochSeconds is the length of what is scored in sleep.
const epochSeconds = 30

// Epochs are the settings by which eeg.Open cuts the recordings of sleep.
func (s Signal) Epochs() eeg.Settings {
	set := eeg.Settings{Channels: s.Channels, Rate: s.Rate, EpochSeconds: epochSeconds, Band: s.band(), Standardise: s.Standardise != ""}
	if s.Standardise == ByNumbers {
		set.Mean, set.Std = s.Mean, s.Std
	}
	if s.Features != "" {
		set.Features, set.Roles, set.Band = s.Features, s.Roles, dsp.Band{}
	}
	return set
}

// Windows are the settings by which package motion cuts the recordings of movement.
func (s Signal) Windows() motion.Settings {
	set := motion.Settings{
		Channels: s.Channels, Unit: s.Unit, Rate: s.Rate, Samples: s.Samples, Hop: s.Hop, Band: s.band(), Standardise: s.Standardise != "",
	}
	if s.Standardise == ByNumbers {
		set.Mean, set.Std = s.Mean, s.Std
	}
	return set
}

func (s Signal) band() dsp.Band {
	return dsp.Band{Low: s.Low, High: s.High, Order: s.Order, Causal: s.Causal}
}

// Tokenizer returns what makes a text the network's input, as the manifest promises, and what a user should know of it. It is held against
// the tables of the network: one with more pieces is another network's, and where texts of the manifest's length would find no place, they
// are cut before, which is told.
func (m *Model) Tokenizer() (t *text.Tokenizer, notes []string, err error) {
	if m.Manifest.Text == nil {
		return nil, nil, fmt.Errorf("models: %s is not for texts: its task is %s", m.Manifest.Name, m.Manifest.Task)
	}
	s := text.Settings{MaxLength: m.Manifest.Text.MaxTokens, Padding: text.PadLongest, Tweets: m.Manifest.Text.Transforms}
	if t, err = m.loadTokenizer(s); err != nil {
		return nil, nil, err
	}
	if n := t.Len(); m.tables.pieces > 0 && n > m.tables.pieces {
		return nil, nil, fmt.Errorf("the tokenizer has %d pieces and the network %d: it is another network's", n, m.tables.pieces)
	}
	if long := t.Settings().MaxLength; m.tables.places > 0 && long > m.tables.places {
		notes = append(notes, fmt.Sprintf("texts are cut at %d tokens: the network has no place for more, though %d are asked for", m.tables.places, long))
		s.MaxLength = m.tables.places
		t, err = m.loadTokenizer(s)
	}
	return t, notes, err
}

func (m *Model) loadTokenizer(s text.Settings) (*text.Tokenizer, error) {
	if m.embedded == "" {
		return text.Load(m.TokenizerDir(), s)
	}
	vocabulary, err := m.Vocabulary()
	if err != nil {
		return nil, err
	}
	return text.ReadVocab(bytes.NewReader(vocabulary), true, s)
}

// OpenBase opens the network as a predictor that takes prepared inputs: pictures of [Model.Transform], windows of signals, or rows of as
// many token ids as the tokenizer allows, with -1 behind a text's end. The predictor closes the session.
func (m *Model) OpenBase(e runtime.Engine, cfg runtime.Config) (*predict.Base, error) {
	s, err := m.Open(e, cfg)
	if err != nil {
		return nil, err
	}
	b, err := m.base(s)
	if err != nil {
		s.Close() // the first error counts
		return nil, err
	}
	return b, nil
}

// Rows returns a session of the network, or of a graph that was made of it, with one float32 input that prepared items go into, and the
// shape of one. For texts that is an adapter before the session, which closes it.
func (m *Model) Rows(s runtime.Session) (rows runtime.Session, shape []int64, err error) {
	in := m.Manifest.Text
	if in == nil {
		return s, m.Manifest.Shape(), nil
	}
	t, _, err := m.Tokenizer()
	if err != nil {
		return nil, nil, err
	}
	rows, err = predict.Tokens(s, predict.TokenSettings{IDs: in.IDs, Mask: in.Mask, Types: in.Types, Pad: t.Pad()})
	return rows, []int64{int64(t.Settings().MaxLength)}, err
}

func (m *Model) base(s runtime.Session) (*predict.Base, error) {
	s, shape, err := m.Rows(s)
	if err != nil {
		return nil, err
	}
	out, err := findPort("output", m.Manifest.Output.Name, s.Outputs())
	if err != nil {
		return nil, err
	}
	return predict.NewBase(s, shape, out, len(m.Manifest.Labels))
}

// Shape is that of one prepared input, without the batch; nil of texts, whose length is open.
func (m Manifest) Shape() []int64 {
	switch {
	case m.Signal != nil:
		return m.Signal.Shape()
	case m.Text != nil:
		return nil
	case m.Input.Layout == NHWC:
		return []int64{int64(m.Input.Height), int64(m.Input.Width), 3}
	}
	return []int64{3, int64(m.Input.Height), int64(m.Input.Width)}
}
