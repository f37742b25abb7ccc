package orttest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

// Main runs a package's tests, for its TestMain. Examples cannot be skipped from within: without an engine they are passed over, or fail in
// CI, like the tests that need it.
func Main(m *testing.M) {
	flag.Parse()
	if _, err := ortlib.Find(context.Background(), ortlib.Options{Device: runtime.DeviceCPU}); err != nil && os.Getenv("CI") == "" {
		passOverExamples(err)
	}
	os.Exit(m.Run())
}

func passOverExamples(why error) {
	skip := flag.Lookup("test.skip")
	pattern := "^Example"
	if given := skip.Value.String(); given != "" {
		pattern = given + "|" + pattern
	}
	if err := skip.Value.Set(pattern); err != nil {
		panic(err) // it takes any text
	}
	fmt.Fprintln(os.Stderr, "examples are not run:", why)
}
