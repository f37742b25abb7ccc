package flops

import (
	"math"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/graph"
)

func forwardOf(t *testing.T, name string) Count {
	t.Helper()
	c, err := forward(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What torchvision publishes with its weights, in billions of multiply-adds with two digits.
func TestPublishedNetworks(t *testing.T) {
	for name, want := range map[string]float64{"resnet18": 1.81, "resnet50": 4.09, "convnext_tiny": 4.46, "vit_b_16": 17.56} {
		if got := float64(forwardOf(t, name).Products) / 1e9; math.Abs(got-want) > .005 {
			t.Errorf("%s: %.3f, want %.2f", name, got, want)
		}
	}
}

// ResNet-20 by hand: the stem, three stages of six convolutions whose first halves the picture, and the head.
func TestResNet20ByHand(t *testing.T) {
	const head, stem, stage = 64 * 10, 32 * 32 * 16 * 3 * 9, 32 * 32 * 16 * 16 * 9
	if got, want := forwardOf(t, "cifar_resnet20").Products, int64(stem+6*stage+2*(stage/2+5*stage)+head); got != want || want != 40_551_040 {
		t.Errorf("%d, want %d", got, want)
	}
}

// ResNet-18 for CIFAR by hand: each stage has four convolutions of 3 x 3, the first of which halves picture and doubles channels in all
// but the first stage, beside a projection.
func TestResNet18ByHand(t *testing.T) {
	const stem, full = 32 * 32 * 64 * 3 * 9, 32 * 32 * 64 * 64 * 9
	const later, head = full/2 + 3*full + full/2/9, 512 * 10
	if got, want := forwardOf(t, "cifar_resnet18").Products, int64(stem+4*full+3*later+head); got != want || want != 555_422_720 {
		t.Errorf("%d, want %d", got, want)
	}
}

// Every batch costs as many times more.
func TestBatch(t *testing.T) {
	net, err := backbone.New("cifar_resnet20", backbone.Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := net.Graph.String()
	one, err := Of(net.Graph, map[string]int64{"N": 1})
	if err != nil {
		t.Fatal(err)
	}
	if seven, err := Of(net.Graph, map[string]int64{"N": 7}); err != nil || seven != (Count{7 * one.Products, 7 * one.Others}) {
		t.Errorf("seven are %v, one is %v (%v)", seven, one, err)
	}
	if net.Graph.String() != before {
		t.Error("the graph has changed")
	}
	if _, err := Of(net.Graph, nil); err == nil || !strings.HasPrefix(err.Error(), "flops: node ") || !strings.Contains(err.Error(), "open shape") {
		t.Errorf("of an open batch: %v", err)
	}
}

// A line for each rule, on sizes small enough to count by hand.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		op     string
		shapes [][]int64
		attrs  []graph.Attr
		want   Count
	}{
		{"Conv", [][]int64{{2, 4, 5, 5}, {6, 2, 3, 3}}, []graph.Attr{graph.A("group", 2)}, Count{2 * 6 * 9 * 2 * 9, 0}},
		{"Conv", [][]int64{{1, 3, 8}, {4, 3, 3}}, []graph.Attr{graph.A("pads", []int{1, 1}), graph.A("strides", []int{2})}, Count{4 * 4 * 9, 0}},
		{"ConvTranspose", [][]int64{{1, 4, 3, 3}, {4, 2, 2, 2}}, []graph.Attr{graph.A("strides", []int{2, 2})}, Count{4 * 9 * 2 * 4, 0}},
		{"Gemm", [][]int64{{2, 3}, {3, 5}}, nil, Count{2 * 3 * 5, 0}},
		{"Gemm", [][]int64{{3, 2}, {3, 5}}, []graph.Attr{graph.A("transA", 1)}, Count{2 * 3 * 5, 0}},
		{"MatMul", [][]int64{{7, 2, 3}, {3, 5}}, nil, Count{7 * 2 * 3 * 5, 0}},
		{"Add", [][]int64{{2, 3}, {3}}, nil, Count{0, 6}},
		{"Relu", [][]int64{{2, 3}}, nil, Count{0, 6}},
		{"BatchNormalization", [][]int64{{2, 3, 4}, {3}, {3}, {3}, {3}}, nil, Count{0, 48}},
		{"Softmax", [][]int64{{2, 3}}, nil, Count{0, 24}},
		{"LogSoftmax", [][]int64{{2, 3}}, nil, Count{0, 30}},
		{"ReduceSum", [][]int64{{2, 3}}, nil, Count{0, 6}},
		{"ReduceL2", [][]int64{{2, 3}}, nil, Count{0, 12}},
		{"ReduceLogSumExp", [][]int64{{2, 3}}, nil, Count{0, 24}},
		{"GlobalAveragePool", [][]int64{{2, 3, 4}}, nil, Count{0, 24}},
		{"MaxPool", [][]int64{{1, 2, 6}}, []graph.Attr{graph.A("kernel_shape", []int{3}), graph.A("strides", []int{3})}, Count{0, 2 * 2 * 3}},
		{"Transpose", [][]int64{{2, 3}}, nil, Count{}},
	} {
		g := graph.New("one", 21)
		var inputs []graph.Value
		for i, s := range c.shapes {
			inputs = append(inputs, g.Input(string(rune('a'+i)), graph.Type{Elem: graph.Float32, Shape: graph.Of(s...)}))
		}
		g.Output("y", g.Op(c.op, inputs, c.attrs...))
		if err := g.Check(); err != nil {
			t.Fatalf("%s: %v", c.op, err)
		}
		if got, err := Of(g, nil); err != nil || got != c.want {
			t.Errorf("%s of %v: %+v, want %+v (%v)", c.op, c.shapes, got, c.want, err)
		}
	}
}

func TestNoRule(t *testing.T) {
	g := graph.New("one", 21)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Of(2, 3)})
	g.Output("y", g.Op("Hardmax", []graph.Value{x}))
	if _, err := Of(g, nil); err == nil || !strings.Contains(err.Error(), "no rule for Hardmax") {
		t.Errorf("%v", err)
	}
	for name := range rules {
		if !graph.Known(domainOf(name)) {
			t.Errorf("a rule for %s, which inference does not know", name)
		}
	}
}

func domainOf(name string) (domain, op string) {
	if i := strings.LastIndex(name, "."); i >= 0 {
		return name[:i], name[i+1:]
	}
	return "", name
}
