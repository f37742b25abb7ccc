// Package backend answers requests of the server: it runs networks, steps the filters of many streams, and keeps their state.
//
// # Contract
//
//   - A stream is a model, a namespace and an id. Its requests are stepped in the order in which they were given, all rows of a request or none.
//     One goroutine a model steps what waits, commits once, and answers everything that the commit made durable: under load, many requests share one
//     transaction of [state.Store] (group commit), and alone, a request waits for nothing but its own.
//   - Nothing is answered as a success before its state is durable, unless [Options.Early] says so. Whoever has no answer does not know whether the
//     step was made; with a key ([serve.Sequence]) the request can be given again: it gets the answer that it had, also after a restart.
//   - A commit that fails, for a full disk say, fails the requests in it with [serve.Unavailable]. Their streams are what they were before, and later
//     requests go on from there.
//   - What is refused, a vector that is none, another width, an item too late under [timeline.PolicyError], is no step.
//   - A request without a stream is a stream of its own, that ends with it.
//
// # Rows
//
// Rows of a network are gathered from the requests of many streams into batches, as they wait ([Network]). The filter of a row steps by
// adapt's rules and timeline's, as those of `oatta filter` do: the same predictions give the same bits.
package backend
