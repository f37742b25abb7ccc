// Package client asks an `oatta serve` from Go: rows of many streams in, adapted answers out, and the streams listed, moved and forgotten. It needs
// the standard library alone.
//
//	c, err := client.New("http://127.0.0.1:8000", client.Options{})
//	a, err := c.Infer(ctx, &client.Request{Model: "filter", Stream: "camera 7", Input: client.Probabilities([]float64{0.7, 0.2, 0.1})})
//	fmt.Println(a.Adapted[0])
//
// # Retries
//
// What the server turned away (429, 503) changed nothing, and is asked again, after as long as the server says. Where an answer was lost, nobody
// knows whether the step was made: such a request is asked again with its key, by which the server knows it and answers as it did the first time.
// [Client.Infer] makes a key of random bits where a request of a stream has none.
//
// A request of a stream has a number, too, above those before ([Request]). One that a network holds back until later ones were counted is refused when it
// arrives, however late: it is no step. Status 409 with a number in [Error] says of a request that it was passed by: if no attempt of it was lost, it was
// no step.
//
// # Order
//
// The requests of one stream are steps in the order in which they arrive: give one when the one before is answered. Those of different streams may be
// under way at once.
package client
