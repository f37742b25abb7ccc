// Package runtimetest has fake sessions, and the conformance suite that any Engine passes: tests of other packages run
// without native code on a [Model], whose network is a Go function, and an engine shows by [TestEngine] that it keeps the
// contract of package runtime.
//
//	model := runtimetest.Model{
//		Inputs:  []runtime.Port{{Name: "x", Type: runtime.Float32, Shape: []int64{runtime.Dynamic, 3}}},
//		Outputs: []runtime.Port{{Name: "y", Type: runtime.Float32, Shape: []int64{runtime.Dynamic, 3}}},
//		Run: func(ctx context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) { return src, nil },
//	}
//	session := model.Open()
//
// A fake checks ports, honours the context, waits in Close and allocates destinations just as a real session does; the suite
// is run on it, too. [Engine] gives out fakes for the bytes of a model, where the code under test opens the model itself.
//
// The models of the suite are ONNX files of a few hundred bytes in testdata, with the script that wrote them; [ONNX] returns
// them.
package runtimetest
