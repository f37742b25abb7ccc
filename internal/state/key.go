package state

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	goruntime "runtime"

	"github.com/oatta/oatta/adapt"
)

// maxKeyFile is far above the 64 characters of a key with what surrounds it.
const maxKeyFile = 4096

// ReadKey reads a key of 32 bytes, written in hexadecimal or base64 (either alphabet, padded or not), as `openssl rand -hex 32` makes
// it; space around it is ignored. On Unix a file that others than its owner and group can read, or that others than its owner can
// write, is an error: the key is no secret any more.
func ReadKey(path string) ([]byte, error) {
	key, err := readKey(path)
	if err != nil {
		return nil, fmt.Errorf("state: key file %s: %w", path, err)
	}
	return key, nil
}

func readKey(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat() // of the open file: the name may by now be another's
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); goruntime.GOOS != "windows" && mode&0o027 != 0 {
		return nil, fmt.Errorf("its mode is %04o: others could read or change it; chmod 600 it", mode)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
	if err != nil {
		return nil, err
	}
	return parseKey(bytes.TrimSpace(text))
}

// parseKey tells the encodings apart by length. The errors show nothing of the text.
func parseKey(text []byte) (key []byte, err error) {
	switch len(text) {
	case 2 * adapt.KeySize:
		key, err = hex.DecodeString(string(text))
	case 43, 44:
		text = bytes.TrimRight(text, "=")
		encoding := base64.RawStdEncoding
		if bytes.ContainsAny(text, "-_") {
			encoding = base64.RawURLEncoding
		}
		key, err = encoding.DecodeString(string(text))
	}
	if err != nil || len(key) != adapt.KeySize {
		return nil, fmt.Errorf("%d characters: want %d bytes as 64 hexadecimal or 43 base64 characters", len(text), adapt.KeySize)
	}
	return key, nil
}
