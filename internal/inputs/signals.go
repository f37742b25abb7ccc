package inputs

import (
	"sync"

	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/preprocess/augment"
)

// signalSets are the sets of views of a window.
var signalSets = map[string]func(modality string, triples [][3]int) augment.Views{
	"usual": func(modality string, triples [][3]int) augment.Views {
		if modality == models.Sleep {
			return augment.EEG()
		}
		return augment.Movement(triples...)
	},
	"jitter": func(string, [][3]int) augment.Views { return augment.Views{Augmented: 16, Jitter: 0.05} },
	"shift":  func(string, [][3]int) augment.Views { return augment.Views{Augmented: 16, Shift: 0.1} },
}

// signalLoader makes a loader of one that writes the plain window.
func signalLoader(v Views, modality string, triples [][3]int, shape []int64, load func(dst []float32, i int) error) (pipeline.Loader, error) {
	if v.none() {
		return func(dst []float32, i int, _ uint64) error { return load(dst, i) }, nil
	}
	set, err := setOf(signalSets, v, "signals")
	if err != nil {
		return nil, err
	}
	views := set(modality, triples)
	views.Augmented = v.Count
	viewer, err := augment.New(views, int(shape[0]), int(shape[1]))
	if err != nil {
		return nil, err
	}
	one := int(shape[0] * shape[1])
	plain := sync.Pool{New: func() any { window := make([]float32, one); return &window }}
	return func(dst []float32, i int, seed uint64) error {
		window := plain.Get().(*[]float32)
		defer plain.Put(window)
		if err := load(*window, i); err != nil {
			return err
		}
		viewer.Window(dst, *window, seed)
		return nil
	}, nil
}
