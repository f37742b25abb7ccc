package forms

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/autodiff"
	"github.com/oatta/oatta/models/graph"
)

// cases have every form between them: pads, strides, one axis and two, groups.
func cases() []Case {
	one, two, none := []int64{1, 1}, []int64{2, 2}, []int64{0, 0, 0, 0}
	same := []int64{1, 1, 1, 1}
	return []Case{
		{graph.Float64, []int64{2, 3, 5, 6}, []int64{4, 3, 3, 3}, one, one, same, 1, "xw"},
		{graph.Float64, []int64{2, 3, 6, 6}, []int64{4, 3, 3, 3}, two, one, same, 1, "xw"},
		{graph.Float64, []int64{2, 3, 4, 4}, []int64{5, 3, 1, 1}, one, one, none, 1, "xw"},
		{graph.Float64, []int64{2, 4, 5, 5}, []int64{4, 2, 3, 3}, one, one, same, 2, "xw"},
		{graph.Float64, []int64{3, 4, 9}, []int64{4, 4, 3}, []int64{1}, []int64{2}, []int64{4, 0}, 1, "xw"},
		{graph.Float64, []int64{3, 4, 9}, []int64{4, 4, 3}, []int64{1}, []int64{1}, []int64{1, 1}, 1, "x"},
	}
}

// choices lists all that the tuner may choose.
func choices(t *testing.T, c Case) (out []Choice) {
	t.Helper()
	g := graph.New("case", opset)
	n, err := c.conv(g)
	if err != nil {
		t.Fatal(err)
	}
	inputs, weights, err := autodiff.FormsOf(g, n)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range append(inputs, "") {
		for _, w := range append(weights, "") {
			out = append(out, Choice{Direct, autodiff.ConvForms{Input: in, Weight: w}})
		}
	}
	if c.hasShort() {
		out = append(out, Choice{Form: Short})
	}
	return out
}

// All that the tuner may choose computes the same, in double precision on the interpreter.
func TestEveryChoiceIsTheSame(t *testing.T) {
	for _, c := range cases() {
		var want []oracle.Tensor
		all := choices(t, c)
		for _, ch := range append([]Choice{{Form: Direct}}, all...) {
			g, err := c.graph(ch, "y"+c.Needs)
			if err != nil {
				t.Fatalf("%s: %v: %v", c.Key(), ch, err)
			}
			var in []oracle.Tensor
			for i, v := range g.Inputs() {
				dims, _ := g.TypeOf(v).Shape.Sizes()
				values := waves(dims)
				for j := range values {
					values[j] *= float64(1 + i)
				}
				in = append(in, oracle.Float64s(values, dims...))
			}
			got, err := oracle.Run(g, in...)
			if err != nil {
				t.Fatalf("%s: %v: %v", c.Key(), ch, err)
			}
			if want == nil {
				want = got
			}
			for i := range want {
				for j, v := range want[i].F {
					if !(math.Abs(got[i].F[j]-v) <= 1e-12*(1+math.Abs(v))) {
						t.Fatalf("%s: %v: result %d, number %d: %v, want %v", c.Key(), ch, i, j, got[i].F[j], v)
					}
				}
			}
		}
		if len(all) < 2 {
			t.Errorf("%s: only %v", c.Key(), all)
		}
	}
}

func TestChoiceIsItsText(t *testing.T) {
	for _, c := range cases() {
		for _, ch := range choices(t, c) {
			if got, err := ParseChoice(ch.String()); err != nil || got != ch {
				t.Errorf("%q: %v, %v", ch, got, err)
			}
		}
	}
	for _, bad := range []string{"", "fast", "short input=turned", "direct speed=high", "direct input"} {
		if _, err := Recorded(map[string]string{"case": bad}); (err == nil) != (bad == "direct input") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	g := graph.New("g", opset)
	c := cases()[0]
	n, err := c.conv(g)
	if err != nil {
		t.Fatal(err)
	}
	loss := g.Op("ReduceSum", []graph.Value{n.Outputs[0]}, graph.A("keepdims", 0))
	p, err := Recorded(map[string]string{c.Key(): "direct input=upwards"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Gradient(g, 0, "xw", loss, n.Inputs[:1]); err == nil || !strings.Contains(err.Error(), `"upwards"`) {
		t.Errorf("a form that there is not: %v", err)
	}
}

// stub times by names of operators.
func stub(calls *int, times map[string]float64) func(list []*graph.Graph) ([]float64, error) {
	return func(list []*graph.Graph) ([]float64, error) {
		*calls++
		var out []float64
		for _, g := range list {
			s := 0.0
			for _, n := range g.Nodes() {
				s += times[n.Op]
			}
			out = append(out, s)
		}
		return out, nil
	}
}

// What was timed once is taken from the file: by another tuner, and not by another machine; a damaged file is told and made anew.
func TestTunerKeeps(t *testing.T) {
	c := cases()[0]
	calls, told := 0, ""
	tuner := func(machine string, times map[string]float64) *Tuner {
		return &Tuner{Machine: machine, File: filepath.Join(dirOf(t), "sub", "forms.json"), measure: stub(&calls, times), Tell: func(format string, args ...any) {
			told += fmt.Sprintf(format, args...) + "\n"
		}}
	}
	turned := map[string]float64{"Conv": 5, "ConvTranspose": 9, "Gemm": 10, "MatMul": 100}
	spread := map[string]float64{"Conv": 9, "ConvTranspose": 5, "Gemm": 10, "MatMul": 1}
	choose := func(tn *Tuner) Choice {
		t.Helper()
		ch, err := tn.choose(c)
		if err != nil {
			t.Fatal(err)
		}
		return ch
	}
	file := tuner("a", turned).File
	first := choose(tuner("a", turned))
	if calls != 3 || first != (Choice{Form: Direct}) { // the input, the weight and the whole
		t.Errorf("%d measurements, %v", calls, first)
	}
	if again := choose(tuner("a", spread)); again != first || calls != 3 {
		t.Errorf("from the file: %v after %d measurements, want %v", again, calls, first)
	}
	if other := choose(tuner("b", spread)); other.Input != "transposed" || calls != 6 {
		t.Errorf("another machine: %v after %d measurements", other, calls)
	}
	if strings.Contains(told, "anew") {
		t.Error(told)
	}
	if err := os.WriteFile(file, []byte("{not JSON"), 0o644); err != nil {
		t.Fatal(err)
	}
	if again := choose(tuner("a", turned)); again != first || calls != 9 || !strings.Contains(told, "made anew: "+file) {
		t.Errorf("after damage: %v, %d measurements, %s", again, calls, told)
	}
	if k, err := readKept(file); err != nil || len(k.Choices["a"]) != 1 {
		t.Errorf("%v, %v", k, err)
	}
}

var folders sync.Map

func dirOf(t *testing.T) string {
	dir, _ := folders.LoadOrStore(t.Name(), t.TempDir())
	return dir.(string)
}

// Runs at the same time lose nothing, and agree on what was kept first.
func TestTunersAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "forms.json")
	var wait sync.WaitGroup
	got := make([]map[string]string, 4)
	for i := range got {
		wait.Add(1)
		go func() {
			defer wait.Done()
			calls := 0
			tn := &Tuner{File: file, measure: stub(&calls, map[string]float64{"Conv": float64(1 + i), "ConvTranspose": 3, "Gemm": 2})}
			p := tn.Plan()
			for _, c := range cases() {
				if _, err := p.choose(c); err != nil {
					t.Error(err)
				}
			}
			got[i] = p.Choices()
		}()
	}
	wait.Wait()
	k, err := readKept(file)
	if err != nil || len(k.Choices[""]) != len(cases()) {
		t.Fatalf("%v, %v", k, err)
	}
	for i := range got {
		if !maps.Equal(got[i], k.Choices[""]) {
			t.Errorf("run %d has %v\nthe file %v", i, got[i], k.Choices[""])
		}
	}
	if left, _ := filepath.Glob(file + "*"); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// The processor is told by what makes its speed, and the library by its version.
func TestMachine(t *testing.T) {
	text := "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\nstepping\t: 1\ncpu MHz\t\t: 2596\nprocessor\t: 1\nmodel\t\t: 18\n"
	if got, want := processor(text), "AuthenticAMD 25 17 AMD EPYC 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Machine("1.24.4"); !strings.HasSuffix(got, ", ONNX Runtime 1.24.4") || strings.Contains(got, "  ") {
		t.Errorf("%q", got)
	}
}
