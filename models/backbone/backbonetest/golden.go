package backbonetest

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/backbone"
)

// Case is one record of the reference: a network for one shape of input.
type Case struct {
	Name       string               // of the network
	InputShape []int64              `json:"input_shape"` // without the batch; of texts the number of tokens
	Tensors    map[string]Tensor    `json:"tensors"`
	Inputs     map[string]Tokens    `json:"inputs"` // of texts, by name
	Logits     map[string][]float64 `json:"logits"` // of input.0 and input.1
	Entropy    map[string]float64   `json:"entropy"`
	Stages     map[string]Stage     `json:"stages_input.0"` // what modules return for input.0
	TentEval   Step                 `json:"tent_eval"`      // on input.0, statistics of training
	TentBatch  *Step                `json:"tent_batch"`     // on input.0 to input.3 at once, statistics of that batch; nil in smaller records
	Memo       *Step                `json:"memo"`           // on view.0 to view.3, all parameters; logits after the step of input.0
	MCDropout  *MCDropout           `json:"mc_dropout"`     // of cifar_resnet18
}

// Tensor is a tensor that the network must have.
type Tensor struct {
	Shape []int64 `json:"shape"`
	L2    float64 `json:"l2"`
}

// Tokens is a text as the network takes it.
type Tokens struct {
	IDs   []int64 `json:"input_ids"`
	Mask  []int64 `json:"attention_mask"`
	Types []int64 `json:"token_type_ids"`
}

// Stage sums up the output of a module.
type Stage struct {
	Shape []int64   `json:"shape"`
	Mean  float64   `json:"mean"`
	L2    float64   `json:"l2"`
	First []float64 `json:"first"`
}

// Step is a loss, its gradients and what plain descent by LR does to the logits.
type Step struct {
	Loss       float64             `json:"loss"`
	LR         float64             `json:"lr"`
	Logits     [][]float64         `json:"logits"`      // before, of a batch
	ViewLogits [][]float64         `json:"view_logits"` // before, of MEMO's views
	After      [][]float64         `json:"logits_after"`
	Delta      [][]float64         `json:"logits_delta"`
	GradL2     float64             `json:"grad_l2"`    // of the whole gradient
	Small      *Step               `json:"small_step"` // the same with a smaller LR
	Grads      map[string]Gradient `json:"grads"`
}

// Gradient is a gradient's norm and its first elements.
type Gradient struct {
	L2    float64   `json:"l2"`
	First []float64 `json:"first"`
}

// MCDropout is logits with masks before the head: element i of the mask of a pass is kept, times 1/0.8, if K("dropout.<pass>.<sample>")[i]
// is at least KeepAtLeast.
type MCDropout struct {
	Rate        float64                `json:"rate"`
	KeepAtLeast uint32                 `json:"keep_if_k_at_least"`
	Logits      map[string][][]float64 `json:"logits"` // by sample, one row a pass
	MeanProbs   map[string][]float64   `json:"mean_probs"`
}

// Cases returns the records of a network, the fullest first. It skips the test where the shared data are absent.
func Cases(tb testing.TB, name string) []Case {
	tb.Helper()
	data, err := os.ReadFile(testdata.Shared(tb, "reference", "backbones", name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	var r struct{ Cases []Case }
	if err := json.Unmarshal(data, &r); err != nil || len(r.Cases) == 0 {
		tb.Fatalf("%s: %d records (%v)", name, len(r.Cases), err)
	}
	for i := range r.Cases {
		r.Cases[i].Name = name
	}
	return r.Cases
}

// Fresh returns the network of a record, with a fresh initialisation. Dropout before the head is in it where the network has it; it does
// nothing.
func Fresh(tb testing.TB, c Case) *backbone.Net {
	tb.Helper()
	n, err := backbone.New(c.Name, optionsOf(tb, c))
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// Build is [Fresh], filled.
func Build(tb testing.TB, c Case) *backbone.Net {
	tb.Helper()
	n := Fresh(tb, c)
	if err := Fill(n); err != nil {
		tb.Fatal(err)
	}
	return n
}

func optionsOf(tb testing.TB, c Case) (o backbone.Options) {
	info, err := backbone.Describe(c.Name)
	if err != nil {
		tb.Fatal(err)
	}
	o.Classes = len(c.Logits["input.0"])
	switch {
	case len(c.InputShape) == 3:
		o.Channels, o.Size = int(c.InputShape[0]), int(c.InputShape[1])
	case info.Kind == backbone.Signal:
		o.Channels, o.Samples = int(c.InputShape[0]), int(c.InputShape[1])
	}
	return o
}

// Golden returns the network of the fullest record, filled, and the record.
func Golden(tb testing.TB, name string) (*backbone.Net, Case) {
	tb.Helper()
	c := Cases(tb, name)[0]
	return Build(tb, c), c
}

// Sample returns an input of the reference without the batch, such as "input.0", "view.3" or "train.7".
func Sample(name string, shape ...int64) []float32 {
	count := 1
	for _, d := range shape {
		count *= int(d)
	}
	out := make([]float32, count)
	for i, u := range Uniform(name, count) {
		out[i] = float32(2 * u)
	}
	return out
}

// Batch returns several inputs of a record's network one after the other.
func Batch(c Case, names ...string) []float32 {
	var out []float32
	for _, name := range names {
		out = append(out, Sample(name, c.InputShape...)...)
	}
	return out
}

// Text returns a text of the reference for a vocabulary, as it is filled for records that do not list theirs: 16 tokens, of which 11 are
// real where the number in the name is odd.
func Text(name string, vocabulary int) Tokens {
	const n = 16
	number, err := strconv.Atoi(name[strings.LastIndexByte(name, '.')+1:])
	if err != nil {
		panic("backbonetest: " + name + " ends in no number")
	}
	real := n
	if number%2 == 1 {
		real = 11
	}
	t := Tokens{make([]int64, n), make([]int64, n), make([]int64, n)}
	for i, k := range K(name, n)[:real] {
		t.IDs[i], t.Mask[i] = 200+int64(k)%int64(vocabulary-200), 1
		if i >= real/2 {
			t.Types[i] = 1
		}
	}
	t.IDs[0], t.IDs[real-1] = 101, 102
	return t
}
