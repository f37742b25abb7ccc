// Package work reads items from a subject of NATS, has them stepped, and writes the answers to another, for programs that do not speak HTTP.
//
// # Contract
//
//   - Items are JSON, one a message: {"stream": "camera 7", "probs": [0.7, 0.2, 0.1]}, with "time" (RFC 3339, or seconds since 1970), "start", "end" and
//     "id" where there are some. An answer has stream, id, the item's number, "adapted", "class", "gate" and "label" where classes have names; or
//     "error", where the item was refused.
//   - Both subjects are kept by JetStream; what is not kept yet is, by a stream that is made. An item is taken away when its answer is kept.
//   - An item is one step, however often it is delivered: its number in JetStream is the key of its request, and of each stream one item at a time is
//     on its way, so that its key is among those that are known. Its answer is written once as far as JetStream's window for double messages reaches
//     (an hour of the streams that are made here), and never less than once.
//   - Items of a stream are stepped in the order of their numbers: one reader at a time has the items, the others of the same name wait to take over
//     (JetStream pins the consumer to it). A reader that was stopped for longer than an item may take, and goes on with what it had in hand, drops it by
//     the clock of its own machine; where that is wrong, the numbers of the requests (when the subject's stream was made, and the item's) tell that
//     they have been passed by. So the items of one of the server's streams come from one subject, and from nobody else that gives them numbers.
package work
