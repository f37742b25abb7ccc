package npy_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/oatta/oatta/datasets/npy"
)

// An array that NumPy wrote.
func ExampleRead() {
	header := "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }"
	file := "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header + "\x05\x00\x00\x00\x07\x00\x00\x00"
	a, err := npy.Read(bytes.NewReader([]byte(file)), 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	values, err := a.Ints()
	fmt.Println(a.Type, a.Shape, values, err)
	// Output:
	// <i4 [2] [5 7] <nil>
}
