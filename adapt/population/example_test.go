package population_test

import (
	"fmt"
	"log"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/population"
)

// Labelled streams teach the order of classes, and the filter weighs it as one more hypothesis.
func Example() {
	counts := population.NewCounts(2)
	for range 20 { // recordings in which sleep is followed by sleep
		counts.Add([]population.Item{{Class: 0}, {Class: 1}, {Class: 1}, {Class: 1}, {Class: 1}, {Class: 1}})
	}
	order, err := counts.Order([]string{"awake", "asleep"})
	if err != nil {
		log.Fatal(err)
	}
	taught, err := order.For([]string{"asleep", "awake"}) // the model's classes, in its own order
	if err != nil {
		log.Fatal(err)
	}
	if _, err := adapt.New(2, adapt.Settings{Population: taught}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("asleep after asleep: %.2f, of %d pairs\n", taught.Transitions[0][0], order.Pairs)
	// Output:
	// asleep after asleep: 1.00, of 100 pairs
}
