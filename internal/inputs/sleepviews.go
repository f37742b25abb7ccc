package inputs

import (
	"math/rand/v2"

	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/preprocess/eeg"
)

// Features are of a whole recording, so a view of an epoch is the epoch in a view of the recording: one that was recorded a bit louder or
// softer, a bit earlier or later, with a bit more noise. The views are the same in every run, whatever the seed: each takes the features of
// a night.

// featureViews are the sets of views of a recording; each draws the view of a number.
var featureViews = map[string]func(r *rand.Rand) eeg.View{
	"usual": func(r *rand.Rand) eeg.View {
		return eeg.View{Gain: viewGain * r.NormFloat64(), Shift: viewShift * (2*r.Float64() - 1), Jitter: viewJitter}
	},
	"jitter": func(*rand.Rand) eeg.View { return eeg.View{Jitter: viewJitter} },
	"shift":  func(r *rand.Rand) eeg.View { return eeg.View{Shift: viewShift * (2*r.Float64() - 1)} },
}

const (
	viewGain   = 0.1  // standard deviation of the gain
	viewShift  = 3    // seconds at the most, a tenth of an epoch
	viewJitter = 0.05 // of the deviation of the channel
)

// featureLoader makes a loader of rows of features.
func (s *Sleep) featureLoader(v Views) (pipeline.Loader, error) {
	if v.none() {
		return func(dst []float32, i int, _ uint64) error { return s.load(dst, i) }, nil
	}
	draw, err := setOf(featureViews, v, "features")
	if err != nil {
		return nil, err
	}
	views := make([]eeg.View, v.Count)
	for k := range views {
		views[k] = draw(rand.New(rand.NewPCG(uint64(k), 0)))
		views[k].Seed = uint64(k)
	}
	one := int(s.shape[0])
	return func(dst []float32, i int, _ uint64) error {
		plain := dst[:one]
		if err := s.load(plain, i); err != nil {
			return err
		}
		for k, view := range views {
			if err := s.loadView(dst[(k+1)*one:(k+2)*one], plain, i, k+1, view); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// loadView copies a row of a view; at the ends of the recording, where a shift leaves no whole epoch, the plain row.
func (s *Sleep) loadView(dst, plain []float32, i, number int, view eeg.View) error {
	e, epoch, err := s.epochOf(i, number, view)
	if err != nil {
		return err
	}
	if epoch >= e.Count || e.Gap[epoch] {
		copy(dst, plain)
		return nil
	}
	copy(dst, e.Data[epoch*len(dst):(epoch+1)*len(dst)])
	return nil
}
