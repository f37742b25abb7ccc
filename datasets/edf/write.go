package edf

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxAnnotationBytes is the largest record that EDF+ recommends.
const maxAnnotationBytes = 61440

// AnnotationFile is an EDF+C file of annotations alone, as the hypnograms of Sleep-EDF are.
type AnnotationFile struct {
	Patient     string    // EDF+: code, sex, birthdate, name; default "X X X X". Written as it is, ASCII
	Recording   string    // what follows the date in the recording field; default "X X X"
	Start       time.Time // whole seconds of the wall clock, from 1985 to 2084; onsets count from its second
	Annotations []Annotation
}

// WriteAnnotations writes the file: records of no duration, in which the lists stand in order of onset. Texts are UTF-8. The bytes
// depend on a alone. An annotation whose Duration is not 0 or whose HasDuration is set gets a duration.
func WriteAnnotations(w io.Writer, a AnnotationFile) error {
	head, err := a.fields()
	if err != nil {
		return fmt.Errorf("edf: %w", err)
	}
	records, err := packLists(a.Annotations)
	if err != nil {
		return fmt.Errorf("edf: %w", err)
	}
	size := 0
	for _, r := range records {
		size = max(size, len(r))
	}
	size += size & 1 // whole samples of two bytes
	if _, err := io.WriteString(w, head+annotationHeader(len(records), size/2)); err != nil {
		return fmt.Errorf("edf: %w", err)
	}
	for _, r := range records {
		if _, err := io.WriteString(w, r+strings.Repeat("\x00", size-len(r))); err != nil {
			return fmt.Errorf("edf: %w", err)
		}
	}
	return nil
}

// fields returns the first 184 bytes of the header.
func (a AnnotationFile) fields() (string, error) {
	if y := a.Start.Year(); y < 1985 || y > 2084 {
		return "", fmt.Errorf("start in the year %d: want 1985 to 2084", y)
	}
	if a.Start.Nanosecond() != 0 {
		return "", errors.New("start: want whole seconds, and the fraction in the onsets")
	}
	patient, recording := a.Patient, a.Recording
	if patient == "" {
		patient = "X X X X"
	}
	if recording == "" {
		recording = "X X X"
	}
	recording = "Startdate " + strings.ToUpper(a.Start.Format("02-Jan-2006")) + " " + recording
	for _, s := range []string{patient, recording} {
		if len(s) > 80 || strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
			return "", fmt.Errorf("%s: want at most 80 printable ASCII characters", show(s))
		}
	}
	return pad("0", 8) + pad(patient, 80) + pad(recording, 80) + a.Start.Format("02.01.06") + a.Start.Format("15.04.05"), nil
}

func annotationHeader(records, samples int) string {
	return pad("512", 8) + pad("EDF+C", 44) + pad(strconv.Itoa(records), 8) + pad("0", 8) + pad("1", 4) +
		pad("EDF Annotations", 16) + pad("", 80) + pad("", 8) + pad("-1", 8) + pad("1", 8) + pad("-32768", 8) + pad("32767", 8) +
		pad("", 80) + pad(strconv.Itoa(samples), 8) + pad("", 32)
}

func pad(s string, n int) string { return s + strings.Repeat(" ", n-len(s)) }

// packLists fills records with lists, each record begun by its own time, which is 0 since records have no duration.
func packLists(annotations []Annotation) ([]string, error) {
	const clock = "+0\x14\x14\x00"
	sorted := slices.Clone(annotations)
	sortAnnotations(sorted)
	records := []string{}
	b := strings.Builder{}
	b.WriteString(clock)
	for _, a := range sorted {
		l, err := a.encode()
		if err != nil {
			return nil, err
		}
		if b.Len()+len(l) > maxAnnotationBytes {
			records = append(records, b.String())
			b.Reset()
			b.WriteString(clock)
		}
		b.WriteString(l)
	}
	return append(records, b.String()), nil
}

func (a Annotation) encode() (string, error) {
	switch {
	case !(a.Onset > -1e12 && a.Onset < 1e12 && a.Duration >= 0 && a.Duration < 1e12): // NaN, too
		return "", fmt.Errorf("annotation %s at %g for %g seconds", show(a.Text), a.Onset, a.Duration)
	case a.Text == "" || !utf8.ValidString(a.Text) || strings.ContainsAny(a.Text, "\x00\x14\x15") || len(a.Text) > maxAnnotationBytes/2:
		return "", fmt.Errorf("annotation %s: want a short text in UTF-8 without the bytes 0, 20 and 21", show(a.Text))
	}
	onset := seconds(a.Onset)
	if onset[0] != '-' {
		onset = "+" + onset
	}
	if a.HasDuration || a.Duration != 0 {
		onset += talDuration + seconds(a.Duration)
	}
	return onset + talText + a.Text + talText + "\x00", nil
}

// seconds writes a time without an exponent, which the format forbids.
func seconds(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) }
