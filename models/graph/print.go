package graph

import (
	"fmt"
	"strconv"
	"strings"
)

// String prints a graph as text for people, one value or node a line, with types: inputs, constants, nodes in order, outputs. Equal graphs
// print equal text, in which names stand as they are, and constants of up to eight elements are spelled out.
//
//	graph "net" [ai.onnx 21]
//	  input  x float32[N,4]
//	  param  w float32[3,4]
//	  y float32[N,3] = Gemm(x, w) transB=1
//	  output y
func (g *Graph) String() string {
	g.init()
	var p printer
	var sets []string
	for _, o := range g.Opsets() {
		sets = append(sets, domainName(o.Domain)+" "+strconv.FormatInt(o.Version, 10))
	}
	p.line("graph %q [%s]", g.Name, strings.Join(sets, ", "))
	p.body(g)
	return p.text.String()
}

func domainName(d string) string {
	if d == "" {
		return "ai.onnx"
	}
	return d
}

type printer struct {
	text   strings.Builder
	indent string
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(&p.text, p.indent+format+"\n", args...)
}

func (p *printer) body(g *Graph) {
	old := p.indent
	p.indent += "  "
	defer func() { p.indent = old }()
	for _, v := range g.inputs {
		if t := g.Default(v); t != nil {
			p.line("input  %s %v = %s", g.NameOf(v), g.TypeOf(v), elements(t))
			continue
		}
		p.line("input  %s %v", g.NameOf(v), g.TypeOf(v))
	}
	for i := range g.values {
		e := &g.values[i]
		if e.kind != Constant {
			continue
		}
		word := "const "
		if e.param {
			word = "param "
		}
		p.line("%s %s %v%s", word, e.name, e.typ, suffix(" = ", elements(e.tensor)))
	}
	for _, n := range g.nodes {
		p.node(g, n)
	}
	for _, v := range g.outputs {
		p.line("output %s", g.NameOf(v))
	}
}

func (p *printer) node(g *Graph, n *Node) {
	outs := make([]string, len(n.Outputs))
	for i, v := range n.Outputs {
		if outs[i] = "_"; v != None {
			outs[i] = fmt.Sprintf("%s %v", g.NameOf(v), g.TypeOf(v))
		}
	}
	ins := make([]string, len(n.Inputs))
	for i, v := range n.Inputs {
		if ins[i] = "_"; v != None {
			ins[i] = g.NameOf(v)
		}
	}
	var attrs strings.Builder
	for _, a := range n.Attrs {
		fmt.Fprintf(&attrs, " %s=%s", a.Name, attrText(a))
	}
	p.line("%s = %s(%s)%s", strings.Join(outs, ", "), n.Operator(), strings.Join(ins, ", "), attrs.String())
	for _, body := range n.Bodies() {
		p.indent += "  "
		p.line("body %q", body.Name)
		p.body(body)
		p.indent = p.indent[2:]
	}
}

func attrText(a Attr) string {
	switch v := a.Value.(type) {
	case nil:
		return "(kept)"
	case string:
		return strconv.Quote(v)
	case []string:
		return fmt.Sprintf("%q", v)
	case *Tensor:
		return fmt.Sprintf("%v%s", v.Type(), suffix(" ", elements(v)))
	case []*Tensor:
		return fmt.Sprintf("(%d tensors)", len(v))
	case *Graph:
		return fmt.Sprintf("body %q", v.Name)
	case []*Graph:
		return fmt.Sprintf("(%d bodies)", len(v))
	}
	return fmt.Sprint(a.Value)
}

func suffix(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// elements prints up to eight elements, "" for more and for those that lie in a file.
func elements(t *Tensor) string {
	switch {
	case t.Len() > 8 || t.Lazy():
		return ""
	case t.elem == String:
		return fmt.Sprintf("%q", t.strings)
	case t.elem.IsInt():
		ints, _ := t.Int64s() // in memory, and integers
		return fmt.Sprint(ints)
	}
	floats, err := t.Float64s()
	if err != nil {
		return ""
	}
	return fmt.Sprint(floats)
}
