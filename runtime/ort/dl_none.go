//go:build !cgo && (noengine || !(windows || (((linux && !android) || darwin) && (amd64 || arm64))))

package ort

import "unsafe"

func openLibrary(string) (unsafe.Pointer, error) { return nil, ErrNoEngine }

func canLoad(string) bool { return false }

// invoke is never reached: it is for a library that was opened.
//
//go:uintptrescapes
func invoke(uintptr, ...uintptr) uintptr { panic("runtime/ort: " + ErrNoEngine.Error()) }

func pathArgument(path string) (*byte, error) { return cString(path) }
