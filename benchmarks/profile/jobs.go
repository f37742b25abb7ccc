package profile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/backbone/backbonetest"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/tent"
)

// subject is a network that is looked at.
type subject struct {
	name, net string
	o         backbone.Options
	rows      int    // items of a run
	views     int    // of MEMO; 0: its graph is left out
	real      string // file of weights below the folder of shared data, or of assets; empty: there is none
	tokens    int64  // of a text
}

func subjects() []subject {
	return []subject{
		{name: "resnet18", net: "cifar_resnet18", rows: 1, real: "models/cifar10-resnet18/balanced.fp16.safetensors"},
		{name: "resnet18-8", net: "cifar_resnet18", rows: 8, views: 32, real: "models/cifar10-resnet18/balanced.fp16.safetensors"},
		{name: "resnet50", net: "resnet50", rows: 1},
		{name: "vit", net: "vit_b_16", o: backbone.Options{Size: 64}, rows: 1},
		{name: "tcn", net: "tcn", rows: 8, views: 16},
		{name: "minilm", net: "minilm", rows: 1, real: "minilm/model.safetensors", tokens: 32},
	}
}

// names of all subjects.
func names() (out []string) {
	for _, s := range subjects() {
		out = append(out, s.name)
	}
	return out
}

func chosen(list []string) (out []subject, err error) {
	for _, name := range list {
		i := slices.IndexFunc(subjects(), func(s subject) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("profile: no network %q: want some of %s", name, strings.Join(names(), ", "))
		}
		out = append(out, subjects()[i])
	}
	return out, nil
}

// network builds a subject, and tells whether its weights are real.
func (s subject) network(shared string) (m *onnx.Model, real bool, err error) {
	net, err := backbone.New(s.net, s.o)
	if err != nil {
		return nil, false, err
	}
	for _, dir := range []string{shared, report.Asset()} {
		if file := filepath.Join(dir, s.real); s.real != "" && fileExists(file) {
			real = true
			if err := networks.LoadWeights(net, file); err != nil {
				return nil, false, err
			}
			break
		}
	}
	if !real { // unlike a fresh start these keep numbers from becoming denormal, which is slow
		err = backbonetest.Fill(net)
	}
	return onnx.New(net.Graph), real, err
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// What is run of a network.
const (
	forward  = "forward"
	tentStep = "tent"
	memoStep = "memo"
)

// job is a graph of a subject.
type job struct {
	of    subject
	what  string
	rows  int
	model *onnx.Model
	real  bool
}

// id names the job's table and trace.
func (j job) id() string { return fmt.Sprintf("%s-%s-%d", j.of.name, j.what, j.rows) }

// jobs builds the graphs of a subject, their nodes marked by pass.
func (s subject) jobs(shared string) (out []job, err error) {
	net, real, err := s.network(shared)
	if err != nil {
		return nil, fmt.Errorf("profile: %s: %w", s.name, err)
	}
	add := func(what string, rows int, m *onnx.Model, err2 error) {
		if err = errors.Join(err, err2); err == nil {
			out = append(out, job{s, what, rows, m, real})
		}
	}
	add(forward, s.rows, net, nil)
	m, err2 := tent.Build(net, tent.Settings{Kind: "logits", Together: s.rows > 1, Rows: s.rows})
	add(tentStep, s.rows, m, err2)
	if s.views > 0 {
		add(forward, s.views, net, nil)
		m, err2 = memo.Build(net, memo.Settings{Views: s.views, Rate: 1e-3, Kind: "logits", Report: true})
		add(memoStep, s.views, m, err2)
	}
	if err != nil {
		return nil, fmt.Errorf("profile: %s: %w", s.name, err)
	}
	for _, j := range out {
		if j.what != forward {
			j.mark()
		}
	}
	return out, nil
}

// mark names every node and result after its pass. What the entropy needs is the first one; what depends on the moved parameters, or of
// MEMO on the plain picture, is the second; all else is the gradient.
func (j job) mark() {
	g := j.model.Graph
	outs, before, after := g.Outputs(), ancestors(g, g.Lookup(memo.EntropyOutput)), descendants(g, j.restart())
	for i, n := range g.Nodes() {
		p := back
		switch {
		case after[n]:
			p = second
		case before[n]:
			p = first
		}
		n.Name = fmt.Sprintf("%s%s-%d", p.mark(), n.Op, i) // names of nodes are to be unique
		for _, v := range n.Outputs {
			if v != graph.None && !slices.Contains(outs, v) {
				g.Rename(v, p.mark()+g.NameOf(v))
			}
		}
	}
}

// restart is the value with which the second pass begins.
func (j job) restart() graph.Value {
	g := j.model.Graph
	if j.what == tentStep {
		return g.Lookup("next_theta")
	}
	for _, n := range g.Nodes() {
		if n.Op == "Split" && n.Inputs[0] == g.Inputs()[0] {
			return n.Outputs[0] // the plain input
		}
	}
	return graph.None
}

// ancestors are the nodes that a value needs.
func ancestors(g *graph.Graph, v graph.Value) map[*graph.Node]bool {
	out := map[*graph.Node]bool{}
	var visit func(v graph.Value)
	visit = func(v graph.Value) {
		n, _ := g.Producer(v)
		if v == graph.None || n == nil || out[n] {
			return
		}
		out[n] = true
		for _, in := range n.Inputs {
			visit(in)
		}
	}
	visit(v)
	return out
}

// descendants are the nodes that need a value. Nodes lie in an order in which each comes after what it needs.
func descendants(g *graph.Graph, v graph.Value) map[*graph.Node]bool {
	out, reached := map[*graph.Node]bool{}, map[graph.Value]bool{v: true}
	for _, n := range g.Nodes() {
		if !slices.ContainsFunc(n.Inputs, func(in graph.Value) bool { return in != graph.None && reached[in] }) {
			continue
		}
		out[n] = true
		for _, y := range n.Outputs {
			reached[y] = true
		}
	}
	return out
}
