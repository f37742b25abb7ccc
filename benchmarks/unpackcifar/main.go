// Command unpackcifar turns CIFAR-10, CIFAR-10.1 and CIFAR-10-C, in any layout that datasets.ReadCIFAR reads, into a folder of PNG files
// with a labels.csv, which `oatta eval images` scores.
//
//	go run ./benchmarks/unpackcifar -labels test_lables.json -out DIR test_batch.png
//	go run ./benchmarks/unpackcifar -out DIR cifar-10-batches-bin/test_batch.bin
//	go run ./benchmarks/unpackcifar -labels cifar10.1_v6_labels.npy -out DIR cifar10.1_v6_data.npy
//	go run ./benchmarks/unpackcifar -labels CIFAR-10-C/labels.npy -severity 5 -out DIR CIFAR-10-C/fog.npy
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/oatta/oatta/datasets"
)

func main() {
	labels := flag.String("labels", "", "class indices: a JSON array, an array of NumPy's, or a file with a byte each")
	severity := flag.Int("severity", 0, "the fifth of a CIFAR-10-C array to take, 1 to 5; 0 takes all")
	out := flag.String("out", "", "new or empty folder")
	flag.Parse()
	n, err := unpack(*labels, *out, *severity, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "unpackcifar:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pictures in %s\n", n, *out)
}

func unpack(labels, out string, severity int, strips []string) (int, error) {
	s := datasets.CIFARStrips{Strips: strips, Severity: severity, Names: datasets.CIFARNames()}
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
