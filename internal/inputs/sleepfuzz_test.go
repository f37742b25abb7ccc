package inputs

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets/edf"
	"github.com/oatta/oatta/preprocess/eeg"
)

// FuzzEpochs makes the inputs of a network of the bytes of a recording, with its own annotations. Nothing may panic; how much is done is
// bounded by the bytes; and what is no gap is a whole epoch of numbers.
func FuzzEpochs(f *testing.F) {
	for _, name := range []string{"e02_lying_C_gap", "e21_negstage", "g02_C4M1diff", "5000_channels_one_label", "f02_sat"} {
		f.Add(shortCase(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := edf.Open("fuzz", bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		for _, scored := range []bool{false, true} {
			s := &Sleep{settings: sleepModel("EEG Fpz-Cz|C4-M1", 100).Signal.Epochs(), options: SleepOptions{Scored: scored, Trim: -1}}
			n := &night{file: file{name: "fuzz"}}
			if err := s.lay(n, e, ""); err != nil {
				continue
			}
			s.add(n)
			const gaps = 2880 + 30 // a day, and thirty times what is there
			if most := len(b) * gaps; len(s.items) != n.count || n.count > most {
				t.Fatalf("%d items of %d epochs of %d bytes", len(s.items), n.count, len(b))
			}
			out, err := eeg.Prepare(newEDFSource(e), n.offset, s.settings)
			if err != nil {
				continue
			}
			s.heard.hear(n, out)
			_ = s.Warnings()
			checkEpochs(t, out)
		}
	})
}

func checkEpochs(t *testing.T, e *eeg.Epochs) {
	t.Helper()
	if e.Samples != 3000 || len(e.Gap) != e.Count || len(e.Data) != e.Count*e.Samples {
		t.Fatalf("%d epochs of %d samples: %d values, %d gaps", e.Count, e.Samples, len(e.Data), len(e.Gap))
	}
	for i, v := range e.Data {
		if v64 := float64(v); math.IsNaN(v64) {
			t.Fatalf("value %d is no number", i)
		}
	}
}

// shortCase is a file of testdata/sleep with its first records alone, so that a fuzzer is quick.
func shortCase(f *testing.F, name string) []byte {
	f.Helper()
	packed, err := os.Open(filepath.Join("testdata", "sleep", name+".edf.gz"))
	if err != nil {
		f.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		f.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		f.Fatal(err)
	}
	if strings.HasPrefix(name, "5000") {
		return b[:4096]
	}
	return b[:min(len(b), 20000)]
}
