package walk_test

import (
	"context"
	"fmt"
	"log"

	"github.com/oatta/oatta/datasets/walk"
)

// What lies below a folder, in a fixed order.
func ExampleWalker() {
	n := 0
	err := walk.Walker{}.Folder(context.Background(), "../samples/heron", func(f walk.Found) error {
		if n++; n == 1 {
			fmt.Println(f.Name)
		}
		return f.Err
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n)
	// Output:
	// 20210531082538-RCNX0031.JPG
	// 10
}
