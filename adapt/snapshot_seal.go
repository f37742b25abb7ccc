package adapt

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// A sealed snapshot is, little-endian: magic "OATTASEA" (8), version 1 (4), nonce (12), and what AES-256-GCM makes of the snapshot
// under the nonce, with its tag (16) last. Authenticated besides: magic, version and the name of the stream.
//
// GCM's random nonces of 96 bits are good for 2^32 messages of a key, which a store of a million streams would reach in hours. So
// every stream has a key of its own, HKDF-SHA256 of the caller's key with the stream's name, and the bound holds for each stream.
const (
	sealMagic    = "OATTASEA"
	sealVersion  = 1
	sealHead     = 12
	sealNonce    = 12
	sealTag      = 16
	sealOverhead = sealHead + sealNonce + sealTag
)

// KeySize is the length of a key for [Seal] and [Open], in bytes.
const KeySize = 32

// Seal encrypts and authenticates a snapshot of the named stream with a key of 32 random bytes. What it returns is 40 bytes longer
// than the snapshot and can be opened with the same key and stream only: sealed states cannot be read, changed, or given to another
// stream. Their length still tells the number of classes, and whoever can write where they are kept can put back an older one.
func Seal(key []byte, stream string, snapshot []byte) ([]byte, error) {
	aead, err := sealer(key, stream)
	if err != nil {
		return nil, fmt.Errorf("adapt: seal: %w", err)
	}
	out := make([]byte, 0, len(snapshot)+sealOverhead)
	out = append(out, sealMagic...)
	out = binary.LittleEndian.AppendUint32(out, sealVersion)
	return aead.Seal(out, nil, snapshot, sealedWith(out, stream)), nil
}

// Open returns the snapshot in what [Seal] returned. It is an error if the data are not sealed, of a newer version, changed or cut,
// or sealed with another key or for another stream; which of the last four it is cannot be told.
func Open(key []byte, stream string, sealed []byte) ([]byte, error) {
	aead, err := sealer(key, stream)
	if err != nil {
		return nil, fmt.Errorf("adapt: open: %w", err)
	}
	if !bytes.HasPrefix(sealed, []byte(sealMagic)) {
		return nil, errors.New("adapt: open: not a sealed snapshot: it does not begin with " + sealMagic)
	}
	if len(sealed) < sealOverhead {
		return nil, fmt.Errorf("adapt: open: cut short: %d bytes", len(sealed))
	}
	head := sealed[:sealHead]
	if v := binary.LittleEndian.Uint32(head[8:]); v != sealVersion {
		return nil, fmt.Errorf("adapt: open: version %d: this program opens version %d", v, sealVersion)
	}
	snapshot, err := aead.Open(nil, nil, sealed[sealHead:], sealedWith(head, stream))
	if err != nil {
		return nil, fmt.Errorf("adapt: open: sealed with another key or for a stream other than %q, or damaged", stream)
	}
	return snapshot, nil
}

// sealer returns the AEAD of one stream; it draws and carries its nonces itself.
func sealer(key []byte, stream string) (cipher.AEAD, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("key of %d bytes: want %d", len(key), KeySize)
	}
	own, err := hkdf.Key(sha256.New, key, nil, "oatta sealed filter v1\x00"+stream, KeySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(own)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// sealedWith is the associated data: the head, whose length is fixed, and the name.
func sealedWith(head []byte, stream string) []byte {
	return append(bytes.Clone(head), stream...)
}
