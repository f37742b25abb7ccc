package models

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"github.com/x448/float16"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/replace"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/weights"
)

func modelsConvertCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name: "convert", Usage: "weights from one format to another", ArgsUsage: "FILE",
		Description: "Reads safetensors, PyTorch state dicts, npz and the weights of ONNX files; writes safetensors or npz, by the name of the output.\n" +
			"An ONNX file is also written as ONNX, with large weights as float16 (--type f16).",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FILE` to write: .safetensors, .npz, or .onnx"},
			&cli.StringFlag{Name: "type", Usage: "f32, or f16 for tensors of rank two and more; default: as they are"},
			&cli.BoolFlag{Name: "overwrite", Usage: "replace a file that exists"},
		},
		Action: func(c *cli.Context) error { return convertWeights(c, env) },
	}
}

func convertWeights(c *cli.Context, env console.Environment) error {
	in, out := c.Args().First(), c.String("output")
	switch kind := c.String("type"); {
	case c.NArg() != 1 || out == "":
		return errors.New("models convert: want one FILE and -o FILE")
	case kind != "" && kind != "f32" && kind != "f16":
		return fmt.Errorf("models convert: --type %s: want f32 or f16", kind)
	}
	if err := errors.Join(files.KeepApart([]files.Place{files.At("the input", in)}, []files.Place{files.At("the output", out)}), files.MayReplace(out, c.Bool("overwrite"))); err != nil {
		return fmt.Errorf("models convert: %w", err)
	}
	data, said, err := converted(in, out, c.String("type"))
	if err != nil {
		return fmt.Errorf("models convert: %w", err)
	}
	if err := replace.Bytes(out, data); err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "wrote       %s (%.1f MB): %s\n", out, float64(len(data))/1e6, said)
	return nil
}

// converted returns the bytes of the output, and what there is to say of it.
func converted(in, out, kind string) (data []byte, said string, err error) {
	if isONNX(out) {
		return convertedONNX(in, kind)
	}
	tensors, metadata, done, err := readWeights(in)
	if err != nil {
		return nil, "", err
	}
	kept := 0
	for i, t := range tensors {
		var changed bool
		if tensors[i], changed, err = cast(t, kind); err != nil {
			return nil, "", errors.Join(fmt.Errorf("%s: %s: %w", in, t.Name(), err), done())
		}
		if kind == "f16" && !changed {
			kept++
		}
	}
	var b bytes.Buffer
	switch ext := strings.ToLower(filepath.Ext(out)); ext {
	case ".safetensors":
		err = weights.WriteSafetensors(&b, tensors, metadata)
	case ".npz":
		err = weights.WriteNPZ(&b, tensors)
	default:
		err = fmt.Errorf("%s: want a name that ends in .safetensors, .npz or .onnx", out)
	}
	said = fmt.Sprintf("%d tensors", len(tensors))
	if kind == "f16" {
		said += fmt.Sprintf(", %d of them as they were", kept)
	}
	return b.Bytes(), said, errors.Join(err, done())
}

func isONNX(path string) bool { return strings.EqualFold(filepath.Ext(path), ".onnx") }

func convertedONNX(in, kind string) ([]byte, string, error) {
	if !isONNX(in) || kind != "f16" {
		return nil, "", errors.New("an ONNX file is made of an ONNX file, with --type f16; of weights `oatta models build` makes one")
	}
	m, err := onnx.Read(in)
	if err != nil {
		return nil, "", err
	}
	p, err := m.Proto()
	if err != nil {
		return nil, "", err
	}
	half, stats := onnx.Halve(p)
	data, err := onnx.Encode(half)
	return data, fmt.Sprintf("%d tensors as float16, off by at most %.2g", stats.Halved, stats.MaxError), err
}

// readWeights returns the tensors of a file, which must stay open until they are written: done closes it.
func readWeights(path string) (tensors []*weights.Tensor, metadata map[string]string, done func() error, err error) {
	if isONNX(path) {
		tensors, err = weightsOfONNX(path)
		return tensors, nil, func() error { return nil }, err
	}
	f, err := weights.Open(path)
	if err != nil {
		return nil, nil, nil, err
	}
	return slices.Clone(f.Tensors()), f.Metadata(), f.Close, nil
}

// weightsOfONNX returns parameters and running statistics under their names; those that are stored as float16 and cast have the name of
// what they are cast to.
func weightsOfONNX(path string) ([]*weights.Tensor, error) {
	m, err := onnx.Read(path)
	if err != nil {
		return nil, err
	}
	g := m.Graph
	g.MarkParams()
	for _, n := range g.Nodes() {
		if n.Op != "BatchNormalization" {
			continue
		}
		for _, v := range n.Inputs[3:] {
			if g.Kind(v) == graph.Constant {
				g.SetParam(v, true)
			}
		}
	}
	uses := g.UseLists()
	var out []*weights.Tensor
	for _, v := range g.Params() {
		name := g.NameOf(v)
		if u := uses[v]; len(u) == 1 && u[0].Node.Op == "Cast" {
			name = g.NameOf(u[0].Node.Outputs[0])
		}
		t, err := weightOf(name, g.ConstOf(v))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, name, err)
		}
		out = append(out, t)
	}
	return out, nil
}

func weightOf(name string, t *graph.Tensor) (*weights.Tensor, error) {
	kinds := map[graph.DType]weights.DType{graph.Float32: weights.F32, graph.Float16: weights.F16, graph.BFloat16: weights.BF16, graph.Float64: weights.F64}
	kind, ok := kinds[t.Elem()]
	if !ok {
		return nil, fmt.Errorf("elements of type %v", t.Elem())
	}
	raw, err := t.Bytes()
	if err != nil {
		return nil, err
	}
	shape := make([]int, len(t.Dims()))
	for i, d := range t.Dims() {
		shape[i] = int(d)
	}
	return weights.New(name, kind, shape, raw)
}

// cast changes the type of a tensor of floats. To float16 go tensors of rank two and more whose values it holds: scales, biases and the
// variances of normalisations lose too much.
func cast(t *weights.Tensor, kind string) (*weights.Tensor, bool, error) {
	isFloat := slices.Contains([]weights.DType{weights.F16, weights.BF16, weights.F32, weights.F64}, t.DType())
	if kind == "" || !isFloat || kind == "f16" && len(t.Shape()) < 2 {
		return t, false, nil
	}
	values, err := t.Float32s()
	if err != nil {
		return nil, false, err
	}
	if kind == "f32" {
		out, err := weights.NewFloat32(t.Name(), t.Shape(), values)
		return out, true, err
	}
	raw := make([]byte, 0, 2*len(values))
	for _, v := range values {
		if math.Abs(float64(v)) > 65504 {
			return t, false, nil
		}
		raw = binary.LittleEndian.AppendUint16(raw, float16.Fromfloat32(v).Bits())
	}
	out, err := weights.New(t.Name(), weights.F16, t.Shape(), raw)
	return out, true, err
}
