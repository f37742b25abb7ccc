// Package ort is the only native code of this module: ONNX Runtime through yalue/onnxruntime_go, or without cgo through its C API alone; it
// loads the shared library that ortlib finds and fetches, and opens models with it.
//
//	lib, err := ortlib.Find(ctx, ortlib.Options{})
//	engine, err := ort.Load(lib.Path)
//	session, err := engine.OpenFile("model.onnx", runtime.Config{IntraThreads: 2})
//	defer session.Close()
//	out := runtime.Tensor{} // Data is nil: Run allocates it
//	err = session.Run(ctx, []runtime.Tensor{out}, []runtime.Tensor{pictures})
//
// # One library, one environment
//
// ONNX Runtime keeps process-wide state, so [Load] creates one environment per process, once, and never tears it down. A
// second Load of the same file returns the same [Engine]; of another file it is an error. A library older than C API 24
// (ONNX Runtime 1.24) is refused by name and version. The environment logs only what is fatal: every other failure comes
// back as an error, and a progress bar stays whole. Telemetry, which only Windows builds have, is switched off.
//
// # What goes through the wrapper, and what does not
//
// With cgo, environment, session options, sessions and metadata come from onnxruntime_go. Four things are done beside it, in api.c,
// through the same library's own function table: listing the providers, reading the ports of a session that is already
// open (the wrapper loads the model a second time), and the tensors of a run with the run itself. The wrapper refuses
// scalars, copies an output that it allocates twice and halves a float16 one; a run here is one crossing into C, with
// the caller's slices pinned and used in place.
//
// # Devices
//
// [runtime.DeviceCUDA] where the library has no CUDA provider, or where that provider cannot be loaded, is an error that
// says which libraries are missing. [runtime.DeviceAuto] takes CUDA if it can and the CPU if not; [DeviceReason] says why.
// On CUDA, operators run one after another whatever InterThreads says: ONNX Runtime has no parallel mode there.
//
// # Tensors
//
// Data must lie in ordinary Go memory, not in a mapped file. A scalar is a tensor with an empty Shape. Models with inputs
// or outputs that are no tensors of the six types of package runtime are refused when they are opened.
//
// # Without cgo
//
// Built without cgo, as Go does by itself where there is no C compiler, the package does all of this through the function table, with
// ebitengine/purego for the calls (files that end in _pure.go; on Windows the standard library makes them). That is so for Linux and macOS on
// amd64 and arm64 and for Windows; for other systems [Load] returns [ErrNoEngine], as it does with the tag noengine, which makes a program
// that needs no C library at all. Results are the same to the bit. A run makes one call for each tensor more, which takes half a
// microsecond for two inputs and two outputs.
package ort
