package augment_test

import (
	"fmt"
	"log"

	"github.com/oatta/oatta/preprocess/augment"
)

// Views of a window: the plain one first, then jittered ones.
func ExampleViewer() {
	viewer, err := augment.New(augment.Views{Augmented: 2, Jitter: 0.1}, 1, 4)
	if err != nil {
		log.Fatal(err)
	}
	x := make([]float32, viewer.Len())
	viewer.Window(x, []float32{1, 2, 3, 4}, 7) // 7: the item's seed
	fmt.Println(viewer.Count(), x[:4], x[4] != 1)
	// Output:
	// 3 [1 2 3 4] true
}
