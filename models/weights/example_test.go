package weights_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/oatta/oatta/models/weights"
)

// Tensors are written as safetensors, and read by name from any of the formats.
func ExampleRead() {
	w, err := weights.NewFloat32("head.weight", []int{2, 3}, []float32{1, 2, 3, 4, 5, 6})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := weights.WriteSafetensors(&file, []*weights.Tensor{w}, map[string]string{"made": "here"}); err != nil {
		log.Fatal(err)
	}
	f, err := weights.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	t, err := f.Tensor("head.weight")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Names(), t.Shape(), f.Metadata()["made"])
	// Output:
	// [head.weight] [2 3] here
}
