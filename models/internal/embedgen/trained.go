package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/onnx"
)

// The networks for movement and posts are trained by `oatta train`, as docs/results.md has it; here their weights are halved, and the manifests are
// given what a training does not know.

// writeTrained makes the files of a network of the folder of its training; known is what the training cannot tell.
func writeTrained(root, folder string, known models.Manifest) error {
	data, err := os.ReadFile(filepath.Join(folder, known.Name+".onnx"))
	if err != nil {
		return err
	}
	trained, err := models.ReadManifestFile(filepath.Join(folder, known.Name+".json"))
	if err != nil {
		return err
	}
	model, manifest, stats, err := buildTrained(data, trained, known)
	if err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	base := filepath.Join(root, "models", "embedded", known.Name)
	if err := errors.Join(os.WriteFile(base+".onnx", model, 0o644), os.WriteFile(base+".json", manifest, 0o644)); err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes, was %d; %d tensors halved, largest change of a weight %.2g\n", known.Name, len(model), len(data), stats.Halved, stats.MaxError)
	return nil
}

// buildTrained makes the two embedded files of the network and the manifest of a training, and what else is known.
func buildTrained(data []byte, trained, known models.Manifest) (model, manifest []byte, stats onnx.Stats, err error) {
	p, err := onnx.Decode(data)
	if err != nil {
		return nil, nil, stats, err
	}
	half, stats := onnx.Halve(p)
	if model, err = onnx.Encode(half); err != nil {
		return nil, nil, stats, err
	}
	m := known
	m.Labels, m.Signal, m.Output = trained.Labels, trained.Signal, trained.Output
	if trained.Text != nil {
		text := *trained.Text
		text.Tokenizer = pieces
		m.Text = &text
	}
	m.Temperature, m.Prior, m.Transitions = trained.Temperature, trained.Prior, trained.Transitions
	if m.Text != nil && m.Transitions != nil { // the median of days between two posts is no account's rhythm
		order := *m.Transitions
		order.Rhythm = 0
		m.Transitions = &order
	}
	m.SHA256, m.Parameters = hash(model), onnx.Inspect(p).Parameters
	var buf bytes.Buffer
	err = m.Write(&buf)
	return model, buf.Bytes(), stats, err
}

// movement is what is known of the network for movement beside what its training tells.
func movement() models.Manifest {
	return models.Manifest{
		Version:     models.ManifestVersion,
		Name:        models.DefaultMotion,
		Description: "1-D CNN for six activities from a phone at the waist, trained on HAPT",
		Task:        models.SignalClassification,
		License:     "CC-BY-4.0",
		Source: "trained by this project on the raw data of UCI HAPT: J. Reyes-Ortiz, D. Anguita, L. Oneto, X. Parra, Smartphone-Based Recognition of Human " +
			"Activities and Postural Transitions, 2015, https://doi.org/10.24432/C54G7M (CC BY 4.0)",
		Score: "96.1 %, smoothed 96.6 %, of the windows of users 21 to 30 of HAPT",
		Notes: "For a phone at the waist, upright, x along the body, at 50 Hz with gravity. Not made for a wrist, an ankle, a pocket or a bag, for children, for the ill, or for " +
			"activities other than the six. Weights of rank two and more are stored as float16 and cast to float32 when the model is loaded.",
	}
}
