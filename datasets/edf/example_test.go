package edf_test

import (
	"bytes"
	"fmt"
	"log"
	"time"

	"github.com/oatta/oatta/datasets/edf"
)

// Annotations are written as EDF+, and read back.
func ExampleOpen() {
	var file bytes.Buffer
	err := edf.WriteAnnotations(&file, edf.AnnotationFile{
		Start:       time.Date(1989, 4, 25, 0, 38, 0, 0, time.UTC),
		Annotations: []edf.Annotation{{Onset: 0, Duration: 30, HasDuration: true, Text: "Sleep stage W"}, {Onset: 30, Duration: 60, HasDuration: true, Text: "Sleep stage N1"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	f, err := edf.Open("hypnogram.edf", bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	list, _, err := f.Annotations()
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range list {
		fmt.Println(a.Onset, a.Duration, a.Text)
	}
	// Output:
	// 0 30 Sleep stage W
	// 30 60 Sleep stage N1
}
