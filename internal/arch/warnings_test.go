package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// listeners says who reads the Warnings of each type of the packages that read and prepare data: a function of another package. A warning
// that nobody reads tells nobody.
var listeners = map[string]string{
	"datasets.Listing":                 "internal/cli/run/runimages.go runImages",
	"datasets/edf.Header":              "internal/inputs/sleep.go lay",
	"datasets/edf/hypnogram.Hypnogram": "internal/inputs/sleepscores.go score",
	"datasets/motion.HAPT":             "internal/inputs/motion.go hapt",
	"datasets/motion.Recording":        "internal/inputs/motion.go scan",
	"internal/inputs.Boxes":            "internal/cli/run/runimages.go runImages",
	"internal/inputs.Sleep":            "internal/cli/run/finish.go close",
	"internal/inputs.collection":       "internal/cli/run/kind.go run",
	"preprocess/eeg.Epochs":            "internal/inputs/sleepnotes.go hear",
	"preprocess/motion.Plan":           "internal/inputs/motion.go scan",
	"preprocess/motion.Stream":         "preprocess/motion/scan.go finish",
}

func TestWarningsHaveAReader(t *testing.T) {
	left := map[string]bool{}
	for name := range listeners {
		left[name] = true
	}
	for _, s := range sources(t) {
		if s.test || !strings.HasPrefix(s.pkg, "datasets") && !strings.HasPrefix(s.pkg, "preprocess/") && s.pkg != "internal/inputs" {
			continue
		}
		for _, name := range withWarnings(parsed(t, s.path)) {
			typ := s.pkg + "." + name
			listener, known := listeners[typ]
			delete(left, typ)
			if !known {
				t.Errorf("%s has Warnings: say in the table who reads them", typ)
				continue
			}
			file, function, _ := strings.Cut(listener, " ")
			if !readsWarnings(parsed(t, file), function) {
				t.Errorf("%s has Warnings, and %s of %s does not read them", typ, function, file)
			}
		}
	}
	for typ := range left {
		t.Errorf("%s has no Warnings any more", typ)
	}
}

func parsed(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(testdata.Root(), filepath.FromSlash(path.Clean(file))), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// withWarnings returns the structs of a file with a field Warnings, and the types with such a method.
func withWarnings(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && d.Name.Name == "Warnings" {
				names = append(names, receiver(d.Recv.List[0].Type))
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				typ, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				if s, ok := typ.Type.(*ast.StructType); ok && hasField(s, "Warnings") {
					names = append(names, typ.Name.Name)
				}
			}
		}
	}
	return names
}

func receiver(e ast.Expr) string {
	if p, ok := e.(*ast.StarExpr); ok {
		e = p.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

func hasField(s *ast.StructType, name string) bool {
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			if n.Name == name {
				return true
			}
		}
	}
	return false
}

// readsWarnings tells whether a function asks anything for its Warnings.
func readsWarnings(f *ast.File, function string) (reads bool) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == function {
			ast.Inspect(fn, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				reads = reads || ok && s.Sel.Name == "Warnings"
				return true
			})
		}
	}
	return reads
}
