package dsp_test

import (
	"fmt"
	"log"
	"math"

	"github.com/oatta/oatta/preprocess/dsp"
)

// A band keeps what lies in it and takes away the rest, without delay.
func ExampleBand() {
	f, err := dsp.Band{Low: 0.3, High: 35}.Design(100)
	if err != nil {
		log.Fatal(err)
	}
	x := make([]float64, 3000)
	for i := range x {
		x[i] = 5 + math.Sin(2*math.Pi*10*float64(i)/100) // an offset and 10 Hz
	}
	if err := f.Both(x); err != nil {
		log.Fatal(err)
	}
	low, high := x[1500], x[1500]
	for _, v := range x[1500:1600] {
		low, high = min(low, v), max(high, v)
	}
	fmt.Printf("%.1f to %.1f\n", low, high)
	// Output:
	// -1.0 to 1.0
}

// From one rate to another through a windowed sinc.
func ExampleResample() {
	up, down, err := dsp.Ratio(200, 100)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(up, down, len(dsp.Resample(make([]float64, 1000), up, down)))
	// Output:
	// 1 2 500
}
