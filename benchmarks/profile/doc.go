// Package profile tells where the time of forward passes and of gradient steps goes: the engine's own profiler times every node of a
// network's plain pass and of Tent's and MEMO's graphs, and the times are summed by pass, by operator and by the layout of its numbers.
//
//	oatta bench profile
//	oatta bench profile --nets resnet50,tcn --rounds 9
//
// The engine keeps convolutions of constant weights, pools and what it can fuse with them in a blocked layout, and moves numbers in and out
// of it by nodes of its own, the reorders. A node's time is what passes on the clock on one thread, the median over rounds, so that shares
// count rather than times. Networks have their real weights where these are found, else those that a rule makes up.
package profile
