package main

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/onnx"
)

// base is the path of an embedded network, without ending.
func base(m models.Manifest) string {
	return filepath.Join(testdata.Root(), "models", "embedded", m.Name)
}

// What is written of the trained networks by hand is what is committed, whatever their trainings told.
func TestTrainedAreDescribed(t *testing.T) {
	for _, test := range []struct {
		known models.Manifest
		most  int      // bytes
		says  []string // the card and the notices
	}{
		{movement(), 250 << 10, []string{"Reyes-Ortiz", "https://doi.org/10.24432/C54G7M", "CC BY 4.0"}},
		{posts(), 4 << 20, []string{"Sentiment140", "A. Go, R. Bhayani, L. Huang", "all-MiniLM-L6-v2", "Apache-2.0", "research"}},
	} {
		data, err := os.ReadFile(base(test.known) + ".onnx")
		if err != nil {
			t.Fatal(err)
		}
		committed, err := models.ReadManifestFile(base(test.known) + ".json")
		if err != nil {
			t.Fatal(err)
		}
		model, manifest, stats, err := buildTrained(data, committed, test.known)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(model, data) || stats.Halved != 0 {
			t.Errorf("%s: its weights are not halved: %+v", test.known.Name, stats)
		}
		if want, err := os.ReadFile(base(test.known) + ".json"); err != nil || !bytes.Equal(manifest, want) {
			t.Errorf("%v; the manifest is\n%s\nwant\n%s", err, want, manifest)
		}
		if len(data) > test.most {
			t.Errorf("%s: %d bytes, want %d at most", test.known.Name, len(data), test.most)
		}
		for _, page := range []string{"THIRD_PARTY_NOTICES.md", "models/embedded/" + test.known.Name + ".md"} {
			text, err := os.ReadFile(filepath.Join(testdata.Root(), page))
			for _, want := range test.says {
				if err != nil || !strings.Contains(string(text), want) {
					t.Errorf("%s does not say %q of %s: %v", page, want, test.known.Name, err)
				}
			}
		}
	}
}

// The word pieces are those of bert-base-uncased.
func TestPieces(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "models", "embedded"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writePieces(root, testdata.Shared(t, vocabulary...)); err != nil {
		t.Fatal(err)
	}
	m, err := models.Load(models.DefaultText)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.Vocabulary(); err != nil || hash(got) != piecesHash {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if err := writePieces(root, filepath.Join(root, "none")); err == nil {
		t.Error("no vocabulary passed")
	}
	if err := writePieces(root, filepath.Join(testdata.Root(), "README.md")); err == nil {
		t.Error("another vocabulary passed")
	}
}

// The documented commands make the committed bytes again.
func TestTrainedAgain(t *testing.T) {
	testdata.Heavy(t, "trains networks for minutes")
	page, err := os.ReadFile(filepath.Join(testdata.Root(), "docs", "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	bin, pieces := filepath.Join(t.TempDir(), "oatta"), t.TempDir()
	if err := os.Symlink(testdata.Shared(t, vocabulary...), filepath.Join(pieces, models.VocabularyName)); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		c := exec.Command(args[0], args[1:]...)
		c.Dir = testdata.Root()
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	run("go", "build", "-o", bin, "./cmd/oatta")
	hapt, tweets := []string{"data", "motion", "hapt_rawdata_acc.tar.gz"}, []string{"data", "text", "sentiment140_subset.csv.gz"}
	places := strings.NewReplacer("DIR/"+path.Join(hapt...), testdata.Shared(t, hapt...), "DIR/"+path.Join(tweets...), testdata.Shared(t, tweets...),
		"MINILM", testdata.Asset(t, "minilm"))
	for kind, known := range map[string]models.Manifest{"motion": movement(), "text": posts()} {
		folder := t.TempDir()
		command := commandOf(t, string(page), kind)
		for i, word := range command {
			command[i] = places.Replace(word)
			switch {
			case i > 0 && command[i-1] == "-o":
				command[i] = folder
			case word == "pieces":
				command[i] = pieces
			}
		}
		run(append([]string{bin}, command...)...)
		data, err := os.ReadFile(filepath.Join(folder, known.Name+".onnx"))
		if err != nil {
			t.Fatal(err)
		}
		trained, err := models.ReadManifestFile(filepath.Join(folder, known.Name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		model, manifest, _, err := buildTrained(data, trained, known)
		if err != nil {
			t.Fatal(err)
		}
		for ending, got := range map[string][]byte{".onnx": model, ".json": manifest} {
			if want, err := os.ReadFile(base(known) + ending); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s%s: %v; the training makes other bytes", known.Name, ending, err)
			}
		}
	}
}

// commandOf takes the arguments of the first training of a kind of data out of a page.
func commandOf(t *testing.T, page, kind string) []string {
	t.Helper()
	_, rest, found := strings.Cut(page, "\noatta train "+kind+" ")
	text, _, closed := strings.Cut(rest, "\n```")
	if !found || !closed {
		t.Fatal("docs/results.md has no command that trains a network for " + kind)
	}
	parts := strings.Split(strings.ReplaceAll(text, "\\\n", " "), "'") // what stands between quotes is one word
	out := []string{"train", kind}
	for i, part := range parts {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

func TestCommandOf(t *testing.T) {
	got := commandOf(t, "```sh\noatta train motion DIR -o F \\\n  --labels 'a b,c' --lr 1\n```\n", "motion")
	if want := []string{"train", "motion", "DIR", "-o", "F", "--labels", "a b,c", "--lr", "1"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestTrainedRefuses(t *testing.T) {
	if err := writeTrained(t.TempDir(), t.TempDir(), movement()); err == nil {
		t.Error("a folder without a training passed")
	}
	if _, _, _, err := buildTrained([]byte("no network"), models.Manifest{}, movement()); err == nil {
		t.Error("no network passed")
	}
	net, err := os.ReadFile(filepath.Join(testdata.Root(), "models", "embedded", "resnet20-cifar10.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := onnx.Decode(net); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := buildTrained(net, models.Manifest{}, movement()); err == nil {
		t.Error("a manifest without labels passed")
	}
}
