package datasets_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/datasets"
)

// A folder of pictures with a table of their times becomes streams in order.
func ExampleList() {
	l, err := datasets.List(context.Background(), "samples/heron", datasets.Options{Metadata: "samples/heron.csv"})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range l.Streams() {
		fmt.Println(s.Name, len(s.Pictures), s.Timed(), s.Pictures[0].Time.Format("2006-01-02 15:04:05"))
	}
	// Output:
	// heron 10 10 2021-04-11 20:43:09
}

// Labels of a collection in the words of a model.
func ExampleLabelMap() {
	dir, err := os.MkdirTemp("", "labels")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "map.csv")
	if err := os.WriteFile(file, []byte("from,to\nGrey heron,heron\nEurasian crane,crane\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	m, err := datasets.ReadLabelMap(file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Map("Grey heron"), m.Map("fox"))
	// Output:
	// heron fox
}

// Labels of a stream with a known law, for controlled studies: the second repeats the last label with probability 0.9.
func ExampleControlled() {
	labels := datasets.S2(0.9).Labels(1, 5, 1000)
	repeats := 0
	for t := 1; t < len(labels); t++ {
		if labels[t] == labels[t-1] {
			repeats++
		}
	}
	fmt.Println(len(labels), repeats > 850, repeats < 950)
	// Output:
	// 1000 true true
}
