package memo

import (
	"fmt"
	"strconv"

	"github.com/oatta/oatta/models/onnx"
)

// Names in the files that Build makes.
const (
	EntropyOutput  = "entropy"   // of Settings.Report: the entropy of the mean prediction before the step, a scalar in nats
	GradientPrefix = "gradient." // of Settings.Report: before a parameter's name

	graphKey   = "oatta.graph" // what the file is
	graphValue = "memo"
	prefix     = "oatta.memo." // of the settings
)

// describe writes the settings into a model's metadata.
func (s Settings) describe(m *onnx.Model) {
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	m.SetMeta(graphKey, graphValue)
	for _, p := range []onnx.Property{
		{Key: "views", Value: strconv.Itoa(s.Views)},
		{Key: "method", Value: string(s.Method)},
		{Key: "rate", Value: number(s.Rate)},
		{Key: "decay", Value: number(s.Decay)},
		{Key: "parameters", Value: string(s.Parameters)},
		{Key: "prior", Value: number(s.Prior)},
		{Key: "output", Value: s.Kind},
	} {
		m.SetMeta(prefix+p.Key, p.Value)
	}
}

// FromMetadata returns the settings that a file was made with. A file without oatta.graph=memo, or with metadata that are no settings, is
// an error.
func FromMetadata(meta map[string]string) (Settings, error) {
	if got := meta[graphKey]; got != graphValue {
		return Settings{}, fmt.Errorf("memo: metadata %s is %q: want %q (is this a plain network? build its MEMO graph first)", graphKey, got, graphValue)
	}
	s := Settings{Method: Method(meta[prefix+"method"]), Parameters: Parameters(meta[prefix+"parameters"]), Kind: meta[prefix+"output"]}
	var err error
	if s.Views, err = strconv.Atoi(meta[prefix+"views"]); err != nil {
		return s, fmt.Errorf("memo: metadata %sviews: %w", prefix, err)
	}
	for key, to := range map[string]*float64{"rate": &s.Rate, "decay": &s.Decay, "prior": &s.Prior} {
		if *to, err = strconv.ParseFloat(meta[prefix+key], 64); err != nil {
			return s, fmt.Errorf("memo: metadata %s%s: %w", prefix, key, err)
		}
	}
	return s, s.Validate()
}
