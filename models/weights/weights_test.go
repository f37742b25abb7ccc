package weights

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

type golden struct {
	Shape  []int
	Values []float32
}

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func check(t *testing.T, f *File, name string, want golden) {
	t.Helper()
	x, err := f.Tensor(name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Float32s()
	if err != nil || !slices.Equal(got, want.Values) || !slices.Equal(x.Shape(), want.Shape) {
		t.Errorf("%s: got %v %v (%v), want %v", x, x.Shape(), got, err, want)
	}
}

func TestNumpyAndSafetensorsGoldens(t *testing.T) {
	text, err := os.ReadFile("testdata/arrays.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]golden
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for file, n := range map[string]int{"all.safetensors": 14, "all.npz": 18, "compressed.npz": 18} {
		f := open(t, filepath.Join("testdata", file))
		if len(f.Names()) != n {
			t.Errorf("%s: %d tensors, want %d", file, len(f.Names()), n)
		}
		for _, name := range f.Names() {
			check(t, f, name, want[name])
		}
	}
	check(t, open(t, "testdata/single.npy"), "", want["f4"])
}

func TestWriteSafetensorsAsTheReferenceDoes(t *testing.T) {
	want, err := os.ReadFile("testdata/all.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, "testdata/all.safetensors")
	var b bytes.Buffer
	if err := WriteSafetensors(&b, f.Tensors(), f.Metadata()); err != nil || !bytes.Equal(b.Bytes(), want) {
		t.Errorf("other bytes than the reference's (%v)", err)
	}
}

func TestTorchGoldens(t *testing.T) {
	for _, file := range []string{"state.pt", "big.pt", "legacy.pth"} {
		f := open(t, filepath.Join("testdata", file))
		check(t, f, "w", golden{[]int{3, 4}, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}})
		check(t, f, "wt", golden{[]int{4, 3}, []float32{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}})
		check(t, f, "row", golden{[]int{4}, []float32{4, 5, 6, 7}})
		check(t, f, "expanded", golden{[]int{2, 2}, []float32{2, 3, 2, 3}})
		check(t, f, "half", golden{[]int{2}, []float32{1.5, -2}})
		check(t, f, "bf", golden{[]int{2}, []float32{1.5, -2}})
		check(t, f, "count", golden{[]int{}, []float32{7}})
	}
}

func TestHostilePickles(t *testing.T) {
	for name, c := range map[string]struct{ pickle, want string }{
		"call":     {"\x80\x02cposix\nsystem\nX\x02\x00\x00\x00ls\x85R.", `global "posix.system"`},
		"stack":    {"\x80\x04\x8c\x08builtins\x8c\x04eval\x93.", `global "builtins.eval"`},
		"huge":     {"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7f.", "bytes wanted"},
		"empty":    {"\x80\x02.", "stack is empty"},
		"self":     {"\x80\x02}q\x00h\x00h\x00s.", "no tensors"},
		"unending": {"\x80\x02}", "bytes wanted"},
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create("archive/data.pkl")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(c.pickle)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(bytes.NewReader(b.Bytes()), int64(b.Len())); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestHostileSafetensors(t *testing.T) {
	for header, want := range map[string]string{
		`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`: "overlap",
		`{"a":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}`:                                                     "hole",
		`{"a":{"dtype":"U8","shape":[4611686018427387904,4],"data_offsets":[0,3]}}`:                                 "more than",
		`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,3]}}`:                                                     "data_offsets say",
		`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`:                                                     "the file holds 3",
	} {
		file := append(le.AppendUint64(nil, uint64(len(header))), header+"xyz"...)
		if _, err := Read(bytes.NewReader(file), int64(len(file))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", header, err, want)
		}
	}
}

func TestShardsStayInTheirFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors.index.json")
	if err := os.WriteFile(path, []byte(`{"weight_map":{"a":"../a.safetensors"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "plain name") {
		t.Error(err)
	}
}

// Two shards read as one file; an index that places a tensor where it is not, or leaves one out, is refused.
func TestShardsReadAsOne(t *testing.T) {
	dir := t.TempDir()
	for name, tensors := range map[string][]*Tensor{
		"one.safetensors": {float32s(t, "a", []int{2}, 1, 2), float32s(t, "b", nil, 3)},
		"two.safetensors": {float32s(t, "c", []int{1}, 4)},
	} {
		if err := Save(filepath.Join(dir, name), tensors, map[string]string{"format": "pt"}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "model.safetensors.index.json")
	for index, want := range map[string]string{
		`{"metadata":{"total_size":16},"weight_map":{"c":"two.safetensors","a":"one.safetensors","b":"one.safetensors"}}`: "",
		`{"weight_map":{"c":"two.safetensors","a":"one.safetensors"}}`:                                                    `tensor "b", which the index does not place there`,
		`{"weight_map":{"c":"two.safetensors","a":"one.safetensors","b":"two.safetensors"}}`:                              `tensor "b", which the index does not place there`,
		`{"weight_map":{"c":"two.safetensors","d":"two.safetensors"}}`:                                                    `holds no tensor "d"`,
		`{"weight_map":{"a":"three.safetensors"}}`:                                                                        "three.safetensors",
		`{"weight_map":{"a":"model.safetensors.index.json"}}`:                                                             "neither safetensors",
		`{"weight_map":{}}`: "this file has none",
	} {
		if err := os.WriteFile(path, []byte(index), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		switch {
		case want == "" && (err != nil || !slices.Equal(f.Names(), []string{"a", "b", "c"}) || f.Metadata()["format"] != "pt"):
			t.Errorf("%s: %v (%v)", index, f, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", index, err, want)
		}
		if err == nil {
			check(t, f, "c", golden{[]int{1}, []float32{4}})
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestMatchStacksAndReports(t *testing.T) {
	f := newFile()
	for i, n := range []string{"query", "key", "value"} {
		x, err := NewFloat32("vit.encoder.layer.0.attention.attention."+n+".bias", []int{1}, []float32{float32(i)})
		if err != nil || f.add(x) != nil {
			t.Fatal(err)
		}
	}
	const name = "encoder.layers.encoder_layer_0.self_attention.in_proj_bias"
	fit, report, err := Match(map[string][]int{name: {3}, "class_token": {1}}, f, HuggingFaceViT)
	if err != nil || !slices.Equal(report.Missing, []string{"class_token"}) || report.Err() == nil || fit[name] == nil {
		t.Fatal(fit, report, err)
	}
	if v, err := fit[name].Float32s(); err != nil || !slices.Equal(v, []float32{0, 1, 2}) {
		t.Error(v, err)
	}
}

// Real files open, and every tensor reads: as many as their publishers say, each with finite numbers.
func TestRealFiles(t *testing.T) {
	tensors := map[string]int{"efficientnet-lite0/efficientnet-lite0-57934424.pth": 296, "minilm/model.safetensors": 104, "models/onnx/resnet20_cifar10_ref.npz": 2}
	for _, path := range testdata.Some(t, "", slices.Sorted(maps.Keys(tensors))...) {
		want := tensors[path]
		f := open(t, testdata.Shared(t, path))
		for _, x := range f.Tensors() {
			values, err := x.Float32s()
			if err != nil {
				t.Error(err)
			}
			for _, v := range values {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Fatalf("%s: %s holds %g", path, x.Name(), v)
				}
			}
		}
		if len(f.Names()) != want {
			t.Errorf("%s: %d tensors, want %d", path, len(f.Names()), want)
		}
	}
}

// Python 2 pickles an ordered dictionary with its pairs as an argument, a list of lists.
func TestOrderedDictOfPairs(t *testing.T) {
	got, err := orderedDict(tuple{&list{[]any{&list{[]any{"a", int64(1)}}, &list{[]any{"b", nil}}}}})
	if d, ok := got.(*dict); err != nil || !ok || len(d.pairs) != 2 || d.pairs[0] != (pair{"a", int64(1)}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []tuple{{int64(3)}, {&list{[]any{int64(3)}}}, {&list{[]any{&list{[]any{"a"}}}}}} {
		if _, err := orderedDict(bad); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}
