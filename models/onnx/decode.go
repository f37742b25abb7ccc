package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// MaxBytes is the largest file that [Decode] takes: protobuf's own limit. Larger networks keep their weights in external files.
const MaxBytes = 1<<31 - 1

// maxDepth bounds how deep messages nest. A subgraph costs four levels (graph, node, attribute, graph), so this allows some
// sixty control-flow operators inside each other, and keeps every recursive walk over a decoded model shallow.
const maxDepth = 256

// maxRank bounds the number of sizes of one tensor. ONNX states no limit; frameworks stop at 8 to 64.
const maxRank = 64

// Decode reads an ONNX file. It checks what every later step relies on: there is a graph with nodes, every tensor that claims raw
// data has as many bytes as type and sizes ask for, and the operator set is stated.
func Decode(data []byte) (*onnxpb.ModelProto, error) {
	if len(data) == 0 {
		return nil, errors.New("onnx: the file is empty")
	}
	if int64(len(data)) > MaxBytes {
		return nil, fmt.Errorf("onnx: %d bytes, more than the %d that protobuf allows (larger networks keep weights in external data)", len(data), int64(MaxBytes))
	}
	if what := lookalike(data); what != "" {
		return nil, fmt.Errorf("onnx: not an ONNX file: it looks like %s", what)
	}
	m := new(onnxpb.ModelProto)
	if err := (proto.UnmarshalOptions{RecursionLimit: maxDepth}).Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("onnx: not an ONNX file, or a damaged one (%d bytes): %w", len(data), err)
	}
	if err := check(m); err != nil {
		return nil, err
	}
	return m, nil
}

// Encode writes a model. The bytes depend on nothing but the model: fields in the order of their numbers, unknown fields last.
func Encode(m *onnxpb.ModelProto) ([]byte, error) {
	options := proto.MarshalOptions{Deterministic: true}
	if size := int64(options.Size(m)); size > MaxBytes {
		return nil, fmt.Errorf("onnx: encode: %d bytes, more than the %d that protobuf allows", size, int64(MaxBytes))
	}
	data, err := options.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("onnx: encode: %w", err)
	}
	return data, nil
}

// magics are the beginnings of files that people take for ONNX files. None can begin an ONNX file of a known exporter, whose first
// byte is the tag of ir_version (0x08).
var magics = []struct{ magic, what string }{
	{"PK\x03\x04", "a zip archive (a PyTorch .pt/.pth file or an .npz?); export it with torch.onnx.export"},
	{"\x80\x02", "a Python pickle (a PyTorch .pth file?); export it with torch.onnx.export"},
	{"\x89HDF", "an HDF5 file (a Keras .h5 file?); convert it with tf2onnx"},
	{"\x1f\x8b", "a gzip file; decompress it first"},
	{"\x28\xb5\x2f\xfd", "a zstd file; decompress it first"},
	{"version https://git-lfs", "a Git LFS pointer, not the file itself; run git lfs pull"},
	{"<!DOCTYPE", "an HTML page"},
	{"<html", "an HTML page"},
	{"<?xml", "an XML file (an OpenVINO .xml file?)"},
}

// lookalike names what the data is if that is plainly no ONNX model, else "".
func lookalike(data []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(data, []byte(m.magic)) {
			return m.what
		}
	}
	if len(data) > 8 && string(data[4:8]) == "TFL3" {
		return "a TensorFlow Lite file; convert it with tf2onnx"
	}
	if len(data) > 9 && data[8] == '{' && bytes.Contains(data[9:min(len(data), 512)], []byte(`"dtype"`)) {
		return "a safetensors file, which holds weights but no network"
	}
	if isText(data[:min(len(data), 512)]) {
		return "text"
	}
	return ""
}

// isText reports printable UTF-8. ONNX files begin with small binary numbers, so 16 printable bytes never begin one.
func isText(head []byte) bool {
	if len(head) < 16 {
		return false
	}
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && len(head) >= utf8.UTFMax || r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			return false
		}
		head = head[n:]
	}
	return true
}

func check(m *onnxpb.ModelProto) error {
	g := m.GetGraph()
	switch {
	case g == nil:
		return errors.New("onnx: the model has no graph (is it really an ONNX file?)")
	case len(g.GetNode()) == 0:
		return fmt.Errorf("onnx: graph %q has no nodes", g.GetName())
	case len(m.GetOpsetImport()) == 0 && m.GetIrVersion() >= 3:
		return errors.New("onnx: the model does not say which operator set it uses")
	}
	return walkTensors(g, checkTensor)
}

func checkTensor(where string, t *onnxpb.TensorProto) error {
	n, err := elements(t)
	if err != nil {
		return fmt.Errorf("onnx: %s: %w", where, err)
	}
	bits := elementBits(t.GetDataType())
	if t.RawData == nil || bits == 0 || isExternal(t) {
		return nil
	}
	if want := (n*int64(bits) + 7) / 8; want != int64(len(t.GetRawData())) {
		return fmt.Errorf("onnx: %s: %s%v needs %d bytes, the file has %d", where, typeName(t.GetDataType()), t.GetDims(), want, len(t.GetRawData()))
	}
	return nil
}
