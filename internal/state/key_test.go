package state

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
)

func TestReadKey(t *testing.T) {
	key := make([]byte, adapt.KeySize)
	for i := range key {
		key[i] = byte(251 * i)
	}
	path := filepath.Join(t.TempDir(), "key")
	for _, text := range []string{
		hex.EncodeToString(key), strings.ToUpper(hex.EncodeToString(key)) + "\r\n", " " + base64.StdEncoding.EncodeToString(key) + "\n",
		base64.RawStdEncoding.EncodeToString(key), base64.URLEncoding.EncodeToString(key), base64.RawURLEncoding.EncodeToString(key),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadKey(path); err != nil || !bytes.Equal(got, key) {
			t.Errorf("%q: %x, %v: want %x", text, got, err, key)
		}
	}
	secret := strings.Repeat("zz", 32)
	for _, text := range []string{"", "abc", secret, strings.Repeat("0", 63), strings.Repeat("A", 5000), strings.Repeat("!", 44)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadKey(path)
		fails(t, text, err, "want 32 bytes as 64 hexadecimal or 43 base64 characters")
		if err != nil && strings.Contains(err.Error(), "zz") {
			t.Errorf("the error shows the key: %v", err)
		}
	}
	_, err := ReadKey(filepath.Join(t.TempDir(), "absent"))
	fails(t, "absent", err, "no such file")
}

func TestReadKeyRefusesWhatOthersCanRead(t *testing.T) {
	if goruntime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(strings.Repeat("0", 64)), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, ok := range map[os.FileMode]bool{0o400: true, 0o600: true, 0o640: true, 0o644: false, 0o660: false, 0o604: false, 0o602: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadKey(path); (err == nil) != ok {
			t.Errorf("mode %04o: %v", mode, err)
		} else if !ok {
			fails(t, mode.String(), err, "others could read or change it")
		}
	}
}

// FuzzParseKey: no text makes it panic, and a key has its length.
func FuzzParseKey(f *testing.F) {
	f.Add([]byte(strings.Repeat("0", 64)))
	f.Add([]byte("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="))
	f.Fuzz(func(t *testing.T, text []byte) {
		if key, err := parseKey(text); err == nil && len(key) != adapt.KeySize {
			t.Errorf("%q: a key of %d bytes", text, len(key))
		}
	})
}
