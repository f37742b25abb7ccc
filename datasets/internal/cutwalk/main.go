// Command cutwalk makes the sample of movement, datasets/samples/walk.csv.gz, of the raw data of HAPT:
//
//	go run ./datasets/internal/cutwalk hapt_rawdata_acc.tar.gz datasets/samples/walk.csv.gz
//
// It takes five minutes in which all six activities occur, of the first recording of user21, with their labels. Values are rounded to a tenth
// of a thousandth of g. Its output depends on its input alone, but for what another version of Go compresses otherwise; a test makes it again.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/oatta/oatta/datasets/motion"
)

const (
	recording   = "acc_exp42_user21"
	firstSample = 5000
	samples     = 15000
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "cutwalk: want COLLECTION OUTPUT")
		os.Exit(2)
	}
	table, err := cut(os.Args[1])
	var packed []byte
	if err == nil {
		packed, err = compress(table)
	}
	if err == nil {
		err = os.WriteFile(os.Args[2], packed, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cutwalk:", err)
		os.Exit(1)
	}
}

// cut returns the table of the sample.
func cut(collection string) (table []byte, err error) {
	h, err := motion.OpenHAPT(collection)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	i := slices.IndexFunc(h.Recordings, func(r motion.HAPTRecording) bool { return r.Name() == recording })
	if i < 0 {
		return nil, fmt.Errorf("no recording %s", recording)
	}
	r, err := h.Open(i)
	if err != nil {
		return nil, err
	}
	defer r.Close() // read only
	values, labels, err := read(r, firstSample+samples)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("time,x [g],y [g],z [g],label\n")
	for n := range samples {
		at, label := firstSample+n, ""
		if l := labels[at]; l != motion.NoLabel {
			label = r.Labels()[l]
		}
		v := values[3*at:]
		fmt.Fprintf(&b, "%.2f,%.4f,%.4f,%.4f,%s\n", float64(n)/r.Rate(), v[0], v[1], v[2], label)
	}
	return b.Bytes(), nil
}

// read returns the first n samples of three axes, and their labels.
func read(r *motion.Recording, n int) (values []float32, labels []int32, err error) {
	times := make([]float64, n)
	values, labels = make([]float32, 3*n), make([]int32, n)
	for at := 0; at < n; {
		k, err := r.Read(times[at:], values[3*at:], labels[at:])
		if at += k; err == io.EOF && at < n {
			return nil, nil, fmt.Errorf("%s has %d samples, want %d", recording, at, n)
		} else if err != nil && err != io.EOF {
			return nil, nil, err
		}
	}
	return values, labels, nil
}

func compress(table []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err = z.Write(table); err == nil {
		err = z.Close()
	}
	return b.Bytes(), err
}
