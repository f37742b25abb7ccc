package timeline_test

import (
	"fmt"
	"log"
	"time"

	"github.com/oatta/oatta/adapt/timeline"
)

// start is when the examples begin.
var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// A clock tells what lies between an item and the last one: steps of the rhythm that are missing, or a break.
func ExampleClock() {
	clock, err := timeline.NewClock(timeline.Settings{Rhythm: 30 * time.Second, LongGap: time.Hour})
	if err != nil {
		log.Fatal(err)
	}
	for _, seconds := range []int{0, 30, 60, 180, 7200} {
		gap := clock.Next(start.Add(time.Duration(seconds)*time.Second), nil)
		fmt.Println(seconds, "missed", gap.Missed, "break", gap.Break)
	}
	// Output:
	// 0 missed 0 break false
	// 30 missed 0 break false
	// 60 missed 0 break false
	// 180 missed 3 break false
	// 7200 missed 0 break true
}
