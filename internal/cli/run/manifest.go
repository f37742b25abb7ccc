package run

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"time"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/method"
)

// Manifest tells how an output came about. It is written beside the output as OUT.manifest.json, when a run begins and again when
// it ends; its part that does not change is in the header of MegaDetector JSON.
type Manifest struct {
	Settings Settings   `json:"settings"`
	Started  time.Time  `json:"started"`
	Finished *time.Time `json:"finished,omitempty"`
	Complete bool       `json:"complete"`
	Summary  *summary   `json:"summary,omitempty"`
	Warnings []string   `json:"warnings,omitempty"` // of the input and, once it has ended, of the predictions
}

// Settings is everything that decides what is written.
type Settings struct {
	Program   string          `json:"program"` // with its version
	Command   string          `json:"command"`
	Arguments []string        `json:"input"`
	What      string          `json:"what"` // an item is called: picture, crop, epoch, window, post
	Items     int             `json:"items"`
	Streams   int             `json:"streams"`
	Listing   string          `json:"listing_sha256"` // of names, streams, times, sizes and modification times in processing order
	Model     modelRecord     `json:"model"`
	Engine    engineRecord    `json:"engine"`
	Method    method.Settings `json:"predictor"` // with when it forgets
	filtering.Record
	Prepare json.RawMessage `json:"preprocessing"`
	Output  outputRecord    `json:"output"`
}

type modelRecord struct {
	Name    string   `json:"name"`
	SHA256  string   `json:"sha256"`
	Reading string   `json:"manifest_sha256"` // of what the model's outputs are taken to mean: labels, kind, prior and all else
	Classes int      `json:"classes"`
	License string   `json:"license,omitempty"`
	Guessed []string `json:"guessed,omitempty"`
}

type engineRecord struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Library string `json:"library"`
	Device  string `json:"device"`
	Reason  string `json:"device_reason,omitempty"`
	Threads int    `json:"threads"`
	Batch   int    `json:"batch"`
}

// ClassifierName names the model for MegaDetector JSON.
func (s Settings) ClassifierName() string { return s.Model.Name }

func (r *classification) settings(s share, out outputRecord) Settings {
	k, c := r.k, r.c
	m := k.model.Manifest
	return Settings{
		Program: "oatta " + console.Version(), Command: c.Command.HelpName, Arguments: c.Args().Slice(),
		What: k.input.Noun(), Items: len(k.input.Items()), Streams: k.input.Streams(), Listing: k.input.Hash(),
		Model:  modelRecord{m.Name, k.model.Hash(), filtering.Digest(filtering.AsJSON(m)), len(m.Labels), m.License, k.model.Guessed},
		Engine: engineRecord{"onnxruntime", k.engine.Version(), k.engine.Library(), k.predictor.Device(), k.reason, k.config.IntraThreads, s.batch},
		Method: k.method, Record: filtering.RecordOf(r.filter, r.taught, r.known, r.memory != nil),
		Prepare: json.RawMessage(filtering.AsJSON(k.input.Prepared())), Output: out,
	}
}

// Identity is what must be equal for a run to be resumed: by name, so that a difference can be told. Where the library lies and why
// a device was chosen decide nothing.
func (s Settings) Identity() map[string]string {
	out := map[string]string{
		"program": s.Program, "platform": goruntime.GOOS + "/" + goruntime.GOARCH, "command": s.Command,
		s.What + "s": strconv.Itoa(s.Items), "listing": s.Listing, "predictor": filtering.AsJSON(s.Method),
		"model": s.Model.Name + " " + s.Model.SHA256, "labels and manifest": s.Model.Reading, "preprocessing": filtering.AsJSON(s.Prepare), // compact, however it was read
		"onnxruntime": s.Engine.Version, "device": s.Engine.Device, "threads": strconv.Itoa(s.Engine.Threads), "batch": strconv.Itoa(s.Engine.Batch),
		"filter": filtering.AsJSON(s.Filter), "transitions": filtering.AsJSON(s.Taught), "gaps": filtering.AsJSON(s.Times), "output": filtering.AsJSON(s.Output),
		"hindsight": fmt.Sprintf("%s, lag %d, path %t", s.Mode, s.Lag, s.Path), "state": filtering.AsJSON(s.State),
	}
	if s.Known != nil {
		out["known labels"] = s.Known.SHA256
	}
	return out
}

// public is the part that goes into an output: it must be the same for a run that was interrupted and one that was not, and tell no
// path of the machine.
func (s Settings) public() Settings {
	s.Engine.Library, s.Engine.Reason = filepath.Base(s.Engine.Library), ""
	s.Arguments = slices.Clone(s.Arguments)
	for i, arg := range s.Arguments {
		s.Arguments[i] = filepath.Base(arg)
	}
	return s
}

// write replaces the manifest beside an output in one step: a reader sees the old one or the new one.
func (m *Manifest) write(output string) error {
	return files.ReplaceJSON(files.ManifestPath(output), m)
}

// ReadManifest reads the manifest that lies beside an output.
func ReadManifest(output string) (m Manifest, err error) {
	data, err := os.ReadFile(files.ManifestPath(output))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s: %w", files.ManifestPath(output), err)
	}
	return m, nil
}
