// Package training trains networks on labelled streams: which examples there are and who is held out, what is done to them each time they
// are shown, the loop with its checkpoints, and the folder of the finished model.
//
// # Contract
//
// [Data] are items in the order of their streams, each with the group that it belongs to: a person, a camera, an account. [NewSplit] divides
// whole groups into training, validation and test; nobody is in two parts. Items without a class stay in their streams, where they part what
// lies on their two sides, and are never trained on.
//
// A [Store] holds the inputs of all items once and compactly, and makes batches of them. What is random in an example follows from the seed
// of the run, the epoch and the item alone: neither from the number of goroutines that load nor from what was loaded before.
//
// Where only the last layer learns and nothing changes the examples, [Network.Apart] lets a run compute what comes before it once.
//
// [Run] is the loop. All that decides what comes next is in its checkpoint, so that a run that was killed anywhere and resumed ends with the
// same bytes as one that was not.
package training
