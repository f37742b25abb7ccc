package adapt

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestSeal(t *testing.T) {
	key, snapshot := bytes.Repeat([]byte{7}, KeySize), snapshotAfter(t, Settings{}, 10)
	for _, stream := range []string{"", "cam1", strings.Repeat("long ", 1000)} {
		sealed, err := Seal(key, stream, snapshot)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := Open(key, stream, sealed)
		if err != nil || !bytes.Equal(opened, snapshot) {
			t.Fatalf("opened %d bytes, %v: want the %d that were sealed", len(opened), err, len(snapshot))
		}
		if len(sealed) != len(snapshot)+sealOverhead || bytes.Contains(sealed, snapshot[:snapshotHead]) {
			t.Errorf("%d bytes sealed from %d", len(sealed), len(snapshot))
		}
		again, err := Seal(key, stream, snapshot)
		if err != nil || bytes.Equal(again, sealed) {
			t.Errorf("the same state sealed twice is the same bytes, %v: the nonce was used twice", err)
		}
	}
}

// A sealed state is good for nothing but the key, the stream and the bytes it was sealed with.
func TestOpenRefuses(t *testing.T) {
	key := bytes.Repeat([]byte{7}, KeySize)
	sealed, err := Seal(key, "cam1", []byte("state"))
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, key []byte, stream string, data []byte, want string) {
		t.Helper()
		if got, err := Open(key, stream, data); err == nil || got != nil || !strings.HasPrefix(err.Error(), "adapt: open: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v: want an error with %q", what, got, err, want)
		}
	}
	other := bytes.Repeat([]byte{8}, KeySize)
	refused("another key", other, "cam1", sealed, "another key")
	refused("another stream", key, "cam2", sealed, "another key or for a stream other than \"cam2\"")
	refused("a short key", key[:31], "cam1", sealed, "key of 31 bytes")
	refused("a plain snapshot", key, "cam1", snapshotAfter(t, Settings{}, 1), "not a sealed snapshot")
	for i := range sealed {
		changed := slices.Clone(sealed)
		changed[i] ^= 0x10
		refused("a changed byte", key, "cam1", changed, "")
		refused("a cut", key, "cam1", sealed[:i], "")
	}
	newer := slices.Clone(sealed)
	newer[8] = 2
	refused("a newer version", key, "cam1", newer, "version 2")
	if _, err := Seal(nil, "cam1", nil); err == nil {
		t.Error("sealed without a key")
	}
}

func FuzzOpen(f *testing.F) {
	key := bytes.Repeat([]byte{7}, KeySize)
	sealed, err := Seal(key, "cam1", []byte("state"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed, "cam1")
	f.Add(sealed[:30], "")
	f.Fuzz(func(t *testing.T, data []byte, stream string) {
		if got, err := Open(key, stream, data); err == nil && (stream != "cam1" || !bytes.Equal(data, sealed) && string(got) != "state") {
			t.Errorf("opened %q of stream %q", got, stream)
		}
	})
}
