// Command cutnight makes the sample of a night, datasets/samples/night.edf, of the recording SC4001 of Sleep-EDF and its hypnogram:
//
//	go run ./datasets/internal/cutnight SC4001E0-PSG.edf SC4001EC-Hypnogram.edf datasets/samples/night.edf
//
// It takes 40 minutes towards the morning in which every stage occurs, of the EEG Fpz-Cz and the EOG, bit by bit, and puts the stages into
// the annotations of the same file, EDF+. Its output depends on its inputs alone; a test makes it again.
//
// With two numbers more, the first epoch and how many, it takes those, as of one night in parts:
//
//	go run ./datasets/internal/cutnight SC4001E0-PSG.edf SC4001EC-Hypnogram.edf part1.edf 900 120
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets/edf"
	"github.com/oatta/oatta/datasets/edf/hypnogram"
)

// annotations are the samples of a record that hold its annotations.
const annotations = 30

// part is which epochs of a recording are taken.
type part struct{ first, epochs int64 }

// ofSample is the part that the sample is of.
var ofSample = part{1460, 80}

var channels = []string{"EEG Fpz-Cz", "EOG horizontal"}

func main() {
	p, err := partOf(os.Args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cutnight:", err)
		os.Exit(2)
	}
	out, err := cut(os.Args[1], os.Args[2], p)
	if err == nil {
		err = os.WriteFile(os.Args[3], out, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cutnight:", err)
		os.Exit(1)
	}
}

// partOf reads which part is meant.
func partOf(args []string) (p part, err error) {
	usage := errors.New("want RECORDING HYPNOGRAM OUTPUT [FIRST EPOCHS]")
	switch len(args) {
	case 4:
		return ofSample, nil
	case 6:
	default:
		return p, usage
	}
	if p.first, err = strconv.ParseInt(args[4], 10, 32); err == nil {
		p.epochs, err = strconv.ParseInt(args[5], 10, 32)
	}
	if err != nil || p.first < 0 || p.epochs < 1 {
		return p, usage
	}
	return p, nil
}

// cut returns the bytes of a recording of a part alone.
func cut(recording, scores string, p part) ([]byte, error) {
	f, err := edf.OpenFile(recording)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h, err := hypnogram.Open(scores)
	if err != nil {
		return nil, err
	}
	head := f.Header()
	if head.RecordSeconds != hypnogram.EpochSeconds || head.Records < p.first+p.epochs || int64(len(h.Stages)) < p.first+p.epochs || !h.Start.Equal(head.Start) {
		return nil, errors.New("want a recording in records of 30 seconds, and its hypnogram from the same time on")
	}
	var at []int
	for _, name := range channels {
		i := slices.IndexFunc(head.Signals, func(s edf.Signal) bool { return s.Label == name })
		if i < 0 {
			return nil, fmt.Errorf("no channel %q", name)
		}
		at = append(at, i)
	}
	var b bytes.Buffer
	writeHeader(&b, head, at, p)
	for epoch := range p.epochs {
		for _, i := range at {
			samples := make([]int32, head.Signals[i].SamplesPerRecord)
			if err := f.Digital(samples, i, (p.first+epoch)*int64(len(samples))); err != nil {
				return nil, err
			}
			for _, v := range samples {
				b.Write(binary.LittleEndian.AppendUint16(nil, uint16(int16(v))))
			}
		}
		b.WriteString(list(epoch*hypnogram.EpochSeconds, h.Stages[p.first+epoch]))
	}
	return b.Bytes(), nil
}

// list is the annotations of a record: its time, and the stage that is scored there.
func list(second int64, stage hypnogram.Stage) string {
	text := fmt.Sprintf("+%d\x14\x14\x00+%d\x1530\x14Sleep stage %s\x14\x00", second, second, stage)
	return text + strings.Repeat("\x00", 2*annotations-len(text))
}

// writeHeader writes a header whose person is as unknown as the original's.
func writeHeader(b *bytes.Buffer, head *edf.Header, at []int, p part) {
	start := head.Start.Add(time.Duration(p.first) * hypnogram.EpochSeconds * time.Second)
	fmt.Fprintf(b, "%-8s%-80s%-80s%s%-8d%-44s%-8d%-8d%-4d", "0", head.Patient,
		"Startdate "+strings.ToUpper(start.Format("02-Jan-2006"))+" X X X", start.Format("02.01.0615.04.05"), 256*(2+len(at)), "EDF+C", p.epochs, hypnogram.EpochSeconds, 1+len(at))
	for _, field := range []struct {
		width int
		of    func(s edf.Signal) any
		last  any // of the annotations
	}{
		{16, func(s edf.Signal) any { return s.Label }, "EDF Annotations"},
		{80, func(s edf.Signal) any { return s.Transducer }, ""},
		{8, func(s edf.Signal) any { return s.Unit }, ""},
		{8, func(s edf.Signal) any { return s.PhysicalMin }, -1},
		{8, func(s edf.Signal) any { return s.PhysicalMax }, 1},
		{8, func(s edf.Signal) any { return s.DigitalMin }, -32768},
		{8, func(s edf.Signal) any { return s.DigitalMax }, 32767},
		{80, func(s edf.Signal) any { return s.Prefilter }, ""},
		{8, func(s edf.Signal) any { return s.SamplesPerRecord }, annotations},
		{32, func(edf.Signal) any { return "" }, ""},
	} {
		for _, i := range at {
			fmt.Fprintf(b, "%-*v", field.width, field.of(head.Signals[i]))
		}
		fmt.Fprintf(b, "%-*v", field.width, field.last)
	}
}
