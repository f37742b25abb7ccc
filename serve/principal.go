package serve

import "slices"

// AnyModel, among the models of a [Principal], is every model.
const AnyModel = "*"

// Principal is whom a request comes from, and what that one may touch.
type Principal struct {
	Name      string   // for logs
	Namespace string   // of its streams: those of others do not exist for it
	Models    []string // by name; AnyModel for all. Others do not exist for it
	Admin     bool     // may load, unload and read statistics
}

// Quota bounds what a namespace may take of each model; 0: no more than all together.
type Quota struct {
	Streams int // that are kept
	Queue   int // rows that wait
}

// Anyone is the principal of a server that asks nobody who they are: one namespace, every model, and the rights of an administrator.
func Anyone() *Principal { return &Principal{Models: []string{AnyModel}, Admin: true} }

// May tells whether a model may be used.
func (p *Principal) May(model string) bool {
	return slices.Contains(p.Models, model) || slices.Contains(p.Models, AnyModel)
}
