package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

const module = "github.com/oatta/oatta"

// rule says which packages of the module a package may import, and why no other. A name that ends in /... stands for the package
// and all below it. The first rule whose name matches counts.
type rule struct {
	pkg   string
	may   []string
	cause string
}

// rules is the table of the design. Test files may import internal/testdata, internal/oracle, runtime/runtimetest, serve/servetest and, for
// references that NumPy wrote, internal/npy besides, and external test files of any package, as those of studies, may bring runtime/ort, to
// try the real engine; those of the client bring the server that it asks. Those of the parts of models, and of the oracle, may bring the parts of models: derivative rules are tested on files.
var rules = []rule{
	{"runtime/ort/orttest", []string{"internal/testdata", "runtime", "runtime/ort", "runtime/ort/ortlib"}, "a helper of tests finds the engine and nothing else"},
	{"runtime/ort/ortlib", []string{"internal/replace", "runtime"}, "finding and keeping the library needs the names of devices, and no native code"},
	{"runtime/ort/...", []string{"runtime", "runtime/ort/ortlib"}, "the engine knows the vocabulary and its library, and nothing of models"},
	{"runtime/runtimetest", []string{"runtime"}, "a conformance suite that knew more than the vocabulary would test more than an engine"},
	{"runtime", nil, "the vocabulary is at the bottom"},
	{"models/graph", nil, "the graph IR is at the bottom of the models"},
	{"models/onnx/onnxpb", nil, "generated from the format alone"},
	{"models/onnx", []string{"internal/replace", "models/graph", "models/onnx/onnxpb"}, "a file format knows the IR and nothing else"},
	{"models/autodiff", []string{"models/graph"}, "the calculus knows the IR and nothing else"},
	{"models/forms/formstest", []string{"models/graph", "models/onnx"}, "a network, for tests"},
	{"models/forms", []string{"internal/lock", "internal/replace", "internal/timing", "models/autodiff", "models/graph", "models/onnx", "runtime"}, "in which form a function is written does not depend on whose graph it is; what is fastest is timed on whatever engine there is, and kept"},
	{"models/optim", []string{"models/graph"}, "optimisers are graph nodes"},
	{"models/weights", []string{"internal/npy", "internal/replace"}, "weight files know no graph"},
	{"models/norms", []string{"models/graph"}, "what can be adapted is seen in the graph"},
	{"models/dropout", []string{"models/graph", "models/onnx"}, "dropout is rewritten in the graph"},
	{"models/backbone/backbonetest", []string{"models/...", "runtime", "internal/testdata"}, "goldens of the backbones, for tests"},
	{"models/backbone", []string{"models/graph", "models/weights"}, "a backbone is a graph and the names of its weights"},
	{"models/train", []string{"models/autodiff", "models/dropout", "models/graph", "models/norms", "models/onnx", "models/optim", "models/weights", "runtime"}, "a step of training is a graph, whoever runs it and whatever it is fed"},
	{"models/predict", []string{"models/...", "preprocess/...", "runtime"}, "a predictor does not know the filter that wraps it"},
	{"models", []string{"models/...", "preprocess/...", "runtime", "adapt/population"}, "a manifest names no engine; it promises a preprocessing, and carries what is known of its classes, their order included"},
	{"models/...", []string{"models/...", "runtime"}, "models run on any engine, so they name none"},
	{"preprocess/eeg/yasa", nil, "features are plain arithmetic on samples, whoever read them"},
	{"preprocess/...", []string{"runtime", "preprocess/...", "internal/exif"}, "raw values become tensors without knowing a model"},
	{"tent/...", []string{"models/...", "runtime", "preprocess/..."}, "a predictor takes steps on graphs, below the filter"},
	{"memo/...", []string{"models/...", "runtime", "preprocess/..."}, "a predictor takes steps on graphs, below the filter"},
	{"preprocess/internal/...", nil, "what preprocessors share is plain arithmetic"},
	{"adapt/timeline", nil, "when items come does not depend on what they show"},
	{"adapt/population", []string{"adapt", "adapt/timeline"}, "what a population taught is counted from labels and times, without a predictor"},
	{"adapt", nil, "the filter is a pure state machine, usable without any of the rest"},
	{"datasets/walk", nil, "what is below a folder does not depend on who reads it"},
	{"datasets/...", []string{"datasets/...", "internal/exif", "internal/npy"}, "readers know files, not what becomes of them"},
	{"internal/testdata", nil, "finding test data needs nothing"},
	{"internal/oracle", []string{"models/graph"}, "the oracle evaluates graphs, and shares no arithmetic with what it judges"},
	{"internal/cputime", nil, "the clock of whatever is timed knows nothing of it"},
	{"internal/timing", []string{"internal/cputime"}, "how pieces of work are timed against each other does not depend on what they do"},
	{"internal/exif", nil, "tags lie in a file's bytes; what they mean for order or pixels is the reader's"},
	{"internal/replace", nil, "a file is replaced alike, whatever is in it"},
	{"internal/npy", nil, "a header says what the elements are, not what they are for"},
	{"internal/lock", []string{"internal/replace"}, "a lock does not know what is written under it"},
	{"internal/report/items", []string{"datasets"}, "results are read back without knowing what becomes of them"},
	{"internal/report", []string{"datasets", "datasets/edf/hypnogram", "internal/charts", "internal/report/items", "internal/scores", "preprocess/image"}, "a page shows what the results say, whoever ran, and finds nothing out"},
	{"internal/frame", nil, "bytes are framed alike, whatever they mean"},
	{"internal/state/live", []string{"adapt"}, "which filters are in memory does not depend on what keeps the others"},
	{"internal/state/vault", []string{"adapt"}, "how what is kept is sealed does not depend on where it is kept"},
	{"internal/state", []string{"adapt", "internal/state/live", "internal/state/vault"}, "a store of filter states knows filters and nothing of what they filter"},
	{"internal/corrections", []string{"internal/lock", "internal/replace"}, "a table of labels knows names, and nothing of what they are of"},
	{"internal/view", []string{"datasets", "datasets/edf", "datasets/edf/hypnogram", "datasets/motion", "datasets/posts", "internal/corrections", "internal/report", "internal/report/items"}, "pages show what the results and the raw files say, whoever ran, and write labels alone"},
	{"internal/queue", nil, "what waits in it is not its business"},
	{"internal/streams", []string{"adapt", "adapt/timeline", "internal/queue"}, "who passes predictions through filters does not ask where they come from"},
	{"internal/charts", nil, "a drawing knows numbers, not where they come from"},
	{"internal/scores", []string{"internal/results"}, "scores know predictions and true classes, not who made them"},
	{"internal/calibration", []string{"adapt", "adapt/population", "adapt/timeline", "internal/results", "internal/scores", "internal/streams"}, "what is learned of labelled predictions needs no network"},
	{"internal/training", []string{"adapt", "adapt/...", "datasets", "internal/calibration", "internal/charts", "internal/inputs", "internal/pipeline", "internal/replace", "internal/results", "internal/scores", "internal/streams", "models", "models/...", "preprocess/...", "runtime"}, "training takes examples of any kind on the engine that it is given; what is learned of the finished network is learned as of any other"},
	{"internal/explain", []string{"adapt", "internal/charts", "internal/replace"}, "an explanation shows what a filter did, whoever ran it"},
	{"internal/results", []string{"datasets/megadetector"}, "what is written does not depend on how it was made; the words of a format stand beside its reader"},
	{"internal/method", []string{"memo", "models/...", "runtime", "tent"}, "a predictor is made of model and settings, whoever runs it on whatever items"},
	{"internal/arch", nil, "a test of the structure stands outside it"},
	{"internal/inputs", []string{"datasets/...", "internal/pipeline", "models/...", "preprocess/...", "runtime"}, "items of any kind become a network's inputs before anything is predicted"},
	{"internal/pipeline", []string{"adapt", "adapt/timeline", "internal/lock", "internal/queue", "internal/results", "internal/streams", "models/predict", "runtime"}, "the pipeline moves inputs of any kind, from any reader, on any engine"},
	{"benchmarks/realworld", append(allBut("cmd/...", "runtime/ort/...", "serve/..."), cliButEvaluation...), "a study runs on the engine that it is given; the labels of collections are read as `oatta eval` reads them"},
	{"benchmarks/...", allBut("cmd/...", "internal/cli/...", "runtime/ort/...", "serve/..."), "a study runs on the engine that it is given"},
	{"serve", nil, "what a request is does not depend on who carries or answers it"},
	{"serve/servetest", []string{"adapt", "internal/testdata", "serve"}, "a server's model in memory, for tests"},
	{"serve/client", nil, "who asks a server needs nothing of it"},
	{"serve/natsserver/natstest", []string{"serve/natsserver"}, "a server for tests, whatever they keep there"},
	{"serve/backend/storetest", []string{"adapt", "internal/state"}, "a suite for stores, whatever they are made of"},
	{"serve/auth", []string{"serve"}, "who somebody is does not depend on what is asked"},
	{"serve/oip/pb", nil, "generated from the protocol alone"},
	{"serve/oip", []string{"serve", "serve/oip/pb"}, "a front end knows the protocol, and nothing of models"},
	{"serve/...", allBut("cmd/...", "runtime/ort/...", "benchmarks/..."), "a server runs on the engine that it is given"},
	{"internal/cli/console", nil, "exit codes and warnings are of no command"},
	{"internal/cli/files", []string{"internal/replace"}, "what guards outputs does not know what is in them"},
	{"internal/cli/filtering", []string{"adapt", "adapt/population", "adapt/timeline", "datasets/predictions", "internal/cli/console", "internal/cli/evaluation", "internal/cli/files", "internal/explain", "internal/inputs", "internal/state", "internal/streams"}, "how streams are filtered does not depend on who predicts; labels that are certain are read as those that are scored against"},
	{"internal/cli/evaluation", []string{"datasets", "datasets/edf/hypnogram", "datasets/motion", "internal/cli/console", "internal/cli/files", "internal/scores"}, "scores are printed alike, whoever ran, and labels read alike, whose codes the packages of their fields know"},
	{"internal/cli/predicted", []string{"adapt/timeline", "datasets", "datasets/predictions", "internal/cli/console", "internal/cli/evaluation", "internal/cli/files", "internal/scores"}, "predictions are read alike, whatever becomes of them"},
	{"internal/cli/readback", []string{"internal/cli/console", "internal/report", "internal/report/items"}, "results are read back alike, whatever becomes of them"},
	{"internal/cli/reading", []string{"datasets", "datasets/...", "internal/cli/console", "internal/inputs"}, "collections are read alike, whatever becomes of them"},
	{"internal/cli/predictor", []string{"internal/cli/console", "internal/method", "memo", "models", "models/...", "tent"}, "flags become the settings of a predictor, and nothing is opened"},
	{"internal/cli/bench", allBut("cmd/...", "serve/...", "internal/cli/calibrate", "internal/cli/filter", "internal/cli/models", "internal/cli/report", "internal/cli/run", "internal/cli/serve", "internal/cli/state", "internal/cli/train", "internal/cli/view"), "the command of the studies brings them the engine; what they measure of the program, such as its speed, is theirs, and no other command needs it"},
	{"internal/cli/serve", allBut("benchmarks/...", "cmd/...", "internal/cli/bench", "internal/cli/calibrate", "internal/cli/filter", "internal/cli/models", "internal/cli/report", "internal/cli/run", "internal/cli/state", "internal/cli/train", "internal/cli/view"), "the command of the server brings front end, backend and engine together"},
	{"internal/cli/...", allBut("benchmarks/...", "cmd/...", "serve/...", "internal/cli/bench", "internal/cli/calibrate", "internal/cli/filter", "internal/cli/models", "internal/cli/report", "internal/cli/run", "internal/cli/serve", "internal/cli/state", "internal/cli/train", "internal/cli/view"), "no command needs another: what two of them need lies beside them"},
	{"cmd/...", allBut("benchmarks/..."), "the program has its studies as a command: what both need, such as scores, is the program's"},
	{"internal/samebytes", nil, "versions are compared from outside, by their programs"},
	{"internal/tools/...", allBut("cmd/..."), "tools stand beside the program"},
}

// cliButEvaluation are the packages of commands but the one that reads true labels.
var cliButEvaluation = []string{
	"internal/cli/bench", "internal/cli/calibrate", "internal/cli/console", "internal/cli/files", "internal/cli/filter", "internal/cli/filtering", "internal/cli/models", "internal/cli/predicted",
	"internal/cli/predictor", "internal/cli/readback", "internal/cli/reading", "internal/cli/report", "internal/cli/run", "internal/cli/serve", "internal/cli/setup", "internal/cli/state", "internal/cli/train", "internal/cli/view",
}

func allBut(names ...string) []string { return append([]string{"!"}, names...) }

func (r rule) allows(imported string) bool {
	if len(r.may) > 0 && r.may[0] == "!" {
		return !matchesAny(r.may[1:], imported)
	}
	return matchesAny(r.may, imported)
}

func matchesAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, pkg) })
}

func matches(pattern, pkg string) bool {
	below, all := strings.CutSuffix(pattern, "/...")
	return pkg == below || all && strings.HasPrefix(pkg, below+"/")
}

func ruleOf(pkg string) (rule, bool) {
	for _, r := range rules {
		if matches(r.pkg, pkg) {
			return r, true
		}
	}
	return rule{}, false
}

// source is one parsed Go file: imports and package clause.
type source struct {
	path string // slash-separated, from the root
	pkg  string // folder of path
	test bool
	ext  bool // package x_test
	file *ast.File
}

func sources(t *testing.T) (out []source) {
	root := testdata.Root()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" && p != filepath.Join(root, "internal", "testdata") || strings.HasPrefix(d.Name(), ".") || d.Name() == "bin" || d.Name() == "out") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		out = append(out, source{rel, path.Dir(rel), strings.HasSuffix(rel, "_test.go"), strings.HasSuffix(f.Name.Name, "_test"), f})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 40 {
		t.Fatalf("only %d files below %s: is this the root?", len(out), root)
	}
	return out
}

func (s source) imports() map[string]*ast.ImportSpec {
	out := map[string]*ast.ImportSpec{}
	for _, i := range s.file.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		if err == nil {
			out[name] = i
		}
	}
	return out
}

func TestImportTable(t *testing.T) {
	for _, s := range sources(t) {
		r, ok := ruleOf(s.pkg)
		if !ok {
			t.Errorf("%s: no rule for package %s: add it to the table", s.path, s.pkg)
			continue
		}
		for name := range s.imports() {
			imported, ours := strings.CutPrefix(name, module+"/")
			if !ours || imported == s.pkg || r.allows(imported) || testMay(s, imported) {
				continue
			}
			t.Errorf("%s imports %s: %s", s.path, imported, r.cause)
		}
	}
}

// testMay tells what test files may import beyond the table.
func testMay(s source, imported string) bool {
	if !s.test {
		return false
	}
	if slices.Contains([]string{"internal/testdata", "internal/oracle", "internal/npy", "runtime/runtimetest", "serve/servetest"}, imported) {
		return true
	}
	if s.ext && s.pkg == "serve/client" && slices.Contains([]string{"adapt", "serve/backend", "serve/oip"}, imported) {
		return true
	}
	if s.ext && (strings.HasPrefix(s.pkg, "models/") || s.pkg == "internal/oracle") && strings.HasPrefix(imported, "models/") {
		return true
	}
	return (s.ext || strings.HasPrefix(s.pkg, "benchmarks/")) && (imported == "runtime" || matches("runtime/ort/...", imported))
}

// The oracle is slow and trusts its graphs, so that nothing that users run may bring it: test files alone, and packages that help tests,
// whose names end in "test".
func TestOracleIsForTests(t *testing.T) {
	for _, s := range sources(t) {
		if s.imports()[module+"/internal/oracle"] != nil && !s.test && !strings.HasSuffix(s.pkg, "test") {
			t.Errorf("%s imports internal/oracle: it is for tests", s.path)
		}
	}
}

func TestStandardRuntimeIsRenamed(t *testing.T) {
	for _, s := range sources(t) {
		if i, ok := s.imports()["runtime"]; ok && (i.Name == nil || i.Name.Name != "goruntime") {
			t.Errorf(`%s: import goruntime "runtime": the module has a package of that name`, s.path)
		}
	}
}

// The filter is for programs that have predictions already, and the client for those that ask a server: they bring them nothing else.
func TestFilterAndClientNeedTheStandardLibraryAlone(t *testing.T) {
	for _, s := range sources(t) {
		if s.pkg != "adapt" && s.pkg != "serve/client" || s.test {
			continue
		}
		for name := range s.imports() {
			if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") {
				t.Errorf("%s imports %s: %s depends on the standard library alone", s.path, name, s.pkg)
			}
		}
	}
}

func TestNativeCodeIsInOnePlace(t *testing.T) {
	native := []string{"C", "github.com/yalue/onnxruntime_go", "github.com/ebitengine/purego"}
	for _, s := range sources(t) {
		i := s.imports()
		if s.pkg != "runtime/ort" && slices.ContainsFunc(native, func(name string) bool { return i[name] != nil }) {
			t.Errorf("%s: native code outside runtime/ort: everything else must build and pass its tests without it", s.path)
		}
	}
}

// The top level reads as the data path; nothing else may join it unnoticed.
func TestTopLevel(t *testing.T) {
	want := []string{"adapt", "benchmarks", "cmd", "datasets", "docs", "internal", "memo", "models", "preprocess", "runtime", "serve", "tent"}
	ignored := []string{"bin", "out"}
	entries, err := os.ReadDir(testdata.Root())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() && !strings.HasPrefix(name, ".") && !slices.Contains(want, name) && !slices.Contains(ignored, name) {
			t.Errorf("folder %s is not one of %v", name, want)
		}
	}
}

func TestEveryPackageHasADoc(t *testing.T) {
	documented, seen := map[string]bool{}, map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		seen[s.pkg] = true
		if s.file.Doc != nil && (path.Base(s.path) == "doc.go" || strings.HasPrefix(s.pkg, "cmd/") || strings.HasPrefix(s.pkg, "internal/testdata") || s.file.Name.Name == "main") {
			documented[s.pkg] = true
		}
	}
	for pkg := range seen {
		if !documented[pkg] {
			t.Errorf("package %s has no doc.go with a package comment", pkg)
		}
	}
}
