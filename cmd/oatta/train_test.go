package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/weights"
)

// walkers writes recordings of some persons who lie, walk and run by turns, each in a way of their own.
func walkers(t testing.TB, persons int) string {
	t.Helper()
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(11, 12))
	for p := range persons {
		var text strings.Builder
		text.WriteString("time,x,y,z,label\n")
		pace, strength := 1.7+0.1*float64(p), 0.3+0.02*float64(p)
		for i := range 6000 {
			second := float64(i) / 50
			label, swing, tilt := "lying", 0.0, 1.4
			switch int(second/10) % 3 {
			case 1:
				label, swing, tilt = "walking", strength, 0
			case 2:
				label, swing, tilt = "running", 3*strength, 0.1
			}
			s := swing * math.Sin(2*math.Pi*pace*(1+swing/2)*second)
			noise := func() float64 { return 0.02 * r.NormFloat64() }
			fmt.Fprintf(&text, "%.2f,%.4f,%.4f,%.4f,%s\n", second, math.Cos(tilt)+s+noise(), math.Sin(tilt)+s/3+noise(), s/4+noise(), label)
		}
		writeFile(t, filepath.Join(dir, fmt.Sprintf("person%d.csv", p+1)), text.String())
	}
	return dir
}

// trainWalkers is a short training.
func trainWalkers(data, out string, more ...string) []string {
	return append([]string{"train", "motion", data, "-o", out, "--epochs", "3", "--batch", "16", "--threads", "1", "--jitter", "0.05", "--rotate", "10", "-q"}, more...)
}

func TestTrainMotion(t *testing.T) {
	needEngine(t)
	data, out := walkers(t, 6), filepath.Join(t.TempDir(), "deep", "walk")
	printed, told := mustOatta(t, console.Fine, "train", "motion", data, "-o", out, "--epochs", "6", "--threads", "1", "--lr", "3e-3,1e-3", "--test", "person[12].csv", "--license", "CC0-1.0")
	for _, want := range []string{"wrote       " + filepath.Join(out, "walk.onnx"), "test        accuracy "} {
		if !strings.Contains(printed, want) {
			t.Errorf("it does not print %q:\n%s", want, printed)
		}
	}
	if !strings.Contains(told, "of 2 persons") || !strings.Contains(told, "step ") {
		t.Errorf("%s", told)
	}
	page := readFile(t, filepath.Join(out, "README.md"))
	for _, want := range []string{"# walk", "CC0-1.0", "lying, running, walking", "Test: person1.csv, person2.csv", "| person1.csv |", "Confusion of the raw labels"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
	if n := strings.Count(readFile(t, filepath.Join(out, "metrics.csv")), "\n"); n != 1+2*6 {
		t.Errorf("%d lines of metrics", n)
	}
	results, _ := mustOatta(t, console.Fine, "run", "motion", data, "-m", filepath.Join(out, "walk.onnx"), "--format", "csv", "-q")
	if !strings.Contains(results, "running") {
		t.Errorf("%.300s", results)
	}
	scored, _ := mustOatta(t, console.Fine, "eval", "motion", data, "-m", out, "-q", "--purity", "0.75", "--causal")
	for _, line := range strings.Split(page, "\n") { // the page tells what eval tells
		cells := strings.Split(line, "|")
		if len(cells) < 6 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "person") || !strings.HasSuffix(strings.TrimSpace(cells[1]), ".csv") {
			continue
		}
		var items int
		var raw, filtered float64
		if _, err := fmt.Sscan(cells[2]+cells[3]+cells[4], &items, &raw, &filtered); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%d  %6.2f  %8.2f", items, 100*raw, 100*filtered)
		if !strings.Contains(strings.Join(strings.Fields(scored), " "), strings.Join(strings.Fields(fmt.Sprintf("%q %s", strings.TrimSpace(cells[1]), want)), " ")) {
			t.Errorf("eval says otherwise than %s:\n%s", line, scored)
		}
	}
}

// Whenever a training is killed, the same command with --resume ends with the bytes of one that was not.
func TestTrainKilledAnywhere(t *testing.T) {
	needEngine(t)
	kills := 3
	if os.Getenv("OATTA_HEAVY") != "" {
		kills = 20
	}
	data, dir := walkers(t, 4), t.TempDir()
	whole, killed := filepath.Join(dir, "whole", "walk"), filepath.Join(dir, "killed", "walk")
	begin := time.Now()
	if out, err := program(t, trainWalkers(data, whole)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(begin)
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 3)) // other places each time; the outcome is the same
	for done := 0; done < kills; {
		cmd := program(t, trainWalkers(data, killed, "--resume", "--save-every", "1ns")...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-time.After(time.Duration(r.Int64N(int64(took)))):
			_ = cmd.Process.Kill()
			<-ended
			done++
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			if done < kills { // it was done: once more from the beginning
				compareFolders(t, whole, killed)
				if err := os.RemoveAll(killed); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if out, err := program(t, trainWalkers(data, killed, "--resume")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	compareFolders(t, whole, killed)
	if left, _ := filepath.Glob(filepath.Join(killed, "*", ".*")); left != nil {
		t.Errorf("left: %v", left)
	}
}

// compareFolders wants all that a training wrote to be the same in two folders, byte for byte.
func compareFolders(t *testing.T, a, b string) {
	t.Helper()
	for _, name := range []string{"walk.onnx", "walk.json", "README.md", "scores.json", "metrics.csv", "curves.svg", filepath.Join("checkpoints", "best.safetensors")} {
		if readFile(t, filepath.Join(a, name)) != readFile(t, filepath.Join(b, name)) {
			t.Errorf("%s is not the same", name)
		}
	}
}

// A test that waits is in no file, and then is scored as if it had not waited.
func TestTrainTestLater(t *testing.T) {
	needEngine(t)
	data, dir := walkers(t, 4), t.TempDir()
	whole, waiting := filepath.Join(dir, "whole", "walk"), filepath.Join(dir, "waiting", "walk")
	mustOatta(t, console.Fine, trainWalkers(data, whole, "--keep", "last")...)
	printed, _ := mustOatta(t, console.Fine, "train", "motion", data, "-o", waiting, "--epochs", "3", "--batch", "16", "--threads", "1", "--jitter", "0.05", "--rotate", "10", "--keep", "last", "--test-later")
	for _, want := range []string{"test        not scored", "validation  accuracy", "last        step "} {
		if !strings.Contains(printed, want) {
			t.Errorf("it does not print %q:\n%s", want, printed)
		}
	}
	if page := readFile(t, filepath.Join(waiting, "README.md")); !strings.Contains(page, "The test is not scored yet") || !strings.Contains(page, "kept is the last network") {
		t.Errorf("%s", page)
	}
	if scored := readFile(t, filepath.Join(waiting, "scores.json")); !strings.Contains(scored, `"Test": null`) {
		t.Errorf("%s", scored)
	}
	mustOatta(t, console.Fine, trainWalkers(data, waiting, "--keep", "last", "--resume")...)
	compareFolders(t, whole, waiting)
}

func TestTrainInterrupted(t *testing.T) {
	needEngine(t)
	data, out := walkers(t, 4), filepath.Join(t.TempDir(), "walk")
	cmd := program(t, trainWalkers(data, out, "--epochs", "1000")...)
	var told strings.Builder
	cmd.Stderr = &told
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 3000 { // until it learns
		if _, err := os.Stat(filepath.Join(out, "checkpoints", "last.safetensors")); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if code, _, busy := oatta(t, trainWalkers(data, out, "--resume")...); code != console.Nothing || !strings.Contains(busy, "another run is writing this output") {
		t.Errorf("a second run: %d, %s", code, busy)
	}
	if err := interrupt(cmd); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != console.Interrupted || !strings.Contains(told.String(), "--resume goes on") {
		t.Fatalf("%v, %s", err, &told)
	}
	code, _, errOut := oatta(t, trainWalkers(data, out, "--epochs", "999", "--resume")...)
	if code != console.Nothing || !strings.Contains(errOut, "was begun with something else") || !strings.Contains(errOut, `setting epochs: was "1000", is "999"`) {
		t.Errorf("other settings: %d, %s", code, errOut)
	}
	writeFile(t, filepath.Join(data, "person1.csv"), strings.Replace(readFile(t, filepath.Join(data, "person1.csv")), "lying", "walking", 400))
	code, _, errOut = oatta(t, trainWalkers(data, out, "--epochs", "1000", "--resume")...)
	if code != console.Nothing || !strings.Contains(errOut, "  data: was ") {
		t.Errorf("other data: %d, %s", code, errOut)
	}
	if code, _, errOut = oatta(t, trainWalkers(data, out)...); code != console.Nothing || !strings.Contains(errOut, "holds a training: --resume goes on with it, --overwrite begins anew") {
		t.Errorf("neither resumed nor begun anew: %d, %s", code, errOut)
	}
	mustOatta(t, console.Fine, trainWalkers(data, out, "--overwrite")...)
	mustOatta(t, console.Fine, trainWalkers(data, out, "--resume")...) // it is done: the same again
}

// Where the disk is full at a checkpoint, the one before it stays.
func TestTrainOnAFullDisk(t *testing.T) {
	needEngine(t)
	shell, err := exec.LookPath("sh")
	if err != nil {
		testdata.Missing(t, "a shell that can bound the size of files: %v", err)
	}
	data, out := walkers(t, 4), filepath.Join(t.TempDir(), "walk")
	cmd := program(t, trainWalkers(data, out)...)
	cmd.Args = append([]string{shell, "-c", `ulimit -f 1000; exec "$0" "$@"`}, cmd.Args...) // of 512 bytes, in some shells of 1024
	cmd.Path = shell
	told, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != console.Unfinished || !strings.Contains(string(told), syscall.EFBIG.Error()) {
		t.Fatalf("%v, %s", err, told)
	}
	mustOatta(t, console.Fine, trainWalkers(data, out, "--resume")...)
}

func TestTrainRefuses(t *testing.T) {
	needEngine(t)
	data, dir := walkers(t, 3), t.TempDir()
	full := t.TempDir()
	writeFile(t, filepath.Join(full, "letter.txt"), "dear")
	one := filepath.Join(data, "person1.csv")
	bad := t.TempDir()
	for i, p := range []string{"person1.csv", "person2.csv", "person3.csv"} {
		text := readFile(t, filepath.Join(data, p))
		if i > 0 {
			text = strings.ReplaceAll(text, "running", "walking")
		}
		writeFile(t, filepath.Join(bad, p), text)
	}
	numbers := t.TempDir()
	for _, p := range []string{"person1.csv", "person2.csv"} {
		writeFile(t, filepath.Join(numbers, p), strings.NewReplacer("lying", "1", "walking", "2", "running", "3").Replace(readFile(t, filepath.Join(data, p))))
	}
	for want, args := range map[string][]string{
		"no data given":                                               {"-o", filepath.Join(dir, "a")},
		"no folder: give -o FOLDER":                                   {data},
		"what is in it is no training":                                {data, "-o", full},
		"no recording found":                                          {t.TempDir(), "-o", filepath.Join(dir, "b")},
		"Give recordings of two persons":                              {one, "-o", filepath.Join(dir, "c")},
		`class "running" has examples of held-out groups`:             {bad, "-o", filepath.Join(dir, "d"), "--test", "person1.csv"},
		"1 class, want two or more":                                   {data, "-o", filepath.Join(dir, "e"), "--labels", "lying"},
		"the labels are numbers, as 1":                                {numbers, "-o", filepath.Join(dir, "f")},
		"person2.csv is named for the test and for validation":        {data, "-o", filepath.Join(dir, "g"), "--test", "person2.csv", "--validation", "person[23].csv"},
		"--rotate: 2 channels":                                        {data, "-o", filepath.Join(dir, "h"), "--channels", "x,y", "--rotate", "5"},
		"takes a text; want cnn1d":                                    {data, "-o", filepath.Join(dir, "i"), "--arch", "bert-mini"},
		"--epochs and --steps: choose one":                            {data, "-o", filepath.Join(dir, "j"), "--epochs", "2", "--steps", "3"},
		"--momentum is a setting of sgd":                              {data, "-o", filepath.Join(dir, "k"), "--momentum", "0.5"},
		"--head-only: the rest would stay":                            {data, "-o", filepath.Join(dir, "l"), "--head-only"},
		`no recipe "good"`:                                            {data, "-o", filepath.Join(dir, "m"), "--recipe", "good"},
		"classes Sitting, Standing; they are lying, walking, running": {data, "-o", filepath.Join(dir, "q"), "--labels", "Sitting,Standing"},
		`class "dancing" has no example: leave it out`:                {data, "-o", filepath.Join(dir, "n"), "--labels", "lying,dancing"},
		"schedule \"sine\": want constant":                            {data, "-o", filepath.Join(dir, "o"), "--schedule", "sine"},
		`--lr: "fast" is no number`:                                   {data, "-o", filepath.Join(dir, "p"), "--lr", "fast"},
	} {
		code, _, errOut := oatta(t, append([]string{"train", "motion"}, append(args, "-q")...)...)
		if code != console.Nothing || !strings.Contains(errOut, want) {
			t.Errorf("%v: exit code %d, want %q: %s", args, code, want, errOut)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v left %v (%v)", args, left, err)
		}
	}
}

// Samples that are no numbers part a recording, and are not trained on; a file that cannot be read is told.
func TestTrainOnDamagedData(t *testing.T) {
	needEngine(t)
	data, out := walkers(t, 4), filepath.Join(t.TempDir(), "walk")
	lines := strings.Split(readFile(t, filepath.Join(data, "person1.csv")), "\n")
	for i := 1000; i < 1100; i++ {
		lines[i] = strings.Replace(lines[i], ",", ",NaN,", 1)
		cells := strings.Split(lines[i], ",")
		lines[i] = strings.Join([]string{cells[0], "NaN", cells[3], cells[4], cells[5]}, ",")
	}
	writeFile(t, filepath.Join(data, "person1.csv"), strings.Join(lines, "\n"))
	writeFile(t, filepath.Join(data, "person9.csv"), "no table\n")
	mustOatta(t, console.Fine, trainWalkers(data, out)...)
	page := readFile(t, filepath.Join(out, "README.md"))
	if !strings.Contains(page, "1 that could not be read") {
		t.Errorf("%s", page)
	}
}

// threeNights copies a night of the stand-in to three persons.
func threeNights(t *testing.T) string {
	t.Helper()
	from, dir := standInNight(t), t.TempDir()
	for _, person := range []string{"00", "01", "02"} {
		writeFile(t, filepath.Join(dir, "SC4"+person+"1E0-PSG.edf"), readFile(t, filepath.Join(from, "SC4001E0-PSG.edf")))
		writeFile(t, filepath.Join(dir, "SC4"+person+"1EC-Hypnogram.edf"), readFile(t, filepath.Join(from, "SC4001EC-Hypnogram.edf")))
	}
	return dir
}

func TestTrainSleep(t *testing.T) {
	needEngine(t)
	data, out := threeNights(t), filepath.Join(t.TempDir(), "nights")
	mustOatta(t, console.Fine, "train", "sleep", data, "-o", out, "--epochs", "1", "--batch", "8", "--jitter", "0.1", "-q")
	page := readFile(t, filepath.Join(out, "README.md"))
	if !strings.Contains(page, "Test: SC4") || !strings.Contains(page, "W, N1, N2, N3, R") {
		t.Errorf("%s", page)
	}
	mustOatta(t, console.Fine, "run", "sleep", data, "-m", out, "-q", "-o", filepath.Join(t.TempDir(), "out.csv"))
}

// moods writes posts whose words tell the label, and the vocabulary of their words.
func moods(t *testing.T) (posts, tokens string) {
	t.Helper()
	var text strings.Builder
	text.WriteString("user,text,label\n")
	r := rand.New(rand.NewPCG(1, 9))
	for i := range 400 {
		words := []string{"good", "fine", "nice"}
		label := "positive"
		if i%2 == 1 {
			words, label = []string{"bad", "sad", "late"}, "negative"
		}
		fmt.Fprintf(&text, "user%d,the %s flight %s,%s\n", i/20, words[r.IntN(3)], words[r.IntN(3)], label)
	}
	posts, tokens = filepath.Join(t.TempDir(), "posts.csv"), t.TempDir()
	writeFile(t, posts, text.String())
	writeFile(t, filepath.Join(tokens, "vocab.txt"), strings.Join([]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "flight", "good", "fine", "nice", "bad", "sad", "late", "##s"}, "\n")+"\n")
	return posts, tokens
}

func TestTrainText(t *testing.T) {
	needEngine(t)
	posts, tokens := moods(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "mood")
	mustOatta(t, console.Fine, "train", "text", posts, "-o", out, "--tokenizer", tokens, "--max-tokens", "16", "--lr", "3e-3", "--epochs", "8", "--word-dropout", "0.1", "--threads", "1", "-q")
	page := readFile(t, filepath.Join(out, "README.md"))
	if !strings.Contains(page, "| accuracy | 1.0000 |") {
		t.Errorf("%s", page)
	}
	results, _ := mustOatta(t, console.Fine, "run", "text", posts, "-m", out, "--format", "csv", "-q")
	if strings.Count(results, "positive") < 190 {
		t.Errorf("%.500s", results)
	}
	code, _, errOut := oatta(t, "train", "text", posts, "-o", filepath.Join(dir, "none"), "-q")
	if code != console.Nothing || !strings.Contains(errOut, "no tokenizer: give --tokenizer") {
		t.Errorf("%d, %s", code, errOut)
	}
}

// text_cnn has no table of places; its words may begin with those of a larger network, whose file is part of what a resumed training must have.
func TestTrainTextFromWords(t *testing.T) {
	needEngine(t)
	posts, tokens := moods(t)
	dir := t.TempDir()
	const rows, columns = 14, 60
	values := make([]float32, rows*columns)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range values {
		values[i] = float32(r.NormFloat64())
	}
	file := func(name string, rows int) string {
		w, err := weights.NewFloat32("bert.embeddings.word_embeddings.weight", []int{rows, columns}, values[:rows*columns])
		path := filepath.Join(dir, name)
		if err == nil {
			err = weights.Save(path, []*weights.Tensor{w}, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	words, out := file("words.safetensors", rows), filepath.Join(dir, "mood")
	args := []string{"train", "text", posts, "--arch", "text-cnn", "--tokenizer", tokens, "--max-tokens", "600", "--lr", "3e-3", "--epochs", "4", "--threads", "1", "-q"}
	mustOatta(t, console.Fine, append(args, "-o", out, "--words", words, "--transforms", "html,cardiffnlp")...)
	if page := readFile(t, filepath.Join(out, "README.md")); !strings.Contains(page, "trained on from the words of words.safetensors") || !strings.Contains(page, "| accuracy | 1.0000 |") {
		t.Errorf("%s", page)
	}
	if manifest := readFile(t, filepath.Join(out, "mood.json")); !strings.Contains(manifest, `"cardiffnlp"`) {
		t.Errorf("%s", manifest)
	}
	values[0]++
	other := file("other.safetensors", rows)
	for want, more := range map[string][]string{
		"want [14, 48 or more]":      {"--words", file("few.safetensors", 10)},
		"--words and --weights":      {"--words", words, "--weights", words},
		`no transform "none"; there`: {"--transforms", "none"},
		"want 3 to 4096":             {"--max-tokens", "5000"},
		"has no table that another":  {"--words", words, "--arch", "bert-mini", "--max-tokens", "64"},
		"words: was":                 {"--words", other, "-o", out, "--resume", "--transforms", "html,cardiffnlp"},
	} {
		if !slices.Contains(more, "-o") {
			more = append(more, "-o", filepath.Join(dir, "none"))
		}
		if code, _, errOut := oatta(t, append(slices.Clone(args), more...)...); code != console.Nothing || !strings.Contains(errOut, want) {
			t.Errorf("%v: exit code %d, want %q: %s", more, code, want, errOut)
		}
	}
}

// cifarBatch writes a binary batch in which each class has a colour of its own.
func cifarBatch(t *testing.T, path string, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), 4))
	var data []byte
	for i := range n {
		data = append(data, byte(i%10))
		for c := range 3 {
			for range 32 * 32 {
				data = append(data, byte(40+r.IntN(30)+150*(i%10>>c&1)+5*(i%10)))
			}
		}
	}
	writeFile(t, path, string(data))
}

func TestTrainImages(t *testing.T) {
	needEngine(t)
	dir := t.TempDir()
	var batches []string
	for i, name := range []string{"data_batch_1.bin", "data_batch_2.bin", "test_batch.bin"} {
		batches = append(batches, filepath.Join(dir, name))
		cifarBatch(t, batches[i], 60+10*i)
	}
	out := filepath.Join(dir, "small")
	mustOatta(t, console.Fine, append([]string{"train", "images", "-o", out, "--arch", "cifar-resnet20", "--recipe", "cifar", "--epochs", "2", "--batch", "20", "--mixup", "0.2", "-q"}, batches...)...)
	page := readFile(t, filepath.Join(out, "README.md"))
	if !strings.Contains(page, "Training: data_batch_1.bin. Validation: data_batch_2.bin. Test: test_batch.bin.") || !strings.Contains(page, "Recipe `cifar`") || !strings.Contains(page, `"pad":4`) {
		t.Errorf("%s", page)
	}
	folders := t.TempDir()
	for k, class := range []string{"day", "night"} {
		if err := os.Mkdir(filepath.Join(folders, class), 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range 12 {
			writeFile(t, filepath.Join(folders, class, fmt.Sprintf("%02d.png", i)), colouredPNG(t, byte(200-150*k), uint64(i)))
		}
	}
	writeFile(t, filepath.Join(folders, "day", "broken.png"), "no picture")
	out = filepath.Join(dir, "light")
	mustOatta(t, console.Fine, "train", "images", folders, "--folder-labels", "-o", out, "--arch", "cifar-resnet20", "--epochs", "2", "--batch", "4", "--lr", "1e-2", "--flip", "--crop", "2", "--hold", "20000", "-q")
	page = readFile(t, filepath.Join(out, "README.md"))
	if !strings.Contains(page, "1 that could not be read") || !strings.Contains(page, "day, night") {
		t.Errorf("%s", page)
	}
	mustOatta(t, console.Partial, "run", "images", folders, "-m", out, "-q", "-o", filepath.Join(dir, "out.csv"))
}

func colouredPNG(t *testing.T, grey byte, seed uint64) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	img := image.NewRGBA(image.Rect(0, 0, 40, 32))
	for i := range img.Pix {
		img.Pix[i] = grey + byte(r.IntN(40))
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
