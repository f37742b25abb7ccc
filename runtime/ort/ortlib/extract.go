package ortlib

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// licence is ONNX Runtime's own, for packages that come without.
//
//go:embed LICENSE.onnxruntime
var licence []byte

// licenceNames are the texts that are kept beside the library, by their names in lower case.
var licenceNames = map[string]string{
	"license": "LICENSE", "license.txt": "LICENSE", "thirdpartynotices.txt": "ThirdPartyNotices.txt",
}

// extracted is a file that was taken out of a package.
type extracted struct {
	inside string // its name in the package
	name   string // its name in the folder
	sha256 string
}

// extract takes files out of a package into dir, under the names that picks has for them, and its licence texts. What picks
// asks for and the package has not is an error.
func extract(ctx context.Context, file, dir string, picks map[string]string) ([]extracted, error) {
	var taken []extracted
	err := walkPackage(ctx, file, func(name string, r io.Reader) error {
		if to, ok := licenceNames[strings.ToLower(path.Base(name))]; ok {
			return keepLicence(dir, to, r)
		}
		to, ok := picks[name]
		if !ok || slices.ContainsFunc(taken, func(e extracted) bool { return e.inside == name }) {
			return nil
		}
		hash, err := writeFile(filepath.Join(dir, to), r)
		taken = append(taken, extracted{name, to, hash})
		return err
	})
	if err != nil {
		return nil, err
	}
	for name := range picks {
		if !slices.ContainsFunc(taken, func(e extracted) bool { return e.inside == name }) {
			return nil, fmt.Errorf("there is no %s in it", name)
		}
	}
	return taken, ensureLicence(dir)
}

// keepLicence keeps the first text of a name: packages have their own before those of what they bundle.
func keepLicence(dir, name string, r io.Reader) error {
	to := filepath.Join(dir, name)
	if isFile(to) {
		return nil
	}
	_, err := writeFile(to, io.LimitReader(r, maxLicence))
	return err
}

func ensureLicence(dir string) error {
	if to := filepath.Join(dir, "LICENSE"); !isFile(to) {
		return os.WriteFile(to, licence, 0o644)
	}
	return nil
}

// writeFile writes a new file and returns its hash. When it returns, the file is on disk.
func writeFile(to string, r io.Reader) (hash string, err error) {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(f, h), r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), f.Sync()
}

// hashFile returns the SHA-256 of a file.
func hashFile(ctx context.Context, file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // opened for reading
	h := sha256.New()
	budget := limits.file
	if _, err := io.Copy(h, &limited{ctx: ctx, r: f, name: file, file: limits.file, total: &budget}); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
