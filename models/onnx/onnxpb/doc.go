// Package onnxpb holds the ONNX file format as Go types, generated from onnx.proto beside it.
//
// It is committed, so that building oatta needs neither a protobuf compiler nor a plug-in. To make it again after a change to onnx.proto,
// install protoc (Debian's protobuf-compiler, 3.21.12 made the committed file) and the plug-in of the version that go.mod names,
//
//	go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
//
// and run go generate in this folder. Use package models/onnx to read and write files.
package onnxpb

//go:generate protoc --proto_path=../../.. --go_out=../../.. --go_opt=module=github.com/oatta/oatta models/onnx/onnxpb/onnx.proto
