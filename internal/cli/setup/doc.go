// Package setup holds the commands that find or fetch ONNX Runtime and tell versions, and loads the library for others.
package setup
