package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
)

// Flags are found wherever they stand; urfave/cli alone would take those behind the folder for folders.
func TestFlagsFirst(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"oatta run images DIR -o out.csv", "oatta run images -o out.csv -- DIR"},
		{"oatta run images A -q B --gate=off C", "oatta run images -q --gate=off -- A B C"},
		{"oatta run images --margin -0.5 DIR", "oatta run images --margin -0.5 -- DIR"},
		{"oatta run images -o - DIR", "oatta run images -o - -- DIR"},
		{"oatta run images -- -q", "oatta run images -- -q"},
		{"oatta run images DIR --unknown x", "oatta run images --unknown -- DIR x"},
		{"oatta run images DIR -o", "oatta run images -o -- DIR"},
		{"oatta --version", "oatta --version"},
		{"oatta models inspect resnet20-cifar10 --write", "oatta models inspect --write -- resnet20-cifar10"},
		{"oatta run images DIR --help", "oatta run images --help"},
		{"oatta run images -o x DIR -h", "oatta run images --help"},
		{"oatta run images -o --help DIR", "oatta run images -o --help -- DIR"}, // a file of that name
		{"oatta run images -- --help", "oatta run images -- --help"},
		{"oatta models build resnet18 --help", "oatta models build --help"},
		{"oatta nonsense -x", "oatta -x -- nonsense"},
		{"oatta", "oatta"},
	} {
		if got := flagsFirst(newApp(console.Environment{}), strings.Fields(tc.args)); !slices.Equal(got, strings.Fields(tc.want)) {
			t.Errorf("%s became %s, want %s", tc.args, strings.Join(got, " "), tc.want)
		}
	}
}
