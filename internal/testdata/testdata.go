// Package testdata finds the real data and models that tests use.
//
// Of what may be copied, the repository holds what is small, in copies; the rest lies in a folder of shared data, or is fetched by
// `make assets`. A test on a user's machine skips, with the reason, where what it needs is absent; on a continuous-integration machine
// (CI is set) it fails instead, so that a check can never vanish unnoticed.
package testdata

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
)

// Root returns the folder of the repository.
func Root() string {
	_, file, _, ok := goruntime.Caller(0)
	if !ok {
		panic("testdata: no caller information")
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// Shared returns a path of shared data: that of the repository's copy, unpacked for the test if it is compressed, else below OATTA_SHARED
// (or ../shared beside the repository), else below the folder of assets.
func Shared(tb testing.TB, elem ...string) string {
	tb.Helper()
	found, ok := find(tb, elem)
	if !ok {
		Missing(tb, "%s", remedy(path.Join(elem...), ""))
	}
	if strings.HasSuffix(found, ".gz") && !strings.HasSuffix(elem[len(elem)-1], ".gz") {
		return unpack(tb, found)
	}
	return found
}

// Have reports whether there is such a path of shared data or of assets, for a test that has something else to go on with. What is not is
// noted as left out; where CI is set, the test ends.
func Have(tb testing.TB, elem ...string) bool {
	tb.Helper()
	_, ok := find(tb, elem)
	if !ok {
		note(tb, "part", remedy(path.Join(elem...), ""))
	}
	return ok
}

// Some returns those of the named files of a folder of shared data that are here, for a test that goes on with them. What is not is
// noted as left out; where there is none, or CI is set, it is as Shared.
func Some(tb testing.TB, folder string, names ...string) []string {
	tb.Helper()
	var here, gone []string
	for _, name := range names {
		if _, ok := find(tb, []string{folder, name}); ok {
			here = append(here, name)
		} else {
			gone = append(gone, name)
		}
	}
	if len(gone) == 0 {
		return here
	}
	more := ""
	if len(gone) > 1 {
		more = fmt.Sprintf(" and %d more", len(gone)-1)
	}
	reason := remedy(path.Join(folder, gone[0]), more)
	if len(here) == 0 {
		Missing(tb, "%s", reason)
	}
	note(tb, "part", reason)
	return here
}

// Heavy skips a test that takes minutes, or a part of one, unless OATTA_HEAVY is set.
func Heavy(tb testing.TB, why string) {
	tb.Helper()
	if os.Getenv("OATTA_HEAVY") == "" {
		record(tb, "skipped", why+" (set OATTA_HEAVY=1)")
		tb.Skip(why + " (set OATTA_HEAVY=1)")
	}
}

// What several tests take: our predictions on real streams, those on CIFAR-10 with the labels of its test set, and real orders.
var (
	RealPredictions  = []string{"data/predictions/hapt_lr.jsonl.gz", "data/predictions/hapt_lr_noisy.jsonl.gz", "data/predictions/sleep_lr.jsonl.gz"}
	CIFARPredictions = []string{
		"data/cifar10/test_labels.u8", "data/predictions/cifar10c_first1000_resnet18_balanced_logits.npz",
		"data/predictions/cifar10_test_resnet18_balanced_logits.npy", "data/predictions/cifar10_test_resnet18_imbalanced_logits.npy",
	}
	RealOrders = []string{
		"data/cameratrap/iwildcam2019_cct_loc46_labels.csv", "data/motion/hapt_rawdata_acc.tar.gz", "data/sleep/sleep_edf_hypnograms20.tar.gz",
	}
)

// Tree returns a folder that holds the named files of shared data, by their slash-separated paths: that of shared data itself, or one
// that is put together for the test.
func Tree(tb testing.TB, names ...string) string {
	tb.Helper()
	if _, err := os.Stat(shared()); err == nil {
		for _, name := range names {
			existing(tb, filepath.Join(shared(), filepath.FromSlash(name)), remedy(name, ""))
		}
		return shared()
	}
	dir := tb.TempDir()
	for _, name := range names {
		source := Shared(tb, strings.Split(name, "/")...)
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(source, path)); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// Asset returns a path under the folder that `make assets` fills: OATTA_ASSETS, or oatta/assets in ~/.cache.
func Asset(tb testing.TB, elem ...string) string {
	tb.Helper()
	return existing(tb, filepath.Join(append([]string{assets(tb)}, elem...)...), remedy(elem[0], ""))
}

// Browser returns a Chromium, or ends the test.
func Browser(tb testing.TB) string {
	tb.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Missing(tb, "a browser: chromium")
	return ""
}

// OperatorTests returns the folder of ONNX's operator tests, a folder each: the asset, or the repository's copy of the small ones, 1,230 of
// 1,282.
func OperatorTests(tb testing.TB) string {
	tb.Helper()
	if dir := filepath.Join(assets(tb), "onnx-node"); os.Getenv("CI") == "" {
		if _, err := os.Stat(dir); err != nil {
			out := tb.TempDir()
			if err := untar(out, filepath.Join(Root(), "internal", "testdata", "copies", "onnx-node.tar.gz")); err != nil {
				tb.Fatal(err)
			}
			note(tb, "part", "asset: onnx-node, of which the large ones are not in the repository (run `make assets`)")
			return out
		}
	}
	return Asset(tb, "onnx-node")
}

// remedy says what is not here and what can be done about it.
func remedy(name, more string) string {
	switch top, _, _ := strings.Cut(name, "/"); top {
	case "cases", "data", "models", "paper", "reference":
		return fmt.Sprintf("shared data: %s%s (set OATTA_SHARED to their folder)", name, more)
	}
	return fmt.Sprintf("asset: %s%s (run `make assets`)", name, more)
}

func shared() string {
	if base := os.Getenv("OATTA_SHARED"); base != "" {
		return base
	}
	return filepath.Join(filepath.Dir(Root()), "shared")
}

func assets(tb testing.TB) string {
	tb.Helper()
	if base := os.Getenv("OATTA_ASSETS"); base != "" {
		return base
	}
	home, err := os.UserHomeDir()
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(home, ".cache", "oatta", "assets")
}

// find looks for shared data in the order that Shared tells. A compressed copy is found as it is.
func find(tb testing.TB, elem []string) (string, bool) {
	tb.Helper()
	name := filepath.Join(elem...)
	here := filepath.Join(Root(), "internal", "testdata", "copies", name)
	if info, err := os.Stat(here); err == nil && info.Mode().IsRegular() {
		return here, true
	}
	if _, err := os.Stat(here + ".gz"); err == nil {
		return here + ".gz", true
	}
	for _, base := range []string{shared(), assets(tb)} {
		if path := filepath.Join(base, name); base != "" {
			if _, err := os.Stat(path); err == nil {
				return path, true
			}
		}
	}
	return "", false
}

// unpack writes a compressed copy into a folder of the test's, under its own name.
func unpack(tb testing.TB, path string) string {
	tb.Helper()
	out := filepath.Join(tb.TempDir(), strings.TrimSuffix(filepath.Base(path), ".gz"))
	if err := gunzip(out, path); err != nil {
		tb.Fatal(err)
	}
	return out
}

func gunzip(out, path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return err
	}
	return os.WriteFile(out, data, 0o600)
}

// untar unpacks the files of a compressed archive below a folder.
func untar(out, path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		file := filepath.Join(out, filepath.FromSlash(h.Name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, 0o600)); err != nil {
			return err
		}
	}
}

func existing(tb testing.TB, path, reason string) string {
	tb.Helper()
	if _, err := os.Stat(path); err != nil {
		Missing(tb, "%s", reason)
	}
	return path
}

// Missing ends a test for want of something that it needs: it skips on a user's machine and fails where CI is set.
func Missing(tb testing.TB, format string, args ...any) {
	tb.Helper()
	reason := fmt.Sprintf(format, args...)
	note(tb, "skipped", reason)
	tb.Skip("not here: " + reason)
}

// note records what a test goes without; where CI is set it ends the test.
func note(tb testing.TB, what, reason string) {
	tb.Helper()
	if os.Getenv("CI") != "" {
		tb.Fatal("needed in CI: " + reason)
	}
	record(tb, what, reason)
}

// record appends to the file that OATTA_SKIPS names, since go test shows reasons only with -v: the reason, skipped (the whole test) or part
// (of it), and the test, with tabs between.
func record(tb testing.TB, what, reason string) {
	tb.Helper()
	path := os.Getenv("OATTA_SKIPS")
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = fmt.Fprintf(f, "%s\t%s\t%s\n", reason, what, tb.Name())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		tb.Fatal(err)
	}
}
