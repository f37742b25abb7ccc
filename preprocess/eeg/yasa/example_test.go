package yasa_test

import (
	"fmt"
	"log"
	"math"
	"slices"

	"github.com/oatta/oatta/preprocess/eeg/yasa"
)

// Four minutes of a rhythm of 10 Hz at 200 Hz, as one has with closed eyes: nearly all power is in alpha.
func ExampleFeatures() {
	signal := make([]float64, 200*240)
	for i := range signal {
		signal[i] = 30 * math.Sin(2*math.Pi*10*float64(i)/200) // uV
	}
	table, err := yasa.Features(yasa.Channels{EEG: signal}, 200)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(table.Epochs, "epochs of", len(table.Names), "features")
	fmt.Printf("alpha %.2f\n", table.Row(4)[slices.Index(table.Names, "eeg_alpha")])
	// Output:
	// 8 epochs of 65 features
	// alpha 1.00
}
