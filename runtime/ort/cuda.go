package ort

import (
	"debug/elf"
	"debug/pe"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/oatta/oatta/runtime/ort/ortlib"
)

const cudaProvider = "CUDAExecutionProvider"

// appendCUDA adds the CUDA provider to o, or says what is missing for it.
func (e *Engine) appendCUDA(o *sessionOptions, deviceID int) error {
	if !slices.Contains(e.providers, cudaProvider) {
		return fmt.Errorf("cuda: %s has no CUDA provider (it has %s): a CUDA build of ONNX Runtime is needed",
			e.path, strings.Join(e.providers, ", "))
	}
	if err := e.checkProviders(); err != nil {
		return fmt.Errorf("cuda: %w", err)
	}
	cuda, err := newCUDAProviderOptions()
	if err != nil {
		return e.explainCUDA(err)
	}
	defer destroy(cuda)
	if err := cuda.Update(cudaOptions(deviceID)); err != nil {
		return e.explainCUDA(err)
	}
	if err := o.AppendExecutionProviderCUDA(cuda); err != nil {
		return e.explainCUDA(err)
	}
	return nil
}

// checkProviders reports a provider of which a part is missing, before ONNX Runtime maps it. One that is not there at all is
// left to [Engine.explainCUDA].
func (e *Engine) checkProviders() error {
	for _, name := range []string{providerFile(), strings.Replace(providerFile(), "cuda", "shared", 1)} {
		file := filepath.Join(filepath.Dir(e.real), name)
		if err := ortlib.CheckFile(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// cudaOptions leaves the search for convolution algorithms to a heuristic: the exhaustive default times every algorithm
// again for each new input shape, and batches of a stream differ in size.
func cudaOptions(deviceID int) map[string]string {
	return map[string]string{"device_id": strconv.Itoa(deviceID), "cudnn_conv_algo_search": "HEURISTIC"}
}

// explainCUDA puts before an error of the CUDA provider all the libraries that the loader cannot find for it. ONNX Runtime
// itself names only the first.
func (e *Engine) explainCUDA(err error) error {
	provider := filepath.Join(filepath.Dir(e.real), providerFile())
	if _, statErr := os.Stat(provider); statErr != nil {
		return fmt.Errorf("cuda: %s is not beside %s: %w", providerFile(), e.path, err)
	}
	if missing := missingLibraries(provider); len(missing) > 0 {
		return fmt.Errorf("cuda: %s needs libraries that are not found: %s: %w", providerFile(), strings.Join(missing, ", "), err)
	}
	return fmt.Errorf("cuda: %w", err)
}

func providerFile() string {
	if goruntime.GOOS == "windows" {
		return "onnxruntime_providers_cuda.dll"
	}
	return "libonnxruntime_providers_cuda.so"
}

// missingLibraries returns those libraries that a shared library asks for and the loader cannot load, or nil if the file
// cannot be read as one.
func missingLibraries(path string) []string {
	var missing []string
	for _, name := range importedLibraries(path) {
		if !canLoad(name) {
			missing = append(missing, name)
		}
	}
	return missing
}

// importedLibraries reads the names from the file itself, on Linux and on Windows; CUDA exists nowhere else. A file that
// cannot be read as either has none to tell.
func importedLibraries(path string) []string {
	if f, err := elf.Open(path); err == nil {
		defer func() { _ = f.Close() }() // opened for reading
		if names, err := f.ImportedLibraries(); err == nil {
			return names
		}
	}
	if f, err := pe.Open(path); err == nil {
		defer func() { _ = f.Close() }() // opened for reading
		if symbols, err := f.ImportedSymbols(); err == nil {
			return librariesOf(symbols)
		}
	}
	return nil
}

// librariesOf returns the libraries of imported symbols, which are written "symbol:library".
func librariesOf(symbols []string) []string {
	var names []string
	for _, s := range symbols {
		if _, name, ok := strings.Cut(s, ":"); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
