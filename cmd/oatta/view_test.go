package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
)

// viewer is `oatta view` with a browser that has its address.
type viewer struct {
	t      *testing.T
	base   string
	client *http.Client
	stop   func() int
}

// viewing starts the program as a user does.
func viewing(t *testing.T, args ...string) *viewer {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	code := make(chan int, 1)
	var said strings.Builder
	go func() {
		code <- execute(ctx, append([]string{"oatta", "view"}, args...), console.Environment{Out: w, Err: &said})
		_ = w.Close()
	}()
	address, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("oatta view %v: %d, %s", args, <-code, said.String())
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &viewer{t: t, client: &http.Client{Jar: jar}}
	v.base, _, _ = strings.Cut(address, "/?")
	v.stop = func() int { cancel(); return <-code }
	t.Cleanup(cancel)
	if answer, err := v.client.Get(strings.TrimSpace(address)); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
	return v
}

// label gives an item a label, as a page does.
func (v *viewer) label(item int, label string) {
	v.t.Helper()
	form := url.Values{"item": {fmt.Sprint(item)}, "label": {label}, "new": {"1"}}
	q, err := http.NewRequest(http.MethodPost, v.base+"/label", strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	q.Header.Set("Origin", v.base)
	answer, err := v.client.Do(q)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(text), "Saved: ") {
		v.t.Fatalf("item %d: %s, %v: %s", item, answer.Status, err, text)
	}
}

// page gets a page.
func (v *viewer) page(path string) string {
	v.t.Helper()
	answer, err := v.client.Get(v.base + path)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		v.t.Fatalf("%s: %s, %v", path, answer.Status, err)
	}
	return string(text)
}

// corrections are labels that the viewer was given of results of a kind, with what reads them.
func corrections(t *testing.T, results, inputs string, label func(i int) string, items ...int) (file string) {
	t.Helper()
	v := viewing(t, results, inputs, "--who", "ann", "-q")
	for _, i := range items {
		v.label(i, label(i))
	}
	if code := v.stop(); code != console.Fine {
		t.Errorf("exit code %d", code)
	}
	file = strings.TrimSuffix(results, ".jsonl") + ".labels.csv"
	if n := strings.Count(readFile(t, file), ",ann,"); n != len(items) {
		t.Fatalf("%d labels in %s", n, readFile(t, file))
	}
	return file
}

func one(label string) func(int) string { return func(int) string { return label } }

// said checks that a command tells something.
func said(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	if out, errOut := mustOatta(t, code, args...); !strings.Contains(out+errOut, want) {
		t.Errorf("oatta %s: no %q in\n%s%s", strings.Join(args, " "), want, out, errOut)
	}
}

// Corrections of windows are read by every command that reads labels, and of other windows than theirs they are refused.
func TestCorrectionsOfMovement(t *testing.T) {
	needEngine(t)
	data, dir := walkers(t, 4), t.TempDir()
	out := filepath.Join(dir, "walk.jsonl")
	mustOatta(t, console.Fine, "run", "motion", data, "--vectors", "-q", "-o", out)
	file := corrections(t, out, data, one("sitting"), 5, 6, 100, 200, 300)
	if text := readFile(t, file); !strings.Contains(text, "person1.csv#5,person1.csv,sitting,ann,") || !strings.Contains(text, ",6.4\n") {
		t.Error(text)
	}
	said(t, console.Fine, "5 labels known", "run", "motion", data, "--labels-known", file, "-o", filepath.Join(dir, "known.jsonl"))
	said(t, console.Fine, "known", "filter", out, "--labels-known", file)
	said(t, console.Fine, "5 of 368 windows have their label from there", "eval", "motion", data, "--labels", file)
	said(t, console.Fine, "5 of 368 items fitted", "calibrate", out, "--labels", file)
	page, _ := mustOatta(t, console.Fine, "report", out, "--labels", file, "-q", "-o", "-")
	if !strings.Contains(page, "5 windows of 368 scored") {
		t.Error("the report has other scores")
	}
	model := filepath.Join(dir, "model")
	_, told := mustOatta(t, console.Fine, "train", "motion", data, "-o", model, "--epochs", "1", "--batch", "16", "--threads", "1", "--corrections", file)
	if !strings.Contains(told, "5 of 368 windows have their label from there") || !strings.Contains(readFile(t, filepath.Join(model, "README.md")), "sitting") {
		t.Error(told)
	}
	other := []string{"--hop", "100"}
	said(t, console.Nothing, "the labels are of other windows than these", append([]string{"run", "motion", data, "--labels-known", file, "-o", filepath.Join(dir, "x.jsonl")}, other...)...)
	said(t, console.Nothing, "the labels are of other windows than these", append([]string{"eval", "motion", data, "--labels", file}, other...)...)
	said(t, console.Nothing, "the labels are of other windows than these", append([]string{"train", "motion", data, "-o", filepath.Join(dir, "y"), "--corrections", file}, other...)...)
}

// Corrections of epochs count them as run does, in eval and train, too.
func TestCorrectionsOfSleep(t *testing.T) {
	needEngine(t)
	data, dir := threeNights(t), t.TempDir()
	out := filepath.Join(dir, "night.jsonl")
	mustOatta(t, console.Fine, "run", "sleep", data, "--vectors", "-q", "-o", out)
	v := viewing(t, out, data, "-q")
	if text := v.page("/signal/3"); !strings.Contains(text, "EEG Fpz-Cz") || strings.Count(text, "<path") < 3 {
		t.Errorf("%.400s", text)
	}
	if code := v.stop(); code != console.Fine {
		t.Errorf("exit code %d", code)
	}
	file := corrections(t, out, data, one("N1"), 2, 3, 4)
	said(t, console.Fine, "3 labels known", "run", "sleep", data, "--labels-known", file, "-o", filepath.Join(dir, "known.jsonl"))
	said(t, console.Fine, "epochs have their label from there", "eval", "sleep", data, "--labels", file)
	said(t, console.Nothing, "with --labels all are taken", "eval", "sleep", data, "--labels", file, "--trim", "5")
	said(t, console.Fine, "3 of ", "calibrate", out, "--labels", file)
	said(t, console.Fine, "epochs have their label from there", "train", "sleep", data, "-o", filepath.Join(dir, "model"), "--epochs", "1", "--batch", "8", "--corrections", file)
}

// Corrections of posts are told by account and id, or line.
func TestCorrectionsOfPosts(t *testing.T) {
	needEngine(t)
	posts, tokens := moods(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "posts.jsonl")
	mustOatta(t, console.Fine, "run", "text", posts, "--vectors", "-q", "-o", out)
	v := viewing(t, out, filepath.Dir(posts), "-q")
	if text := v.page("/item/0"); !strings.Contains(text, "flight") {
		t.Errorf("no text in %s", text)
	}
	if code := v.stop(); code != console.Fine {
		t.Errorf("exit code %d", code)
	}
	file := corrections(t, out, posts, func(i int) string { return []string{"positive", "negative"}[i%2] }, 1, 2, 21, 22, 23)
	said(t, console.Fine, "5 labels known", "run", "text", posts, "--labels-known", file, "-o", filepath.Join(dir, "known.jsonl"))
	said(t, console.Fine, "5 of 400 posts have their label from there", "eval", "text", posts, "--labels", file)
	said(t, console.Fine, "5 of 400 items fitted", "calibrate", out, "--labels", file)
	said(t, console.Fine, "5 of 400 posts have their label from there", "train", "text", posts, "-o", filepath.Join(dir, "model"), "--arch", "text-cnn", "--tokenizer", tokens, "--max-tokens", "16", "--epochs", "1", "--threads", "1", "--corrections", file)
}

// Corrections of pictures are read by every command that reads labels, whichever format their results had.
func TestCorrectionsOfPictures(t *testing.T) {
	needEngine(t)
	data, dir := pictures(t, 60), t.TempDir()
	out := filepath.Join(dir, "pictures.jsonl")
	run := []string{"run", "images", data, "--model", "resnet20-cifar10"}
	mustOatta(t, console.Fine, append(run, "--vectors", "-q", "-o", out)...)
	v := viewing(t, out, data, "-q")
	if text := v.page("/thumb/3"); !strings.HasPrefix(text, "\xff\xd8") {
		t.Errorf("%.60q", text)
	}
	if text := v.page("/item/3"); !strings.Contains(text, `data-keys="1"`) || !strings.Contains(text, "airplane") {
		t.Error("the classes of the model are not offered")
	}
	if code := v.stop(); code != console.Fine {
		t.Errorf("exit code %d", code)
	}
	file := corrections(t, out, data, func(i int) string { return []string{"cat", "dog"}[i%2] }, 3, 4, 5, 30)
	said(t, console.Fine, "4 labels known", append(run, "--labels-known", file, "-o", filepath.Join(dir, "known.jsonl"))...)
	said(t, console.Fine, "4 pictures scored of 60", "eval", "images", data, "--model", "resnet20-cifar10", "--labels", file)
	said(t, console.Fine, "4 of 60 items fitted", "calibrate", out, "--labels", file)
	truth := writeLabels(t, data, func(i int) string { return []string{"cat", "dog", "frog"}[i%3] })
	said(t, console.Fine, "4 of 60 pictures have their label from there", "train", "images", data, "--metadata", truth, "-o", filepath.Join(dir, "model"), "--arch", "cifar-resnet20", "--epochs", "1", "--batch", "8", "--corrections", file, "--groups", "(.*)")

	doc := filepath.Join(dir, "doc.json")
	mustOatta(t, console.Fine, append(run, "-q", "-o", doc)...)
	v = viewing(t, doc, data, "-q", "--labels", filepath.Join(dir, "doc.csv"))
	v.label(7, "cat")
	if code := v.stop(); code != console.Fine {
		t.Errorf("exit code %d", code)
	}
	said(t, console.Fine, "1 label known", append(run, "--labels-known", filepath.Join(dir, "doc.csv"), "-o", filepath.Join(dir, "again.jsonl"))...)
	said(t, console.Fine, "1 label known", "filter", doc, "--labels-known", filepath.Join(dir, "doc.csv"))
}

// Boxes of a detector are corrected one by one, and eval and run know them by their names.
func TestCorrectionsOfBoxes(t *testing.T) {
	needEngine(t)
	data, dir := pictures(t, 10), t.TempDir()
	boxes := []string{"--boxes", boxFile(t, data, twoBoxes), "--model", "resnet20-cifar10"}
	out := filepath.Join(dir, "boxes.jsonl")
	mustOatta(t, console.Fine, append([]string{"run", "images", data, "-q", "-o", out}, boxes...)...)
	v := viewing(t, out, data, "-q")
	if text := v.page("/item/1"); !strings.Contains(text, `<svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true"><rect`) || !strings.Contains(text, "#") {
		t.Errorf("no box in %s", text)
	}
	for _, path := range []string{"/thumb/1", "/picture/1"} {
		if text := v.page(path); !strings.HasPrefix(text, "\xff\xd8") {
			t.Errorf("%s: %.80q", path, text)
		}
	}
	if code := v.stop(); code != console.Fine {
		t.Errorf("exit code %d", code)
	}
	file := corrections(t, out, data, one("dog"), 1, 2, 7)
	said(t, console.Fine, "3 labels known", append([]string{"run", "images", data, "--labels-known", file, "-o", filepath.Join(dir, "known.jsonl")}, boxes...)...)
	said(t, console.Fine, "3 crops scored of 20", append([]string{"eval", "images", data, "--labels", file}, boxes...)...)
}

// Labels in other words, or as numbers, are certain for run as for eval.
func TestRunKnownLabelsInOtherWords(t *testing.T) {
	needEngine(t)
	data, dir := pictures(t, 20), t.TempDir()
	known := writeLabels(t, data, func(i int) string { return []string{"Katze", "", "", "", ""}[i%5] })
	words := filepath.Join(dir, "words.csv")
	writeFile(t, words, "from,to\nKatze,cat\n")
	run := []string{"run", "images", data, "--model", "resnet20-cifar10", "--format", "csv"}
	said(t, console.Nothing, `label "Katze" is none of the 10 classes`, append(run, "--labels-known", known)...)
	said(t, console.Fine, "4 labels known", append(run, "--labels-known", known, "--label-map", words)...)
	numbers := writeLabels(t, data, func(i int) string { return []string{"3", "", "", "", ""}[i%5] })
	said(t, console.Nothing, "--label-index 0", append(run, "--labels-known", numbers)...)
	if out, _ := mustOatta(t, console.Fine, append(run, "--labels-known", numbers, "--label-index", "0", "-q")...); strings.Count(out, ",cat,1,") != 4 {
		t.Error(out)
	}
	said(t, console.Nothing, "--label-map is a setting of --labels-known", append(run, "--label-map", words)...)
}

// What the predictions say of the classifier is in the manifest, and so in report and view.
func TestRunKeepsItsDoubts(t *testing.T) {
	needEngine(t)
	dir := t.TempDir()
	img := filepath.Join(dir, "pictures")
	if err := os.Mkdir(img, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 40 { // all alike
		writeFile(t, filepath.Join(img, fmt.Sprintf("%02d.png", i)), colouredPNG(t, 90, 1))
	}
	out := filepath.Join(dir, "out.jsonl")
	_, told := mustOatta(t, console.Fine, "run", "images", img, "--model", "resnet20-cifar10", "-o", out)
	const doubt = "first 40 predictions are the same"
	if !strings.Contains(told, doubt) || !strings.Contains(readFile(t, out+".manifest.json"), doubt) {
		t.Error(told)
	}
	page, _ := mustOatta(t, console.Fine, "report", out, "-q", "-o", "-")
	v := viewing(t, out, "-q")
	if first := v.page("/"); !strings.Contains(page, doubt) || !strings.Contains(first, doubt) {
		t.Error("nobody who reads the results is told")
	}
	if code := v.stop(); code != console.Fine {
		t.Errorf("exit code %d", code)
	}
}

// Where something is wrong, nothing is served.
func TestViewRefuses(t *testing.T) {
	dir, results := reported(t)
	write := func(name, text string) string {
		writeFile(t, filepath.Join(dir, name), text)
		return filepath.Join(dir, name)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{results, dir, dir}, "want the results"},
		{[]string{filepath.Join(dir, "gone.jsonl")}, "gone.jsonl"},
		{[]string{write("empty.jsonl", "")}, "is empty"},
		{[]string{write("others.jsonl", `{"stream":"a","probs":[1,0]}`+"\n")}, "oatta filter"},
		{[]string{results, filepath.Join(dir, "gone")}, "gone"},
		{[]string{results, "--labels", results}, "the results"},
		{[]string{results, "--labels", filepath.Join(dir, "gone", "l.csv")}, "no such file"},
		{[]string{results, "--labels", write("l.csv", "name,class\na,b\n")}, "want file and label"},
		{[]string{results, "--unsure", "2"}, "--unsure 2: want 0 to 1"},
		{[]string{results, "--kind", "birds"}, "--kind"},
		{[]string{results, "--port", "99999"}, "--port 99999"},
	} {
		said(t, console.Nothing, c.want, append([]string{"view"}, c.args...)...)
	}
}

// Without results the first page runs on a folder that is named there, and shows what comes out, beside the folder.
func TestViewOfAFolder(t *testing.T) {
	needEngine(t)
	data := pictures(t, 6)
	v := viewing(t, "-q")
	post := func(path, folder string) string {
		t.Helper()
		q, err := http.NewRequest(http.MethodPost, v.base+path, strings.NewReader(url.Values{"folder": {folder}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		q.Header.Set("Origin", v.base)
		answer, err := v.client.Do(q)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(answer, err)
		}
		defer answer.Body.Close()
		for range 600 {
			text := v.page("/")
			if !strings.Contains(text, "are being classified") {
				return text
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Fatal("it does not end")
		return ""
	}
	if text := v.page("/"); !strings.Contains(text, `name="folder"`) || strings.Contains(text, `http-equiv="refresh"`) {
		t.Errorf("%s", text)
	}
	for folder, want := range map[string]string{
		"": "no folder was named", "  ": "no folder was named", filepath.Join(data, "gone"): "there is no such folder", "/": "is a whole disk", t.TempDir(): "no picture",
	} {
		if text := post("/run", folder); !strings.Contains(text, want) {
			t.Errorf("%q: no %q in %s", folder, want, text)
		}
	}
	text := post("/run", `"`+data+`"`)
	if !strings.Contains(text, "6 pictures in 1 stream") {
		t.Fatalf("%s", text)
	}
	v.label(2, "wolf")
	if code := v.stop(); code != console.Fine {
		t.Errorf("exit code %d", code)
	}
	if labels := readFile(t, data+".oatta.labels.csv"); !strings.Contains(labels, ",wolf,") {
		t.Error(labels)
	}
	v = viewing(t, data, "-q") // what is there is not made anew
	if text := v.page("/"); !strings.Contains(text, `value="`+data+`"`) {
		t.Errorf("%s", text)
	}
	before := readFile(t, data+".oatta.jsonl")
	if text := post("/run", data); !strings.Contains(text, "your labels</dt><dd>1<") || readFile(t, data+".oatta.jsonl") != before {
		t.Errorf("%s", text)
	}
	if code := v.stop(); code != console.Fine {
		t.Errorf("exit code %d", code)
	}
}

// Results of filter are looked at like those of run, by the names that they have there.
func TestViewOfFilter(t *testing.T) {
	dir, results := reported(t)
	v := viewing(t, results, "--kind", "movement", "-q")
	if text := v.page("/"); !strings.Contains(text, "1,941 windows in 4 streams") || !strings.Contains(text, "user17") {
		t.Errorf("%s", text)
	}
	v.label(3, "walking")
	if code := v.stop(); code != console.Fine {
		t.Errorf("exit code %d", code)
	}
	in := filepath.Join(testdata.Root(), "docs", "samples", "movement.jsonl.gz")
	said(t, console.Fine, "1 label known", "filter", in, "--smooth", "--labels-known", filepath.Join(dir, "adapted.labels.csv"), "-o", filepath.Join(dir, "again.jsonl"))
}
