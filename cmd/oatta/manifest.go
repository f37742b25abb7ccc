package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/streams"
)

// runManifest tells how an output came about. It is written beside the output as OUT.manifest.json, when a run begins and again when
// it ends; its part that does not change is in the header of MegaDetector JSON.
type runManifest struct {
	Settings runSettings `json:"settings"`
	Started  time.Time   `json:"started"`
	Finished *time.Time  `json:"finished,omitempty"`
	Complete bool        `json:"complete"`
	Summary  *summary    `json:"summary,omitempty"`
}

// runSettings is everything that decides what is written.
type runSettings struct {
	Program   string       `json:"program"` // with its version
	Command   string       `json:"command"`
	Arguments []string     `json:"input"`
	What      string       `json:"what"` // an item is called: picture, crop, epoch, window, post
	Items     int          `json:"items"`
	Streams   int          `json:"streams"`
	Listing   string       `json:"listing_sha256"` // of names, streams, times, sizes and modification times in processing order
	Model     modelRecord  `json:"model"`
	Engine    engineRecord `json:"engine"`
	Method    method       `json:"predictor"` // with when it forgets
	filtering
	Prepare json.RawMessage `json:"preprocessing"`
	Output  outputRecord    `json:"output"`
}

// filtering is what the manifests of run, eval and filter tell of the filter.
type filtering struct {
	Filter adapt.Settings `json:"filter"`
	Taught *transitions   `json:"transitions,omitempty"` // of other streams, in place of the filter's matrix
	Mode   streams.Mode   `json:"mode"`                  // how much of its stream an answer knows: filtered (its past), lagged or smoothed
	Lag    int            `json:"lag,omitempty"`         // of lagged, in items
	Path   bool           `json:"viterbi"`               // labels are those of the most probable path
	Times  *streams.Times `json:"times"`                 // what the filter is told of the time between items
	Reset  string         `json:"reset"`                 // when the filter forgets
	State  *int           `json:"state,omitempty"`       // commits of the file of states before this run
}

// filteringOf tells how streams are filtered; remembered: from run to run.
func filteringOf(o streams.Options, taught *transitions, remembered bool) filtering {
	f := filtering{Filter: o.Settings, Taught: taught, Mode: o.Mode, Lag: o.Lag, Path: o.Path, Times: o.Times, Reset: "at the start of every stream"}
	if resolved, err := o.Settings.Resolved(max(1, o.Classes)); err == nil {
		f.Filter = resolved
	}
	if taught != nil {
		f.Filter.Population = nil
	}
	if remembered {
		f.Reset = "never: the state of every stream is kept from run to run"
	}
	return f
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

type outputRecord struct {
	Format  string `json:"format"`
	Vectors bool   `json:"vectors"`
	Top     int    `json:"top,omitempty"`
}

// ClassifierName names the model for MegaDetector JSON.
func (s runSettings) ClassifierName() string { return s.Model.Name }

func (r *classification) settings(s share, out outputRecord) runSettings {
	k, c := r.k, r.c
	m := k.model.Manifest
	return runSettings{
		Program: "oatta " + version(), Command: c.Command.HelpName, Arguments: c.Args().Slice(),
		What: k.input.Noun(), Items: len(k.input.Items()), Streams: k.input.Streams(), Listing: k.input.Hash(),
		Model:  modelRecord{m.Name, k.model.Hash(), hashOf(asJSON(m)), len(m.Labels), m.License, k.model.Guessed},
		Engine: engineRecord{"onnxruntime", k.engine.Version(), k.engine.Library(), k.device(), k.reason, k.config.IntraThreads, s.batch},
		Method: k.method, filtering: filteringOf(r.filter, r.taught, r.memory != nil),
		Prepare: json.RawMessage(asJSON(k.input.Prepared())), Output: out,
	}
}

// identity is what must be equal for a run to be resumed: by name, so that a difference can be told. Where the library lies and why
// a device was chosen decide nothing.
func (s runSettings) identity() map[string]string {
	return map[string]string{
		"program": s.Program, "platform": goruntime.GOOS + "/" + goruntime.GOARCH, "command": s.Command,
		s.What + "s": strconv.Itoa(s.Items), "listing": s.Listing, "predictor": asJSON(s.Method),
		"model": s.Model.Name + " " + s.Model.SHA256, "labels and manifest": s.Model.Reading, "preprocessing": asJSON(s.Prepare), // compact, however it was read
		"onnxruntime": s.Engine.Version, "device": s.Engine.Device, "threads": strconv.Itoa(s.Engine.Threads), "batch": strconv.Itoa(s.Engine.Batch),
		"filter": asJSON(s.Filter), "transitions": asJSON(s.Taught), "gaps": asJSON(s.Times), "output": asJSON(s.Output),
		"hindsight": fmt.Sprintf("%s, lag %d, path %t", s.Mode, s.Lag, s.Path), "state": asJSON(s.State),
	}
}

// public is the part that goes into an output: it must be the same for a run that was interrupted and one that was not, and tell no
// path of the machine.
func (s runSettings) public() runSettings {
	s.Engine.Library, s.Engine.Reason = filepath.Base(s.Engine.Library), ""
	s.Arguments = slices.Clone(s.Arguments)
	for i, arg := range s.Arguments {
		s.Arguments[i] = filepath.Base(arg)
	}
	return s
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func manifestPath(output string) string { return output + ".manifest.json" }

// write replaces the manifest beside an output in one step: a reader sees the old one or the new one.
func (m *runManifest) write(output string) error {
	return replaceJSON(manifestPath(output), m)
}

// replaceJSON replaces a file by indented JSON.
func replaceJSON(path string, v any) error {
	var data bytes.Buffer
	if err := writeIndented(&data, v); err != nil {
		return err
	}
	return replaceFile(path, data.Bytes())
}

func readManifest(output string) (m runManifest, err error) {
	data, err := os.ReadFile(manifestPath(output))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s: %w", manifestPath(output), err)
	}
	return m, nil
}

// replaceFile writes a file beside the old one, and then takes its place. A kill in between leaves PATH.part, which the next call
// writes anew.
func replaceFile(path string, data []byte) error {
	part := path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, path)
}

// summary is what a run reports at its end.
type summary struct {
	pipeline.Counts
	Resumed     int     `json:"resumed"`
	Seconds     float64 `json:"seconds"`
	PerSecond   float64 `json:"items_per_second"` // of those done in this run
	ListSeconds float64 `json:"list_seconds"`
	Busy        busy    `json:"busy_seconds"`

	what    string // an item is called
	streams int
	mode    streams.Mode
}

// busy is how long the workers of each stage were at work, summed over them; where they outnumber the cores, waiting for one counts.
type busy struct {
	Load   float64 `json:"load"`
	Infer  float64 `json:"infer"`
	Filter float64 `json:"filter"`
	Write  float64 `json:"write"`
}

func newSummary(r pipeline.Report, list time.Duration, in inputs.Input, mode streams.Mode) *summary {
	s := &summary{
		Counts: r.Counts, Resumed: r.Resumed, Seconds: r.Wall.Seconds(), ListSeconds: list.Seconds(),
		what: in.Noun(), streams: in.Streams(), mode: mode,
		Busy: busy{r.Busy.Load.Seconds(), r.Busy.Infer.Seconds(), r.Busy.Filter.Seconds(), r.Busy.Write.Seconds()},
	}
	if s.Seconds > 0 {
		s.PerSecond = float64(r.Items-r.Resumed) / s.Seconds
	}
	return s
}
