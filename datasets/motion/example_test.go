package motion_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/datasets/motion"
)

// A table of an accelerometer, whose columns are found by themselves.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "motion")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "walk.csv")
	table := "time,x,y,z,label\n"
	for i := range 100 {
		table += fmt.Sprintf("%.2f,0,0,1,walking\n", float64(i)/50)
	}
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		log.Fatal(err)
	}
	r, err := motion.Open(file, motion.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	times, values, labels := make([]float64, 256), make([]float32, 3*256), make([]int32, 256)
	n, err := r.Read(times, values, labels)
	fmt.Println(r.Names(), r.Rate(), "Hz:", n, "samples,", r.Labels()[labels[0]], values[:3], err)
	// Output:
	// [x y z] 50 Hz: 100 samples, walking [0 0 1] <nil>
}
