package profile

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// pass is a part of a step.
type pass string

// The passes. The plain graph has the first alone.
const (
	first  pass = "first"  // the forward pass that is derived
	back   pass = "back"   // the gradient, and the optimiser's move
	second pass = "second" // the forward pass after the move
)

var passes = []pass{first, back, second}

// The layouts of a node's numbers.
const (
	plain   = "plain"
	blocked = "blocked" // [N, C/b, H, W, b], with b what fits the processor
	reorder = "reorder" // from one to the other
)

// node is one of a graph as the engine runs it, with its time in every run.
type node struct {
	name, op string
	layout   string
	in       pass
	micros   []float64
}

// event is one of a profile, which is a JSON array in the form of Chrome's traces.
type event struct {
	Category string  `json:"cat"`
	Name     string  `json:"name"`
	Micros   float64 `json:"dur"`
	Args     struct {
		Op    string `json:"op_name"`
		Index string `json:"node_index"`
	} `json:"args"`
}

// read returns the nodes of a profile in the order in which they ran, without its first runs, which allocate.
func read(file string, warm int) ([]*node, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var events []event
	if err := json.Unmarshal(text, &events); err != nil {
		return nil, fmt.Errorf("profile: %s: %w", file, err)
	}
	var out []*node
	known := map[string]*node{}
	for _, e := range events {
		name, ran := strings.CutSuffix(e.Name, "_kernel_time")
		if e.Category != "Node" || !ran {
			continue
		}
		n := known[e.Args.Index]
		if n == nil {
			n = &node{name: name, op: e.Args.Op, layout: layoutOf(name, e.Args.Op)}
			known[e.Args.Index], out = n, append(out, n)
		}
		n.micros = append(n.micros, e.Micros)
	}
	for _, n := range out {
		n.micros = n.micros[min(warm, len(n.micros)):]
	}
	place(out)
	return out, nil
}

// layoutOf goes by the names that the engine gives: of nodes in the blocked layout, after their result, and of those that move numbers.
func layoutOf(name, op string) string {
	switch {
	case strings.HasPrefix(op, "Reorder"):
		return reorder
	case strings.HasSuffix(name, "_nchwc"):
		return blocked
	}
	return plain
}

// place finds the pass of every node by the mark in its name. The engine's own nodes have none: one that brings numbers in belongs to what
// runs next, any other to what ran before.
func place(nodes []*node) {
	at := first
	for i, n := range nodes {
		if p := marked(n.name); p != "" {
			at = p
		} else if n.op == "ReorderInput" {
			if j := slices.IndexFunc(nodes[i:], func(m *node) bool { return marked(m.name) != "" }); j >= 0 {
				n.in = marked(nodes[i+j].name)
				continue
			}
		}
		n.in = at
	}
}

// mark is what begins the names of a pass's nodes and results.
func (p pass) mark() string { return "pass-" + string(p) + "/" }

func marked(name string) pass {
	for _, p := range passes {
		if strings.Contains(name, p.mark()) {
			return p
		}
	}
	return ""
}
