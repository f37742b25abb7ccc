// Command unpackcifar turns CIFAR strips (PNG, one 32 x 32 picture a row) into a folder of PNG files with a labels.csv, which
// `oatta eval images` scores. CIFAR-10 is published in this form, loss-free.
//
//	go run ./benchmarks/unpackcifar -labels test_lables.json -out DIR test_batch.png
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/oatta/oatta/datasets"
)

func main() {
	labels := flag.String("labels", "", "class indices: a JSON array, or a file with a byte each")
	out := flag.String("out", "", "new or empty folder")
	flag.Parse()
	n, err := unpack(*labels, *out, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "unpackcifar:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pictures in %s\n", n, *out)
}

func unpack(labels, out string, strips []string) (int, error) {
	s := datasets.CIFARStrips{Strips: strips, Names: datasets.CIFARNames()}
	if out == "" {
		return 0, fmt.Errorf("-out: want a folder")
	}
	if labels != "" {
		var err error
		if s.Labels, err = datasets.ReadCIFARLabels(labels); err != nil {
			return 0, err
		}
	}
	return datasets.UnpackCIFAR(context.Background(), s, out)
}
