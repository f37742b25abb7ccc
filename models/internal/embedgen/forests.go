package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// Trees are lists of numbers in ONNX, which compress to a seventh.

// writeForests makes the files of YASA's classifiers.
func writeForests(root, shared string) error {
	for _, s := range forests() {
		data, err := readForest(shared, s.file)
		if err != nil {
			return err
		}
		model, manifest, err := buildForest(s, data)
		if err != nil {
			return fmt.Errorf("%s: %w", s.file, err)
		}
		packed, err := compress(model)
		if err != nil {
			return err
		}
		base := filepath.Join(root, "models", "embedded", s.manifest.Name)
		if err := errors.Join(os.WriteFile(base+".onnx.gz", packed, 0o644), os.WriteFile(base+".json", manifest, 0o644)); err != nil {
			return err
		}
		fmt.Printf("%s: %d bytes, compressed %d\n", s.manifest.Name, len(model), len(packed))
	}
	return nil
}

func readForest(shared, name string) ([]byte, error) {
	packed, err := os.ReadFile(filepath.Join(shared, "models", "yasa", name))
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func compress(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err = z.Write(data); err == nil {
		err = z.Close()
	}
	return b.Bytes(), err
}

// buildForest takes the output of words away, and writes the manifest.
func buildForest(s source, data []byte) (model, manifest []byte, err error) {
	if got := hash(data); got != s.sha256 {
		return nil, nil, fmt.Errorf("sha256 %s, want %s", got, s.sha256)
	}
	p, err := onnx.Decode(data)
	if err != nil {
		return nil, nil, err
	}
	g := p.GetGraph()
	g.Output = slices.DeleteFunc(g.GetOutput(), func(v *onnxpb.ValueInfoProto) bool { return v.GetName() == "label" })
	if model, err = onnx.Encode(p); err != nil {
		return nil, nil, err
	}
	s.manifest.SHA256, s.manifest.Parameters = hash(model), onnx.Inspect(p).Parameters
	var buf bytes.Buffer
	err = s.manifest.Write(&buf)
	return model, buf.Bytes(), err
}

// channels are the names of each role, the best first: YASA was trained on central electrodes against the mastoid of the other side.
var channels = map[string][]string{
	models.EEG: {
		"C4-M1", "C3-M2", "C4-M2", "C3-M1", "Cz-M1", "Cz-M2", "C4", "C3", "Cz", "F4-M1", "F3-M2", "F4", "F3", "Fz", "Fpz-Cz", "O2-M1", "O1-M2", "Pz-Oz",
		"EEG", "EEG1", "EEG 1", "EEG(sec)", "EEG2", "EEG 2",
	},
	models.EOG: {
		"E1-M2", "E2-M1", "E1-M1", "E2-M2", "LOC-M2", "ROC-M1", "LOC-M1", "ROC-M2", "E1", "E2", "LOC", "ROC", "EOG horizontal", "EOG left", "EOG L", "EOG(L)", "EOG-L", "LEOG",
		"EOG1", "EOG 1", "EOG", "EOG(R)", "EOG right", "EOG R",
	},
	models.EMG: {
		"EMG submental", "EMG1-EMG2", "EMG1-EMG3", "EMG1-EMG", "Chin1-Chin2", "Chin 1-Chin 2", "Chin-L-Chin-R", "EMG chin", "Chin EMG", "ChinEMG", "Chin", "Chin1", "Chin 1", "EMG1", "EMG 1", "EMG",
	},
}

// forests are YASA's four classifiers.
func forests() (out []source) {
	for _, f := range []struct {
		file, sha256, with string
		roles              []string
		score              string
	}{
		{"yasa_eeg.onnx.gz", "30e574808cc318fb4c958d5226b66cfd0eb6d3d237bfa0938694f0107c2dea62", "an EEG", []string{models.EEG}, "69.6 % (kappa 0.60)"},
		{"yasa_eeg_eog.onnx.gz", "f4c499a40253a1d737bbacc30291068439d2423884c791a056c07ee39460fd7d", "an EEG and an EOG", []string{models.EEG, models.EOG}, "78.5 % (kappa 0.72)"},
		{"yasa_eeg_emg.onnx.gz", "d72cf33d91ce88550d0ebed4f86f4a1f654c22dc88926c90813a98a1c1846f1d", "an EEG and an EMG", []string{models.EEG, models.EMG}, "59.7 % (kappa 0.47)"},
		{"yasa_eeg_eog_emg.onnx.gz", "fa1af15e207815027edbc7a5b9bc64f4ff270df4fd591452c5ca21a309cdb539", "an EEG, an EOG and an EMG", []string{models.EEG, models.EOG, models.EMG}, "62.2 % (kappa 0.51)"},
	} {
		m := models.Manifest{
			Version:     models.ManifestVersion,
			Name:        "yasa-" + strings.Join(f.roles, "-"),
			Description: "YASA's boosted trees for the stages of sleep from " + f.with + ", trained on over 3000 nights of the NSRR",
			Task:        models.SignalClassification,
			Labels:      []string{"N1", "N2", "N3", "R", "W"},
			Signal:      &models.Signal{Name: "features", Modality: models.Sleep, Rate: 100, Samples: 3000, Unit: "uV", Features: models.YASA, Roles: f.roles},
			Output:      models.Output{Name: "probabilities", Kind: models.Probabilities},
			License:     "BSD-3-Clause",
			Source:      "YASA 0.8.1, https://github.com/raphaelvallat/yasa (Raphael Vallat), converted from LightGBM to ONNX by onnxmltools 1.16.0",
			Notes: "Trained on a central EEG against a mastoid (C4-M1, C3-M2). Features are of the whole recording and look ahead. " +
				"The output of words is left out; probabilities are those of YASA.",
		}
		m.Score = f.score + " of the sleep of SC4001 (Sleep-EDF, EEG Fpz-Cz)"
		if slices.Contains(f.roles, models.EMG) {
			m.Score += ", whose EMG is an envelope of 1 Hz"
		}
		for _, role := range f.roles {
			m.Signal.Channels = append(m.Signal.Channels, strings.Join(channels[role], "|"))
		}
		out = append(out, source{f.file, f.sha256, m})
	}
	return out
}
