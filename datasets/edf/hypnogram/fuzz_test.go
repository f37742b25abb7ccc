package hypnogram

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/oatta/oatta/datasets/edf"
)

// FuzzText reads bytes as each kind of text file.
func FuzzText(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0"?><PSGAnnotation><ScoredEvent><EventType>Stages|Stages</EventType><EventConcept>Wake|0</EventConcept><Start>7,5</Start><Duration>60</Duration></ScoredEvent></PSGAnnotation>`))
	f.Add([]byte("<CMPStudyConfig><EpochLength>20</EpochLength><SleepStage>0</SleepStage><SleepStage>5</SleepStage></CMPStudyConfig>"))
	f.Add([]byte("class\tinstance\tchannel\tstart\tstop\tmeta\nW\t.\t.\t22:30:12\t+30\t.\nN1 e:2 ...\nR\t0+1:0:0\t.\nREM\te:3:20\t.\n"))
	f.Add([]byte("0\n0\n2\n-1\n4\nx\n"))
	f.Add([]byte("onset\tduration\ttrial_type\n0\t60\tSleep stage W\n60\tn/a\tN2\n90\t1e9\tR\n"))
	start := time.Date(2020, 1, 1, 22, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, b []byte) {
		for name, read := range map[string]func(io.Reader, time.Time, Options) ([]edf.Annotation, []string, error){"xml": readXML, "annot": readAnnot} {
			h, err := Options{}.text(read, bytes.NewReader(b), start)
			check(t, name, h, err)
		}
		h, err := Options{}.list(bytes.NewReader(b), start)
		check(t, "list", h, err)
	})
}

func check(t *testing.T, name string, h *Hypnogram, err error) {
	t.Helper()
	if err != nil {
		return
	}
	if len(h.Stages) > maxEpochs+1 || !(h.Offset >= 0 && h.Offset < EpochSeconds) {
		t.Errorf("%s: %d epochs, offset %g", name, len(h.Stages), h.Offset)
	}
	_, _ = Align(h, h.Start, 3600)
	_, _ = h.Fits(3600)
}
