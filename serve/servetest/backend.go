package servetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/serve"
)

// The names of the model and its tensors, probabilities [N, K] of FP64 or FP32, and labels [N] of BYTES.
const (
	Model   = "filter"
	Version = "1"
	Input   = "probs"
	Adapted = "adapted"
	Label   = "label"
)

// Backend is the filter of streams with so many classes. Make it with New.
type Backend struct {
	// Before is called with each request for inference, before anything is done; its error is the answer. Nil: nothing.
	Before func(ctx context.Context, r *serve.Request) error

	classes int
	mu      sync.Mutex
	loaded  bool
	streams map[name]*stream
	counts  serve.Statistics
}

type name struct{ namespace, id string }

type stream struct {
	filter  *adapt.Filter
	answers map[string]*serve.Response // by the key of their request
}

// New makes one, loaded.
func New(classes int) *Backend {
	return &Backend{classes: classes, loaded: true, streams: map[name]*stream{}}
}

// Ready tells whether the model is loaded.
func (b *Backend) Ready() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.loaded
}

// Models lists the one.
func (b *Backend) Models() []serve.ModelStatus {
	if b.Ready() {
		return []serve.ModelStatus{{Name: Model, Version: Version, Ready: true}}
	}
	return []serve.ModelStatus{{Name: Model, Version: Version, Reason: "unloaded"}}
}

// Model describes it.
func (b *Backend) Model(name, version string) (*serve.Model, error) {
	if name != Model || version != "" && version != Version {
		return nil, serve.NoModel(name, version)
	}
	if !b.Ready() {
		return nil, serve.Errorf(serve.Unavailable, "model %q is not loaded", name)
	}
	classes := int64(b.classes)
	return &serve.Model{
		Name: Model, Versions: []string{Version}, Platform: "oatta_filter",
		Inputs:  []serve.Port{{Name: Input, Type: "FP64", Shape: []int64{-1, classes}}},
		Outputs: []serve.Port{{Name: Adapted, Type: "FP64", Shape: []int64{-1, classes}}, {Name: Label, Type: serve.Bytes, Shape: []int64{-1}}},
	}, nil
}

// Statistics counts inferences.
func (b *Backend) Statistics(name, version string) ([]serve.Statistics, error) {
	if name != "" {
		if _, err := b.Model(name, version); err != nil {
			return nil, err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	counts := b.counts
	counts.Name, counts.Version = Model, Version
	return []serve.Statistics{counts}, nil
}

// Load loads the model.
func (b *Backend) Load(_ context.Context, name string) error { return b.load(name, true) }

// Unload unloads it.
func (b *Backend) Unload(_ context.Context, name string) error { return b.load(name, false) }

func (b *Backend) load(name string, loaded bool) error {
	if name != Model {
		return serve.NoModel(name, "")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.loaded = loaded
	return nil
}

// Infer passes rows through the filter of their stream.
func (b *Backend) Infer(ctx context.Context, r *serve.Request) (*serve.Response, error) {
	if b.Before != nil {
		if err := b.Before(ctx, r); err != nil {
			return nil, err
		}
	}
	if _, err := b.Model(r.Model, r.Version); err != nil {
		return nil, err
	}
	rows, err := b.rows(r)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s, err := b.stream(r)
	if err != nil {
		return nil, err
	}
	answer := s.answers[r.Sequence.Key]
	if r.Sequence.Key == "" || answer == nil {
		answer = b.answer(r, s.filter, rows)
		s.answers[r.Sequence.Key] = answer
	}
	if r.Sequence.End {
		delete(b.streams, name{r.Namespace, r.Sequence.ID})
	}
	b.counts.Inferences += uint64(len(rows))
	b.counts.Executions++
	b.counts.LastInference = time.Now()
	return only(answer, r)
}

// stream gives the stream of a request: a new one if it starts, if there is none yet, or if it belongs to none.
func (b *Backend) stream(r *serve.Request) (*stream, error) {
	at := name{r.Namespace, r.Sequence.ID}
	if s := b.streams[at]; s != nil && !r.Sequence.Start {
		return s, nil
	}
	filter, err := adapt.New(b.classes, adapt.Settings{})
	s := &stream{filter, map[string]*serve.Response{}}
	if err == nil && at.id != "" {
		b.streams[at] = s
	}
	return s, err
}

// rows are the probabilities of a request, all fit for the filter.
func (b *Backend) rows(r *serve.Request) ([][]float64, error) {
	if len(r.Inputs) != 1 || r.Inputs[0].Name != Input {
		return nil, serve.Errorf(serve.InvalidArgument, "want one input, %s", Input)
	}
	t := &r.Inputs[0]
	if len(t.Shape) != 2 || t.Shape[1] != int64(b.classes) || t.Type != "FP64" && t.Type != "FP32" {
		return nil, serve.Errorf(serve.InvalidArgument, "input %s: %s %v: want FP64 or FP32 [N, %d]", Input, t.Type, t.Shape, b.classes)
	}
	if n := len(r.Sequence.Times); n > 0 && int64(n) != t.Shape[0] {
		return nil, serve.Errorf(serve.InvalidArgument, "%d times for %d rows", n, t.Shape[0])
	}
	rows := make([][]float64, t.Shape[0])
	for i := range rows {
		rows[i] = make([]float64, b.classes)
		for k := range rows[i] {
			rows[i][k] = at(t, i*b.classes+k)
		}
		if err := adapt.Check(rows[i], b.classes); err != nil {
			return nil, serve.Errorf(serve.InvalidArgument, "row %d: %v", i, err)
		}
	}
	return rows, nil
}

func at(t *serve.Tensor, i int) float64 {
	if t.Type == "FP32" {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:])))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(t.Data[8*i:]))
}

func (b *Backend) answer(r *serve.Request, filter *adapt.Filter, rows [][]float64) *serve.Response {
	n := int64(len(rows))
	adapted := serve.Tensor{Name: Adapted, Type: "FP64", Shape: []int64{n, int64(b.classes)}}
	labels := serve.Tensor{Name: Label, Type: serve.Bytes, Shape: []int64{n}}
	for _, row := range rows {
		filter.Step(row, row)
		for _, p := range row {
			adapted.Data = binary.LittleEndian.AppendUint64(adapted.Data, math.Float64bits(p))
		}
		text := fmt.Sprint("class ", slices.Index(row, slices.Max(row)))
		labels.Data = append(binary.LittleEndian.AppendUint32(labels.Data, uint32(len(text))), text...)
	}
	return &serve.Response{Model: Model, Version: Version, ID: r.ID, Parameters: r.Parameters, Outputs: []serve.Tensor{adapted, labels}}
}

// only leaves the outputs that are asked for.
func only(all *serve.Response, r *serve.Request) (*serve.Response, error) {
	out := *all
	out.ID = r.ID
	if len(r.Outputs) == 0 {
		return &out, nil
	}
	out.Outputs = nil
	for _, name := range r.Outputs {
		i := slices.IndexFunc(all.Outputs, func(t serve.Tensor) bool { return t.Name == name })
		if i < 0 {
			return nil, serve.Errorf(serve.InvalidArgument, "no output %q", name)
		}
		out.Outputs = append(out.Outputs, all.Outputs[i])
	}
	return &out, nil
}

// List gives streams in the order of their names.
func (b *Backend) List(_ context.Context, _, namespace, after string, limit int) ([]serve.StreamInfo, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []serve.StreamInfo
	for at, s := range b.streams {
		if at.namespace == namespace && at.id > after {
			list = append(list, info(at.id, s))
		}
	}
	slices.SortFunc(list, func(x, y serve.StreamInfo) int { return strings.Compare(x.ID, y.ID) })
	return list[:min(limit, len(list))], nil
}

func info(id string, s *stream) serve.StreamInfo {
	snapshot, err := s.filter.MarshalBinary()
	if err != nil {
		panic("servetest: " + err.Error())
	}
	return serve.StreamInfo{ID: id, Items: uint64(s.filter.Steps()), Bytes: len(snapshot)}
}

// find gives a stream that there is. The caller holds the lock.
func (b *Backend) find(namespace, id string) (*stream, error) {
	if s := b.streams[name{namespace, id}]; s != nil {
		return s, nil
	}
	return nil, serve.Errorf(serve.NotFound, "no such stream")
}

// Show describes a stream.
func (b *Backend) Show(_ context.Context, _, namespace, id string) (*serve.StreamInfo, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, err := b.find(namespace, id)
	if err != nil {
		return nil, err
	}
	out := info(id, s)
	return &out, nil
}

// Export writes the snapshot of its filter.
func (b *Backend) Export(_ context.Context, _, namespace, id string, w io.Writer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, err := b.find(namespace, id)
	if err != nil {
		return err
	}
	snapshot, err := s.filter.MarshalBinary()
	if err != nil {
		return err
	}
	_, err = io.Copy(w, bytes.NewReader(snapshot))
	return err
}

// Import makes a stream of a snapshot.
func (b *Backend) Import(_ context.Context, _, namespace, id string, snapshot []byte) error {
	filter, err := adapt.Restore(snapshot)
	if err != nil {
		return serve.Errorf(serve.InvalidArgument, "%v", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.streams[name{namespace, id}] != nil {
		return serve.Errorf(serve.Conflict, "there is such a stream")
	}
	b.streams[name{namespace, id}] = &stream{filter, map[string]*serve.Response{}}
	return nil
}

// Forget removes a stream.
func (b *Backend) Forget(_ context.Context, _, namespace, id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := b.find(namespace, id); err != nil {
		return err
	}
	delete(b.streams, name{namespace, id})
	return nil
}

// Fresh returns what the filter of a new stream makes of a row.
func Fresh(probs ...float64) []float64 {
	filter, err := adapt.New(len(probs), adapt.Settings{})
	if err != nil {
		panic("servetest: " + err.Error())
	}
	out := make([]float64, len(probs))
	filter.Step(out, probs)
	return out
}
