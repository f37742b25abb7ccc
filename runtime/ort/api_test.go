//go:build !noengine

package ort

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	goruntime "runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/oatta/oatta/internal/testdata"
)

// compiler returns the C compiler that cgo would use, and its arguments, or ends the test.
func compiler(t *testing.T) []string {
	t.Helper()
	if goruntime.GOOS == "windows" {
		t.Skip("the C fixtures are for the linkers of Unix")
	}
	cc := strings.Fields(goCommand(t, "env", "CC"))
	if _, err := exec.LookPath(cc[0]); err != nil {
		testdata.Missing(t, "no C compiler: %v", err)
	}
	return cc
}

// compile builds a C file into a shared library or a program.
func compile(t *testing.T, out, source string, args ...string) {
	t.Helper()
	cc := compiler(t)
	file := out + ".c"
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(cc[0], append(append(cc[1:], "-o", out, file), args...)...)
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, output)
	}
}

func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	output, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go %v: %v", args, err)
	}
	return strings.TrimSpace(string(output))
}

// TestSlots compares the numbers in api.c and in slots_pure.go with the header of the wrapper, by a C program that asks the compiler.
func TestSlots(t *testing.T) {
	compiler(t)
	header := goCommand(t, "list", "-m", "-f", "{{.Dir}}", "github.com/yalue/onnxruntime_go")
	var program strings.Builder
	program.WriteString("#include <stddef.h>\n#include \"onnxruntime_c_api.h\"\n")
	program.WriteString("_Static_assert(ORT_API_VERSION == 24, \"apiVersion\");\n")
	for file, pattern := range map[string]string{"api.c": `SLOT_(\w+) = (\d+),`, "slots_pure.go": `slot(\w+) += (\d+)\n`} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		slots := regexp.MustCompile(pattern).FindAllStringSubmatch(string(source), -1)
		if len(slots) < 20 {
			t.Fatalf("%d slots in %s", len(slots), file)
		}
		for _, s := range slots {
			name := strings.NewReplacer("CUDAV2", "_CUDA_V2", "ShapeHas", "Shape_Has").Replace(s[1])
			program.WriteString("_Static_assert(offsetof(OrtApi, " + name + ") == " + s[2] + " * sizeof(void *), \"" + s[1] + "\");\n")
		}
	}
	program.WriteString("int main(void) { return 0; }\n")
	compile(t, filepath.Join(t.TempDir(), "slots"), program.String(), "-I", header)
	if apiVersion != 24 {
		t.Error("this test asserts another version of the API than api.go")
	}
}

// TestLayout compares our structures with those of api.h, whose place they take in calls.
func TestLayout(t *testing.T) {
	var a argument
	var i info
	var program strings.Builder
	program.WriteString("#include \"api.h\"\n")
	for field, offset := range map[string]uintptr{
		"oatta_tensor, data": unsafe.Offsetof(a.data), "oatta_tensor, bytes": unsafe.Offsetof(a.bytes),
		"oatta_tensor, rank": unsafe.Offsetof(a.rank), "oatta_tensor, first_dim": unsafe.Offsetof(a.firstDim),
		"oatta_tensor, type": unsafe.Offsetof(a.element), "oatta_tensor, want_alloc": unsafe.Offsetof(a.wantAlloc),
		"oatta_info, kind": unsafe.Offsetof(i.kind), "oatta_info, type": unsafe.Offsetof(i.element),
		"oatta_info, has_shape": unsafe.Offsetof(i.hasShape), "oatta_info, rank": unsafe.Offsetof(i.rank),
		"oatta_info, dims": unsafe.Offsetof(i.dims), "oatta_info, data": unsafe.Offsetof(i.data),
	} {
		fmt.Fprintf(&program, "_Static_assert(offsetof(%s) == %d, \"%s\");\n", field, offset, field)
	}
	fmt.Fprintf(&program, "_Static_assert(sizeof(oatta_tensor) == %d && sizeof(oatta_info) == %d, \"sizes\");\n", unsafe.Sizeof(a), unsafe.Sizeof(i))
	program.WriteString("int main(void) { return 0; }\n")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	compile(t, filepath.Join(t.TempDir(), "layout"), program.String(), "-I", here)
}

// TestElements compares names and numbers with the header's.
func TestElements(t *testing.T) {
	for i, want := range map[elementType]string{1: "FLOAT", 2: "UINT8", 6: "INT32", 7: "INT64", 8: "STRING", 9: "BOOL", 10: "FLOAT16", 22: "INT4"} {
		if got := i.String(); got != "ONNX_TENSOR_ELEMENT_DATA_TYPE_"+want {
			t.Errorf("%d is %s, want %s", i, got, want)
		}
	}
	for _, e := range elements {
		if dtypeOf(e.theirs) != e.ours || elementOf(e.ours) != e.theirs {
			t.Errorf("%v and %v", e.ours, e.theirs)
		}
	}
	if got := onnxType(6).String() + elementType(99).String(); got != "ONNX_TYPE_OPTIONALONNX_TENSOR_ELEMENT_DATA_TYPE_99" {
		t.Error(got)
	}
}

// fakeLibrary builds a library that says it is a version of ONNX Runtime and offers no function table.
func fakeLibrary(t *testing.T, version string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libonnxruntime.so")
	compile(t, path, `
#include <stddef.h>
#include <stdint.h>
typedef struct { const void *(*get_api)(uint32_t); const char *(*version)(void); } base;
static const void *get_api(uint32_t version) { (void)version; return NULL; }
static const char *version(void) { return "`+version+`"; }
static const base it = {get_api, version};
const base *OrtGetApiBase(void) { return &it; }
`, "-shared", "-fPIC")
	return path
}

func TestTooOldLibrary(t *testing.T) {
	for _, version := range []string{"1.17.3", "1.23.2", "0.9", "1.24.0"} { // the last has no table, whatever it says
		path := fakeLibrary(t, version)
		_, err := load(path)
		for _, want := range []string{path, "ONNX Runtime " + version, "too old", "1.24"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", version, err, want)
			}
		}
	}
}

func TestNoLibrary(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "text.so")
	if err := os.WriteFile(text, []byte("this is no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(folder, "other.so")
	compile(t, other, "int answer(void) { return 42; }\n", "-shared", "-fPIC")
	for path, want := range map[string]string{text: "text.so", other: "no OrtGetApiBase", filepath.Join(folder, "none.so"): "none.so"} {
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("Load(%s): %v", path, err)
		}
		if _, err := load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("load(%s): %v, want %q", path, err, want)
		}
	}
}

// TestTruncatedLibrary cuts a library short: the dynamic loader would map what is missing and the process die of it.
func TestTruncatedLibrary(t *testing.T) {
	path := fakeLibrary(t, "1.24.4")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{info.Size() - 1, info.Size() / 2, 4096, 100, 0} {
		if err := os.Truncate(path, n); err != nil {
			t.Fatal(err)
		}
		_, err := load(path)
		for _, want := range []string{path, "oatta setup", "give another file"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d bytes: %v, want %q", n, err, want)
			}
		}
	}
}

// TestTruncatedProvider has part of a CUDA provider beside the library.
func TestTruncatedProvider(t *testing.T) {
	path := fakeLibrary(t, "1.24.4")
	e := &Engine{real: path}
	if err := e.checkProviders(); err != nil {
		t.Errorf("no provider at all: %v", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	provider := filepath.Join(filepath.Dir(path), providerFile())
	for n, want := range map[int]bool{len(data): true, len(data) / 2: false} {
		if err := os.WriteFile(provider, data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := e.checkProviders(); (err == nil) != want {
			t.Errorf("%d of %d bytes: %v", n, len(data), err)
		}
	}
}

func TestMissingLibraries(t *testing.T) {
	folder := t.TempDir()
	needed := filepath.Join(folder, "liboatta_needed.so")
	compile(t, needed, "int needed(void) { return 1; }\n", "-shared", "-fPIC")
	user := filepath.Join(folder, "libuser.so")
	compile(t, user, "int needed(void); int user(void) { return needed(); }\n", "-shared", "-fPIC", "-L"+folder, "-loatta_needed")
	if goruntime.GOOS != "linux" {
		t.Skip("the names are read from ELF files")
	}
	if err := os.Remove(needed); err != nil {
		t.Fatal(err)
	}
	if got := missingLibraries(user); len(got) != 1 || got[0] != "liboatta_needed.so" {
		t.Errorf("missing %v", got)
	}
	if got := missingLibraries(needed); got != nil {
		t.Errorf("missing %v for a file that is not there", got)
	}
}

func TestLibrariesOf(t *testing.T) {
	got := librariesOf([]string{"cublasCreate:cublas64_12.dll", "malloc:msvcrt.dll", "free:msvcrt.dll", "odd"})
	if strings.Join(got, " ") != "cublas64_12.dll msvcrt.dll" {
		t.Errorf("%v", got)
	}
}

func TestMinorVersion(t *testing.T) {
	for version, want := range map[string]int{"1.24.4": 24, "1.32.0": 32, "1.9": 9, "2.0.1": -1, "": -1, "1": -1, "1.x": -1, "1.24.4-dev": 24} {
		minor, ok := minorVersion(version)
		if ok != (want >= 0) || ok && minor != want {
			t.Errorf("%q: %d, %v", version, minor, ok)
		}
	}
}
