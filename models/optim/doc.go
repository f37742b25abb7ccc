// Package optim is SGD, Nesterov, Adam, AdamW, schedules, as graph nodes.
//
// # Contract
//
// An optimiser will append to a graph the nodes that turn parameters, their gradients and its own state into updated parameters and
// state, all of them ordinary values: the caller feeds the state of one step into the next, so that resetting is feeding the source
// values, and streams share nothing. Hyper-parameters that change between steps are inputs of the graph. The package holds no code
// yet.
package optim
