package inputs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/runtime"
)

// Input is a collection that a run classifies. Close frees files that stand open.
type Input interface {
	// Noun is what an item is called: picture, crop, epoch, window, post.
	Noun() string
	// Items are in processing order: streams one after another. The caller must not change them.
	Items() []pipeline.Item
	// Streams is how many there are.
	Streams() int
	// Hash is over everything that reaches an output or decides its order, and over what tells that a file was replaced.
	Hash() string
	// Label is the true label of item i as the data have it, "" where they have none.
	Label(i int) string
	// Unread counts the items that could not even be listed, and tells the first and why.
	Unread() (name, why string, n int)
	// Warnings are what a reader of the results should know, in words. Those that only the items' contents tell come after the others, once
	// they were loaded.
	Warnings() []string

	// Shape is of one prepared input, the batch left out.
	Shape() []int64
	// Prepared is how items are prepared, as it stands in the manifest of a run.
	Prepared() any
	// Loader prepares items: the plain input, and the views after it. Items of streams streams may be asked for in turn.
	Loader(v Views, streams int) (pipeline.Loader, error)
	// Session returns the session with one float32 input of Shape that the loader's rows go into.
	Session(s runtime.Session) (runtime.Session, error)

	Close() error
}

// Labels returns the labels of an input, each once, in the order in which they come.
func Labels(in Input) (out []string) {
	seen := map[string]bool{"": true}
	for i := range in.Items() {
		if label := in.Label(i); !seen[label] {
			seen[label] = true
			out = append(out, label)
		}
	}
	return out
}

// Views says which augmented inputs an item gets beside the plain one. The zero value is none.
type Views struct {
	Set   string `json:"set,omitempty"`   // names a set of the modality
	Count int    `json:"count,omitempty"` // views, the plain one not among them
}

func (v Views) none() bool { return v == Views{} }

// setOf returns one of the sets of views of a modality, by default the usual one.
func setOf[V any](sets map[string]V, v Views, modality string) (V, error) {
	set, ok := sets[cmp.Or(v.Set, "usual")]
	if !ok {
		return set, fmt.Errorf("no set of views %q for %s: want %s", v.Set, modality, strings.Join(slices.Sorted(maps.Keys(sets)), ", "))
	}
	return set, nil
}
