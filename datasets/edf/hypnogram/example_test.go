package hypnogram_test

import (
	"fmt"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
)

// The usual numbers of a night.
func ExampleSummarise() {
	var stages []hypnogram.Stage
	for _, label := range []string{"W", "W", "N1", "N2", "N2", "W", "N2", "R"} {
		stage, _ := hypnogram.ParseLabel(label)
		stages = append(stages, stage)
	}
	s := hypnogram.Summarise(stages)
	fmt.Println(s.TimeInBed, "min in bed,", s.SleepTime, "asleep,", s.Awakenings, "awakening, asleep after", *s.Latency)
	// Output:
	// 4 min in bed, 2.5 asleep, 1 awakening, asleep after 1
}
