// Package models is the backbones by name: weights, labels and preprocessing settings as one manifest.
//
// # Contract
//
// A [Model] is an ONNX file and a [Manifest] that says what the network expects and what its outputs mean. [Load] takes the name of
// an embedded model, the path of an ONNX file or the path of a manifest:
//
//	m, err := models.Load("efficientnet-lite0")      // in the binary
//	m, err := models.Load("wildlife.onnx")           // with wildlife.json beside it, or guessed
//	session, err := m.Open(engine, runtime.Config{}) // checked against the manifest
//
// The file is read once, by Load. What the manifest promises comes ready: [Model.Transform] for pictures, [Signal.Epochs] and
// [Signal.Windows] for signals, [Model.Tokenizer] for texts, and [Model.OpenBase] for the plain predictor that is fed with it.
// [Model.OpenGraph] opens what a builder makes of the network, as tent.Build and memo.Build do. [New] takes a network that lies in memory.
//
// The manifest of x.onnx is x.json in the same folder. It is read strictly: a field that is unknown, missing or out of range is an
// error that names it. Where there is none, the manifest is guessed from the graph, from the class names that exporters leave in
// it, and from the Hugging Face files config.json and preprocessor_config.json beside it. Every guess is listed in words in
// [Model.Guessed]; a program should show that list, and offer to write the manifest down for correction.
//
// A manifest is of pictures ([Input]), of signals ([Signal]: movement and sleep, as samples or features) or of texts ([Text]); Task says
// which. Only pictures are guessed: no graph tells what a channel is called or which tokenizer made its ids. Decision trees are networks
// like any; outputs that are no numbers, as their labels in words, are left out.
//
// What the numbers mean: a picture of height h and width w becomes (value/255 - mean)/std per channel, in the manifest's colour
// order and layout. Means and deviations are therefore in units of full scale, whatever the exporter used.
//
// Errors name the file and the field. Nothing in a manifest or an ONNX file makes this package panic.
package models
