package eeg_test

import (
	"fmt"
	"log"
	"math"

	"github.com/oatta/oatta/preprocess/eeg"
)

// sine is a recording of one channel of 200 Hz.
type sine struct{ seconds int }

func (s sine) Labels() []string { return []string{"EEG Fpz-Cz"} }

func (s sine) Channel(int) (eeg.Channel, error) {
	x := make([]float64, 200*s.seconds)
	for i := range x {
		x[i] = 50 * math.Sin(2*math.Pi*10*float64(i)/200)
	}
	return eeg.Channel{Label: "EEG Fpz-Cz", Unit: "uV", Rate: 200, Pieces: []eeg.Piece{{Samples: x}}}, nil
}

// A night becomes epochs of 30 seconds, resampled and standardised.
func ExamplePrepare() {
	e, err := eeg.Prepare(sine{seconds: 100}, 0, eeg.Settings{Channels: []string{"Fpz-Cz"}, Rate: 100, Standardise: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Count, "epochs of", e.Samples, "samples:", e.Tensor(0).Shape)
	fmt.Printf("mean %.0f, deviation %.0f\n", math.Abs(e.Mean[0]), e.Std[0])
	// Output:
	// 3 epochs of 3000 samples: [1 1 3000]
	// mean 0, deviation 35
}
