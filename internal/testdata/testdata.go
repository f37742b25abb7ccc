// Package testdata finds the real data and models that tests use and the repository does not hold.
//
// A test on a user's machine skips, with the reason, where they are absent; on a continuous-integration machine (CI is set) it
// fails instead, so that a check can never vanish unnoticed.
package testdata

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
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

// Shared returns a path under the folder of shared data: OATTA_SHARED, or ../shared beside the repository.
func Shared(tb testing.TB, elem ...string) string {
	tb.Helper()
	base := os.Getenv("OATTA_SHARED")
	if base == "" {
		base = filepath.Join(filepath.Dir(Root()), "shared")
	}
	return existing(tb, filepath.Join(append([]string{base}, elem...)...), "set OATTA_SHARED to the folder of shared data")
}

// Asset returns a path under the folder that shared's fetch_assets.sh fills: OATTA_ASSETS, or oatta/assets in ~/.cache.
func Asset(tb testing.TB, elem ...string) string {
	tb.Helper()
	base := os.Getenv("OATTA_ASSETS")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			tb.Fatal(err)
		}
		base = filepath.Join(home, ".cache", "oatta", "assets")
	}
	return existing(tb, filepath.Join(append([]string{base}, elem...)...), "run fetch_assets.sh "+elem[0])
}

func existing(tb testing.TB, path, remedy string) string {
	tb.Helper()
	if _, err := os.Stat(path); err != nil {
		Missing(tb, "%v (%s)", err, remedy)
	}
	return path
}

// Missing ends a test for want of something that it needs: it skips on a user's machine and fails where CI is set. The reason is also
// appended to the file that OATTA_SKIPS names, since go test shows reasons only with -v.
func Missing(tb testing.TB, format string, args ...any) {
	tb.Helper()
	reason := fmt.Sprintf(format, args...)
	if os.Getenv("CI") != "" {
		tb.Fatal("needed in CI: " + reason)
	}
	if path := os.Getenv("OATTA_SKIPS"); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err == nil {
			_, err = fmt.Fprintf(f, "  %s: %s\n", tb.Name(), reason)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	tb.Skip("not here: " + reason)
}
