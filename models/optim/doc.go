// Package optim is SGD, Nesterov, Adam, AdamW, schedules, as graph nodes.
//
// # Contract
//
// [Settings.Step] appends to a graph the nodes that turn parameters, their gradients and the optimiser's state into updated parameters and
// state, all of them ordinary values: the caller feeds the state of one run into the next, so that resetting is feeding zeros and the
// source's parameters, and streams share nothing. The learning rate is a value too: an input, a constant, or what a [Schedule] makes of the
// number of steps taken.
//
// The formulas are PyTorch's (torch.optim.SGD, Adam, AdamW), with g the gradient, to which SGD and Adam first add decay*p:
//
//	SGD       p <- p - rate g
//	momentum  b <- momentum b + g;  p <- p - rate b          (b starts as 0, there is no dampening)
//	Nesterov  b <- momentum b + g;  p <- p - rate (g + momentum b)
//	Adam      m <- beta1 m + (1-beta1) g;  v <- beta2 v + (1-beta2) g^2;  t <- t + 1
//	          p <- p - rate / (1-beta1^t) m / (sqrt(v) / sqrt(1-beta2^t) + epsilon)
//	AdamW     Adam after p <- p (1 - rate decay), without decay in g
//
// The corrections 1-beta^t and schedules are computed in float64 whatever the parameters' type: in float32 the first would be off by
// 5e-5 of itself at the first step. Parameters that are one flat vector cost one node for each operation.
//
//	s := optim.Settings{Method: optim.Adam}
//	state, err := s.NewState(g, []graph.Value{theta}, "adam")   // inputs adam.step, adam.m.0 and adam.v.0
//	if err != nil {
//		return err
//	}
//	next, state, err := s.Step(g, []graph.Value{theta}, grads, rate, state)
package optim
