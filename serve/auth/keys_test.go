package auth

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/oatta/oatta/serve"
)

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestKeys(t *testing.T) {
	one, oneHash := NewKey()
	two, twoHash := NewKey()
	if one == two || len(one) != len(prefix)+43 {
		t.Errorf("keys %q and %q", one, two)
	}
	var k Keys
	if _, err := k.Authorize(context.Background(), one, nil); err == nil {
		t.Error("no file lets nobody in")
	}
	text := fmt.Sprintf("# keys\n\n{\"name\": \"clinic\", \"sha256\": %q, \"namespace\": \"n\", \"models\": [\"sleep\"]}\n{\"name\": \"op\", \"sha256\": %q, \"models\": [\"*\"], \"admin\": true}\n",
		oneHash, strings.ToUpper(twoHash))
	if err := k.Load(file(t, text)); err != nil {
		t.Fatal(err)
	}
	who, err := k.Authorize(context.Background(), one, nil)
	if err != nil || who.Name != "clinic" || who.Namespace != "n" || who.Admin || !who.May("sleep") || who.May("other") {
		t.Errorf("%+v, %v", who, err)
	}
	who, err = k.Authorize(context.Background(), two, nil)
	if err != nil || who.Name != "op" || !who.Admin || !who.May("other") {
		t.Errorf("%+v, %v", who, err)
	}
	for _, token := range []string{"", "x", one + "x", one[1:], oneHash, "*"} {
		var told *serve.Error
		if who, err := k.Authorize(context.Background(), token, nil); who != nil || !errors.As(err, &told) || told.Code != serve.Unauthenticated {
			t.Errorf("%q: %+v, %v", token, who, err)
		}
	}
	if err := k.Load(file(t, "{")); err == nil {
		t.Error("half a line")
	}
	if _, err := k.Authorize(context.Background(), one, nil); err != nil {
		t.Error("what was known stays known")
	}
}

func TestBadFiles(t *testing.T) {
	_, hash := NewKey()
	good := fmt.Sprintf(`{"name": "a", "sha256": %q, "models": ["*"]}`, hash)
	for text, want := range map[string]string{
		`{"name": "a", "sha256": "12", "models": ["*"]}`:                               "line 1: sha256",
		`{"sha256": "` + hash + `", "models": ["*"]}`:                                  "no name",
		`{"name": "a", "sha256": "` + hash + `"}`:                                      "no models",
		`{"name": "a", "sha256": "` + hash + `", "models": ["*"], "x": 1}`:             "x",
		`{"name": "a", "sha256": "` + hash + `", "models": ["*"], "namespace": "a/b"}`: "slash",
		good + "\n" + good: "line 2: name or hash of another",
		"[]":               "line 1",
	} {
		var k Keys
		if err := k.Load(file(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", text, err, want)
		}
	}
	var k Keys
	if err := k.Load(filepath.Join(t.TempDir(), "gone")); err == nil {
		t.Error("no file")
	}
	if goruntime.GOOS == "windows" {
		return
	}
	path, link := file(t, good), filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Symlink(path, link), os.Chmod(path, 0o664), k.Load(link), os.Chmod(path, 0o602)); err != nil {
		t.Fatal(err)
	}
	if err := k.Load(link); err == nil || !strings.Contains(err.Error(), "0602") {
		t.Errorf("a file that others can write: %v", err)
	}
}

// What a namespace may take is that of its keys, which agree.
func TestQuotas(t *testing.T) {
	_, one := NewKey()
	_, two := NewKey()
	line := func(hash, space, more string) string {
		return fmt.Sprintf("{\"name\": %q, \"sha256\": %q, \"namespace\": %q, \"models\": [\"*\"]%s}\n", hash, hash, space, more)
	}
	var k Keys
	if q := k.Quota("n"); q != (serve.Quota{}) {
		t.Errorf("%+v without a file", q)
	}
	if err := k.Load(file(t, line(one, "n", `, "max_streams": 7, "max_queue": 3`)+line(two, "m", ""))); err != nil {
		t.Fatal(err)
	}
	if q := k.Quota("n"); q != (serve.Quota{Streams: 7, Queue: 3}) || k.Quota("m") != (serve.Quota{}) || k.Quota("other") != (serve.Quota{}) {
		t.Errorf("%+v, %+v", q, k.Quota("m"))
	}
	for what, text := range map[string]string{
		"they differ": line(one, "n", `, "max_streams": 7`) + line(two, "n", ""), "negative": line(one, "n", `, "max_queue": -1`),
	} {
		if err := k.Load(file(t, text)); err == nil {
			t.Errorf("%s: taken", what)
		}
	}
}
