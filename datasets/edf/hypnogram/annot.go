package hypnogram

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets/edf"
)

// readAnnot reads an .annot file of Luna (https://zzz.bwh.harvard.edu/luna/ref/annotations/): rows of class, instance, channel, start, stop
// and meta, or without channel and meta, or of class, start and stop. What is no stage is passed over.
func readAnnot(r io.Reader, start time.Time, o Options) ([]edf.Annotation, []string, error) {
	t := annotReader{start: start, words: o.Words, bad: tally{what: "rows of stages"}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		t.row(strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff")))
	}
	if err := lines.Err(); err != nil {
		return nil, nil, err
	}
	return t.out, t.bad.notes(), nil
}

type annotReader struct {
	start time.Time // of the recording
	words map[string]Stage
	out   []edf.Annotation
	open  bool // the last of out reaches to the next row
	bad   tally
}

// row reads one row.
func (t *annotReader) row(line string) {
	if line == "" || line[0] == '#' {
		return
	}
	f := strings.Fields(line)
	if strings.Contains(line, "\t") {
		f = strings.Split(line, "\t")
	}
	at := map[int]int{3: 1, 4: 2, 6: 3}[len(f)] // column of the start
	word := strings.TrimSpace(f[0])
	switch _, known := t.stage(word); {
	case at == 0 && known:
		t.bad.add(line)
	case at == 0 || word == "class" && f[at] == "start":
	default:
		if err := t.event(word, strings.TrimSpace(f[at]), strings.TrimSpace(f[at+1]), known); err != nil && known {
			t.bad.add(line)
		}
	}
}

// stage reads a class. Luna calls stages N1, R, REM, NREM2 and so on, and all else is no stage.
func (t *annotReader) stage(class string) (Stage, bool) {
	if stage, ok := t.words[strings.ToLower(class)]; ok {
		return stage, true
	}
	if stage, ok := ParseStage(class); ok {
		return stage, true
	}
	return bareStage(class)
}

// event takes a row. One that is no stage still ends one that reaches to the next row.
func (t *annotReader) event(class, from, to string, stage bool) error {
	onset, length, err := t.from(from)
	if err != nil {
		return err
	}
	if last := len(t.out) - 1; t.open {
		t.out[last].Duration, t.out[last].HasDuration = max(onset-t.out[last].Onset, 0), true
		t.open = false
	}
	if !stage {
		return nil
	}
	end := onset + length
	switch {
	case to == "...":
		t.open = true
		t.out = append(t.out, edf.Annotation{Onset: onset, Text: t.text(class)})
		return nil
	case to == ".":
	case strings.HasPrefix(to, "+"):
		if end, err = seconds(to[1:]); err != nil {
			return err
		}
		end += onset
	default:
		if end, length, err = t.from(to); err != nil {
			return err
		}
		end += length
	}
	if end < onset && strings.Count(to, ":")+strings.Count(to, ".") >= 2 { // a clock after midnight
		end += 86400
	}
	if end < onset {
		return errors.New("it ends before it begins")
	}
	t.out = append(t.out, edf.Annotation{Onset: onset, Duration: end - onset, HasDuration: true, Text: t.text(class)})
	return nil
}

// text is the text of an annotation for a class that is a stage.
func (t *annotReader) text(class string) string {
	stage, _ := t.stage(class)
	return "Sleep stage " + stage.String()
}

// from reads a time in one of Luna's four ways, as seconds since the start of the recording: seconds, a time of day, a time since the
// start ("0+01:30:00"), or the number of an epoch from 1 on ("e:12", "e:12:20", "e:12:30:15": its length and step), which has a length.
func (t *annotReader) from(s string) (onset, length float64, err error) {
	if rest, ok := strings.CutPrefix(s, "e:"); ok {
		return epochTime(rest)
	}
	if rest, ok := strings.CutPrefix(s, "0+"); ok {
		onset, err = clockSeconds(rest)
		return onset, 0, err
	}
	if !strings.Contains(s, ":") && strings.Count(s, ".") < 2 {
		onset, err = seconds(s)
		return onset, 0, err
	}
	if onset, err = clockSeconds(s); err != nil {
		return 0, 0, err
	}
	if t.start.IsZero() {
		return 0, 0, errors.New("a time of day, and the recording has no start")
	}
	midnight := time.Date(t.start.Year(), t.start.Month(), t.start.Day(), 0, 0, 0, 0, t.start.Location())
	if onset -= t.start.Sub(midnight).Seconds(); onset < 0 {
		onset += 86400
	}
	return onset, 0, nil
}

// epochTime reads the number, length and step of an epoch.
func epochTime(s string) (onset, length float64, err error) {
	length = EpochSeconds
	parts := strings.Split(s, ":")
	n, err := strconv.Atoi(parts[0])
	if err == nil && (n < 1 || len(parts) > 3) {
		err = errors.New("no epoch")
	}
	if err == nil && len(parts) > 1 {
		length, err = seconds(parts[1])
	}
	step := length
	if err == nil && len(parts) > 2 {
		step, err = seconds(parts[2])
	}
	return float64(n-1) * step, length, err
}

// clockSeconds reads hh:mm:ss, with points in place of the colons or am or pm after it, as seconds since midnight.
func clockSeconds(s string) (float64, error) {
	s = strings.ToLower(s)
	half := ""
	for _, h := range []string{"am", "pm"} {
		if rest, ok := strings.CutSuffix(s, h); ok {
			s, half = strings.TrimSpace(rest), h
		}
	}
	parts := strings.SplitN(s, ":", 3)
	if len(parts) == 1 {
		parts = strings.SplitN(s, ".", 3)
	}
	if len(parts) != 3 {
		return 0, fmt.Errorf("%s is no time of day", show(s))
	}
	hours, err1 := strconv.ParseUint(parts[0], 10, 16)
	minutes, err2 := strconv.ParseUint(parts[1], 10, 8)
	rest, err3 := seconds(parts[2])
	if err := errors.Join(err1, err2, err3); err != nil {
		return 0, err
	}
	if minutes > 59 || !(rest >= 0 && rest < 61) || half != "" && (hours < 1 || hours > 12) {
		return 0, fmt.Errorf("%s is no time of day", show(s))
	}
	if half != "" {
		hours %= 12
	}
	if half == "pm" {
		hours += 12
	}
	return float64(hours)*3600 + float64(minutes)*60 + rest, nil
}
