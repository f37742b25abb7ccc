package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt/population"
	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/run"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
)

// Records 1010 to 1057 of the night SC4001E0 hold its first sleep; its header says that it begins there.
const (
	nightFrom   = 1010
	nightEpochs = 48
	nightHeader = 2048  // bytes
	nightRecord = 18240 // bytes, 30 seconds
)

// night cuts those records out of the real recording, into a new folder with the real hypnogram.
func night(t *testing.T) string {
	t.Helper()
	if !testdata.Have(t, "sleep-psg", "SC4001E0-PSG.edf") || !testdata.Have(t, "data", "edf", "SC4001EC-Hypnogram.edf") {
		return standInNight(t)
	}
	f, err := os.Open(testdata.Asset(t, "sleep-psg", "SC4001E0-PSG.edf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head, data := make([]byte, nightHeader), make([]byte, nightEpochs*nightRecord)
	_, err = io.ReadFull(f, head)
	if err == nil {
		_, err = f.ReadAt(data, nightHeader+nightFrom*nightRecord)
	}
	if err != nil {
		t.Fatal(err)
	}
	copy(head[88:], fmt.Sprintf("%-80s", "Startdate 25-APR-1989 X X X"))
	copy(head[168:], "25.04.8900.38.00") // 1010 epochs after 16:13 of the day before
	copy(head[236:], fmt.Sprintf("%-8d", nightEpochs))
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "SC4001E0-PSG.edf"), string(append(head, data...)))
	writeFile(t, filepath.Join(dir, "SC4001EC-Hypnogram.edf"), readFile(t, testdata.Shared(t, "data", "edf", "SC4001EC-Hypnogram.edf")))
	return dir
}

func cnn(t *testing.T, extra ...string) string {
	t.Helper()
	m, _ := built(t, append([]string{"cnn1d", "--task", "sleep", "--init", "1"}, extra...)...)
	return m.Path
}

// Some of a real night, from EDF to hypnograms.
func TestSleep(t *testing.T) {
	needEngine(t)
	k := kind{"sleep", night(t), cnn(t), nightEpochs, 1, 5, "epoch", "0.01"}
	t.Run("methods", k.checkMethods)
	t.Run("resume", func(t *testing.T) {
		k.checkResume(t, method.Base, func(out string) []string {
			return []string{"--hypnograms", filepath.Join(filepath.Dir(out), "nights")}
		})
	})
	t.Run("hypnograms", func(t *testing.T) { checkHypnograms(t, k) })
	t.Run("eval", func(t *testing.T) { checkSleepEval(t, k) })
	t.Run("transitions", func(t *testing.T) { checkSleepTransitions(t, k) })
	t.Run("refusals", func(t *testing.T) {
		k.checkRefusals(t, tcn(t), filepath.Join(k.input, "SC4001E0-PSG.edf"))
		file := writeText(t, filepath.Join(t.TempDir(), "file"), "")
		for want, args := range map[string][]string{
			"--hypnograms: ":       {"--hypnograms", filepath.Join(file, "below")},
			"is no stage of sleep": {"--hypnograms", t.TempDir(), "--model", cnn(t, "--labels", writeText(t, filepath.Join(t.TempDir(), "l.txt"), "calm\nwild\n"))},
		} {
			if _, errOut := mustOatta(t, console.Nothing, append([]string{"run", "sleep", k.input, "--model", k.model}, args...)...); !strings.Contains(errOut, want) {
				t.Errorf("%v: %s, want %q", args, errOut, want)
			}
		}
		mustOatta(t, console.Nothing, "eval", "sleep", k.input, "--model", k.model, "--trim", "NaN")
	})
}

// checkSleepTransitions: an epoch is half a minute, so transitions from minute to minute are taken by half, by run and by eval.
func checkSleepTransitions(t *testing.T, k kind) {
	m, err := models.Load(k.model)
	if err != nil {
		t.Fatal(err)
	}
	even := slices.Repeat([]float64{1 / float64(len(m.Manifest.Labels))}, len(m.Manifest.Labels))
	file := order(t, func(o *population.Order) {
		o.Classes, o.Frequencies, o.Transitions = m.Manifest.Labels, even, slices.Repeat([][]float64{even}, len(even))
	})
	for command, flag := range map[string]string{"run": "-o", "eval": "--predictions"} {
		out := filepath.Join(t.TempDir(), "out.jsonl")
		mustOatta(t, console.Fine, command, "sleep", k.input, "--model", k.model, "--transitions", file, flag, out)
		got, err := run.ReadManifest(out)
		if err != nil || got.Settings.Taught == nil || got.Settings.Taught.Power != .5 || got.Settings.Taught.Note != "" || !got.Settings.Taught.Used {
			t.Errorf("%s: %+v, %v", command, got.Settings.Taught, err)
		}
	}
}

// checkHypnograms reads back what --hypnograms wrote, also into the folder of the recordings, where it is no input of the next run.
func checkHypnograms(t *testing.T, k kind) {
	lines := k.run(t, "--hypnograms", k.input)
	want := make([]hypnogram.Stage, len(lines))
	for i, l := range lines {
		want[i], _ = hypnogram.ParseLabel(l.AdaptedLabel)
	}
	base := filepath.Join(k.input, "SC4001E0-PSG.edf")
	h, err := hypnogram.Open(base + ".hypnogram.edf")
	if err != nil || h.Start.Format("2006-01-02 15:04:05") != "1989-04-25 00:38:00" || len(h.Stages) != nightEpochs {
		t.Fatalf("EDF+: %v, %+v", err, h)
	}
	for i := range want {
		if h.Stages[i] != want[i] {
			t.Errorf("EDF+: epoch %d is %v, want %v", i, h.Stages[i], want[i])
		}
	}
	for ending, comma := range map[string]rune{".hypnogram.csv": ',', ".hypnogram.tsv": '\t'} {
		r := csv.NewReader(strings.NewReader(readFile(t, base+ending)))
		r.Comma = comma
		rows, err := r.ReadAll()
		if err != nil || len(rows) != nightEpochs+1 {
			t.Fatalf("%s: %v, %d rows", ending, err, len(rows))
		}
		if got := rows[nightEpochs]; got[2] != want[nightEpochs-1].String() {
			t.Errorf("%s: last row %q", ending, got)
		}
	}
	var sum struct {
		Epochs  int
		Minutes map[string]float64
	}
	if err := json.Unmarshal([]byte(readFile(t, base+".sleep.json")), &sum); err != nil || sum.Epochs != nightEpochs {
		t.Errorf("summary: %v, %+v", err, sum)
	}
	total := 0.0
	for _, m := range sum.Minutes {
		total += m
	}
	if total != nightEpochs/2 {
		t.Errorf("%g minutes of stages, want %d", total, nightEpochs/2)
	}
	_, errOut := mustOatta(t, console.Nothing, "run", "sleep", k.input, "--model", k.model, "--hypnograms", k.input)
	if !strings.Contains(errOut, "exists: --overwrite replaces it") {
		t.Errorf("a second time: %s", errOut)
	}
	_, errOut = mustOatta(t, console.Fine, "run", "sleep", k.input, "--model", k.model, "--hypnograms", k.input, "--overwrite")
	if !strings.Contains(errOut, "48 epochs in 1 stream: 0 failed") || strings.Contains(errOut, "left out") {
		t.Errorf("replaced: %s", errOut)
	}
}

// checkSleepEval: the hypnogram is the truth, in its own epochs and trimmed.
func checkSleepEval(t *testing.T, k kind) {
	h, err := hypnogram.Open(filepath.Join(k.input, "SC4001EC-Hypnogram.edf"))
	if err != nil {
		t.Fatal(err)
	}
	s := evaluated(t, "sleep", k.input, "--model", k.model, "--format", "json", "-q", "--trim", "-1", "--groups", "^SC4(..)")
	want := map[string]int{}
	for _, stage := range h.Stages[nightFrom : nightFrom+nightEpochs] {
		want[stage.String()]++
	}
	for label, n := range s.supports() {
		if want[label] != n {
			t.Errorf("%d epochs of %s, want %d", n, label, want[label])
		}
	}
	if want["N2"] == 0 || want["N3"] == 0 || s.Raw.Items != nightEpochs || len(s.Streams) != 1 || s.Streams[0].Stream != "00" {
		t.Errorf("%d scored of %v, streams %+v", s.Raw.Items, want, s.Streams)
	}
	s.checkRaw(t, k.run(t), func(i int) string { return h.Stages[nightFrom+i].String() })
	if trimmed := evaluated(t, "sleep", k.input, "--model", k.model, "--format", "json", "-q", "--trim", "2"); trimmed.Items >= nightEpochs || trimmed.supports()["W"] >= want["W"] {
		t.Errorf("trimmed to 2 minutes: %d epochs of %v", trimmed.Items, trimmed.supports())
	}
	rem := cnn(t, "--labels", writeText(t, filepath.Join(t.TempDir(), "labels.txt"), "Wake\nN1\nN2\nN3\nREM\n"))
	if other := evaluated(t, "sleep", k.input, "--model", rem, "--format", "json", "-q"); other.Unknown != 0 || other.supports()["Wake"] == 0 {
		t.Errorf("other words for stages: %d unknown, %v", other.Unknown, other.supports())
	}
	alone := filepath.Join(k.input, "SC4001E0-PSG.edf")
	if _, errOut := mustOatta(t, console.Nothing, "eval", "sleep", alone, "--model", k.model); !strings.Contains(errOut, "annotations only") && !strings.Contains(errOut, "nobody scored it") {
		t.Errorf("without a hypnogram: %s", errOut)
	}
}

// Recordings as people have them: each is a right result or a failure that says why.
func TestBadSleepAmongGood(t *testing.T) {
	needEngine(t)
	dir := night(t)
	whole := readFile(t, filepath.Join(dir, "SC4001E0-PSG.edf"))
	patched := func(at int, text string) string { return whole[:at] + text + whole[at+len(text):] }
	for name, text := range map[string]string{
		"cut.edf": whole[:nightHeader+10*nightRecord+777], "head.edf": whole[:nightHeader], "half-head.edf": whole[:300], "empty.edf": "",
		"text.edf": strings.Repeat("no recording\n", 1000), "wrong.edf": strings.Replace(whole, "EEG Fpz-Cz", "EEG Oz-Iz ", 1),
		"endless.edf": patched(236, "99999999"), "unknown.edf": patched(236, "-1      "), "undated.edf": patched(168, "xx.yy.zz"),
		"short.edf": patched(244, "5       ")[:nightHeader+5*nightRecord], "SC4002E0-PSG.edf": whole[:nightHeader+20*nightRecord],
		"SC4002EC-Hypnogram.edf": "0       broken",
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	out, text := mustOatta(t, console.Partial, "run", "sleep", dir, "--model", cnn(t))
	epochs, failures := map[string]int{}, map[string]string{}
	for _, l := range parseLines(t, out) {
		if epochs[l.Stream]++; l.Failure != "" {
			failures[l.File] = l.Failure
		}
	}
	for name, want := range map[string]int{"SC4001E0-PSG.edf": nightEpochs, "cut.edf": 10, "endless.edf": nightEpochs, "unknown.edf": nightEpochs, "undated.edf": nightEpochs} {
		if epochs[name] != want {
			t.Errorf("%s: %d epochs, want %d", name, epochs[name], want)
		}
	}
	for name, want := range map[string]string{
		"head.edf": "no whole record", "half-head.edf": "header", "empty.edf": "header", "text.edf": "edf: ", "wrong.edf": `channel "EEG Fpz-Cz"`,
		"short.edf": "less than an epoch", "SC4002E0-PSG.edf": "header",
	} {
		if !strings.Contains(failures[name], want) {
			t.Errorf("%s: failure %q, want %q in it", name, failures[name], want)
		}
	}
	if !strings.Contains(text, "cut.edf: ") || strings.Contains(out+text, dir) {
		t.Errorf("no warning of what was cut off, or the folder is told:\n%s", text)
	}
}

// Bytes that a run cannot keep are not taken for kept.
func TestSleepWritesWhole(t *testing.T) {
	needEngine(t)
	dir, to := night(t), t.TempDir()
	if err := os.MkdirAll(filepath.Join(to, "SC4001E0-PSG.edf.sleep.json", "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.jsonl")
	_, errOut := mustOatta(t, console.Unfinished, "run", "sleep", dir, "--model", cnn(t), "--hypnograms", to, "-o", out)
	if !strings.Contains(errOut, "--resume continues") {
		t.Errorf("%s", errOut)
	}
	if err := os.RemoveAll(filepath.Join(to, "SC4001E0-PSG.edf.sleep.json")); err != nil {
		t.Fatal(err)
	}
	mustOatta(t, console.Fine, "run", "sleep", dir, "--model", cnn(t), "--hypnograms", to, "-o", out, "--resume")
	if _, err := os.Stat(filepath.Join(to, "SC4001E0-PSG.edf.sleep.json")); errors.Is(err, os.ErrNotExist) {
		t.Error("the resumed run did not write the summary")
	}
}

// What is seen only when samples are read is told all the same, at the end and in the manifest, and so is what was taken for a channel.
func TestSleepTells(t *testing.T) {
	needEngine(t)
	dir := t.TempDir()
	loose := make([]int, 300*100) // the electrode falls off after three of five minutes
	for i := range 180 * 100 {
		loose[i] = i * i % 977
	}
	writeFile(t, filepath.Join(dir, "loose.edf"), recordingOf("C4", "uV", loose))
	writeFile(t, filepath.Join(dir, "dot.edf"), recordingOf("C4", ".V", loose[:180*100]))
	model := cnn(t, "--channels", "C4-M1")
	out := filepath.Join(t.TempDir(), "out.jsonl")
	_, text := mustOatta(t, console.Fine, "run", "sleep", dir, "--model", model, "-o", out)
	for _, want := range []string{
		`channel "C4": no signal (it does not move) in 4 of 10 epochs of 1 recording, first in loose.edf at second 180`,
		`channel "C4": unit ".V" is no voltage: values are as they are, in 1 recording, the first dot.edf`,
		`channel "C4-M1": "C4" is taken, of which the reference is not known to be the same, in 2 recordings`,
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is not told once in:\n%s", want, text)
		}
	}
	m, err := run.ReadManifest(out)
	if err != nil || len(m.Warnings) != 4 || !strings.Contains(m.Warnings[3], "nearly uniform") || !strings.Contains(string(m.Settings.Prepare), `"Signal": "C4"`) {
		t.Errorf("manifest: %v, %q, %s", err, m.Warnings, m.Settings.Prepare)
	}
	_, text = mustOatta(t, console.Fine, "run", "sleep", filepath.Join(dir, "dot.edf"), "--model", model, "--unit", "uV", "--channels", "C4")
	if strings.Contains(text, "channel") {
		t.Errorf("named, and told all the same: %s", text)
	}
}

// recordingOf is an EDF file of one channel at 100 Hz.
func recordingOf(label, unit string, samples []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s%-80s%-80s%-8s%-8s%-8d%-44s%-8d%-8d%-4d", "0", "X", "X", "24.04.89", "16.13.00", 512, "", len(samples)/100, 1, 1)
	fmt.Fprintf(&b, "%-16s%80s%-8s%-8d%-8d%-8d%-8d%80s%-8d%32s", label, "", unit, -1000, 1000, -1000, 1000, "", 100, "")
	for _, v := range samples {
		b.Write([]byte{byte(v), byte(v >> 8)})
	}
	return b.String()
}
