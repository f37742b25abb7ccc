// Package runtime is the vocabulary that every part of oatta shares for running a network: [Tensor], [Port], [Session],
// [Engine] and [Config]. It is pure Go and imports nothing of this module; the one implementation on native code is
// package runtime/ort, a fake and a conformance suite for every implementation are in runtime/runtimetest.
//
// The package shares its name with a standard one. Everywhere in this module the standard one is imported as goruntime;
// internal/arch enforces it.
//
// # Who owns what
//
// A caller allocates the source and destination tensors of [Session.Run] and keeps owning them: a session retains nothing
// after Run returns. Sessions are safe for concurrent Run; two concurrent calls must not share destination tensors.
package runtime
