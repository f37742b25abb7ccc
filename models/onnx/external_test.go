package onnx

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// weighty is a model with a weight of 4,800 bytes and a bias of 12.
func weighty() *Model {
	g := graph.New("weighty", Normal)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(400)}})
	values := make([]float32, 1200)
	for i := range values {
		values[i] = float32(i%7) / 8
	}
	w, b := g.Param("w", graph.NewTensor(values, 3, 400)), g.Param("b", graph.NewTensor([]float32{1, 2, 3}, 3))
	g.Output("y", g.Op("Gemm", []graph.Value{x, w, b}, graph.A("transB", true)))
	return New(g)
}

func TestSave(t *testing.T) {
	for name, c := range map[string]struct {
		settings SaveSettings
		external string
	}{
		"inside":    {SaveSettings{}, ""},
		"asked for": {SaveSettings{External: true}, "w"},
		"too large": {SaveSettings{MaxInline: 4000}, "w"},
		"all":       {SaveSettings{External: true, MinBytes: 1}, "w b"},
	} {
		path := filepath.Join(t.TempDir(), "net.onnx")
		m := weighty()
		want, err := m.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Save(path, c.settings); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := Read(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var lazy []string
		for _, v := range again.Graph.Params() {
			if again.Graph.ConstOf(v).Lazy() {
				lazy = append(lazy, again.Graph.NameOf(v))
			}
		}
		if got := strings.Join(lazy, " "); got != c.external {
			t.Errorf("%s: external tensors %q, want %q", name, got, c.external)
		}
		got, err := again.Bytes()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: brought back inside, the model differs: %v", name, err)
		}
		// Over itself, while its tensors still lie in the file that is replaced.
		if err := again.Save(path, c.settings); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		once, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err = once.Bytes(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: written over itself, the model differs: %v", name, err)
		}
		left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
		if err != nil || len(left) > 0 {
			t.Errorf("%s: left behind %v", name, left)
		}
	}
	if err := weighty().Save(filepath.Join(t.TempDir(), "x"), SaveSettings{MinBytes: -1}); err == nil {
		t.Error("a negative size was taken")
	}
}

// placed is weighty with its weight at a place of the test's choosing.
func placed(t *testing.T, dir string, entries ...string) (*Model, error) {
	t.Helper()
	p, err := weighty().Proto()
	if err != nil {
		t.Fatal(err)
	}
	w := p.Graph.Initializer[0]
	w.RawData, w.DataLocation = nil, onnxpb.TensorProto_EXTERNAL.Enum()
	for i := 0; i < len(entries); i += 2 {
		w.ExternalData = append(w.ExternalData, &onnxpb.StringStringEntryProto{Key: proto.String(entries[i]), Value: proto.String(entries[i+1])})
	}
	return FromProto(p, dir)
}

func TestExternalPlaces(t *testing.T) {
	outside := t.TempDir()
	dir := filepath.Join(outside, "model")
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(outside, "secret"), filepath.Join(dir, "sub", "w.bin")} {
		if err := os.WriteFile(path, make([]byte, 4810), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		entries []string
		want    string // of an error, "" for none
	}{
		{[]string{"location", "sub/w.bin"}, ""},
		{[]string{"location", "sub/w.bin", "offset", "10", "length", "4800", "checksum", "?"}, ""},
		{[]string{"location", "sub/../sub/w.bin"}, ""},
		{[]string{"location", "../secret"}, "is no path inside the folder of the model"},
		{[]string{"location", filepath.Join(outside, "secret")}, "is no path inside the folder of the model"},
		{nil, "is no path inside the folder of the model"},
		{[]string{"location", "link"}, "escapes"},
		{[]string{"location", "none"}, "no such file"},
		{[]string{"location", "sub"}, "4800 bytes from 0 on"},
		{[]string{"location", "sub/w.bin", "offset", "11"}, "4800 bytes from 11 on, the file has 4810"},
		{[]string{"location", "sub/w.bin", "offset", "9223372036854775807"}, "the file has 4810"},
		{[]string{"location", "sub/w.bin", "offset", "-1"}, `offset "-1"`},
		{[]string{"location", "sub/w.bin", "offset", "x"}, `offset "x"`},
		{[]string{"location", "sub/w.bin", "length", "12"}, "needs 4800 bytes, external data has 12"},
	} {
		m, err := placed(t, dir, c.entries...)
		if err == nil {
			_, err = m.Bytes()
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(testdata.Plain(err.Error()), c.want) {
			t.Errorf("%v: %v, want %q", c.entries, err, c.want)
		}
	}
	m, err := placed(t, "", "location", "w.bin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Bytes(); err == nil || !strings.Contains(err.Error(), "folder of the model is not known") {
		t.Errorf("error %v", err)
	}
}
