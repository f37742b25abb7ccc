package main

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
)

// opens counts how often each file of a folder is opened, by whoever in this process, ONNX Runtime too.
type opens struct{ fd int }

func watchOpens(t *testing.T, dir string) opens {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		testdata.Missing(t, "inotify: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if _, err := syscall.InotifyAddWatch(fd, dir, syscall.IN_OPEN); err != nil {
		t.Fatal(err)
	}
	return opens{fd}
}

// read returns the counts since the last call, by name.
func (o opens) read(t *testing.T) map[string]int {
	t.Helper()
	count, buf := map[string]int{}, make([]byte, 1<<16)
	for {
		n, err := syscall.Read(o.fd, buf)
		if err == syscall.EAGAIN { // all is read
			return count
		}
		if err != nil {
			t.Fatal(err)
		}
		for event := buf[:n]; len(event) > 0; {
			size := syscall.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(event[12:]))
			count[strings.TrimRight(string(event[syscall.SizeofInotifyEvent:size]), "\x00")]++
			event = event[size:]
		}
	}
}

// A run opens the model's file and its manifest once each, whatever the predictor.
func TestModelIsReadOnce(t *testing.T) {
	needEngine(t)
	dir, items := t.TempDir(), pictures(t, 4)
	file := filepath.Join(dir, "net.onnx")
	mustOatta(t, console.Fine, "models", "export", "resnet20-cifar10", "-o", file)
	watch := watchOpens(t, dir)
	for name, args := range methodArgs {
		mustOatta(t, console.Fine, append([]string{"run", "images", items, "--model", file, "-q"}, args...)...)
		if count := watch.read(t); count["net.onnx"] != 1 || count["net.json"] != 1 || len(count) != 2 {
			t.Errorf("%s: opened %v, want the model and its manifest once each", name, count)
		}
	}
}

func TestModelOfTextsIsReadOnce(t *testing.T) {
	needEngine(t)
	folder := t.TempDir()
	writeText(t, filepath.Join(folder, "vocab.txt"), "[PAD]\n[UNK]\n[CLS]\n[SEP]\ngood\nbad\nday\n")
	posts := writeText(t, filepath.Join(t.TempDir(), "posts.csv"), "user,text\nana,good day\nben,bad day\n")
	m, _ := built(t, "bert_mini", "--init", "1", "--tokenizer", folder)
	watch := watchOpens(t, filepath.Dir(m.Path))
	for name, args := range methodArgs {
		mustOatta(t, console.Fine, append([]string{"run", "text", posts, "--model", m.Path, "-q"}, args...)...)
		count := watch.read(t)
		if base := filepath.Base(m.Path); count[base] != 1 || count[filepath.Base(models.ManifestPath(m.Path))] != 1 {
			t.Errorf("%s: opened %v, want the model and its manifest once each", name, count)
		}
	}
}
