package main

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
)

// target is a platform, by Go's names.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// executable is the name of a program there.
func (t target) executable(name string) string {
	if t.os == "windows" {
		return name + ".exe"
	}
	return name
}

func host() target { return target{goruntime.GOOS, goruntime.GOARCH} }

// build compiles the program and returns its path. Nothing of the machine is in it: no paths, no time, no user; and the revision is.
func (m maker) build(ctx context.Context, t target) (string, error) {
	if m.cgo && t != host() {
		return "", fmt.Errorf("-cgo builds for %s alone", host())
	}
	to := filepath.Join(m.work, t.os+"-"+t.arch, t.executable("oatta"))
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	flags := "-s -w -buildid="
	if m.cgo {
		flags += " -extldflags=-Wl,--build-id=none"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags="+flags, "-o", to, "./cmd/oatta")
	cmd.Dir, cmd.Stderr = m.root, os.Stderr
	enabled := "0"
	if m.cgo {
		enabled = "1"
	}
	// GOFLAGS is given a value, since an empty one would leave that of `go env -w`.
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off", "GOOS="+t.os, "GOARCH="+t.arch, "CGO_ENABLED="+enabled, "GOAMD64=v1", "GOARM64=v8.0",
		"SOURCE_DATE_EPOCH="+strconv.FormatInt(m.time.Unix(), 10))
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go build: %w", err)
	}
	return to, nil
}

// newestGlibc is the newest version of the GNU C library that a program for Linux may ask for: that of RHEL 8 and of Debian 10.
var newestGlibc = [2]int{2, 28}

// checkSymbols refuses a program that would not start on the oldest systems that are promised. Without cgo it asks for no version at all.
func checkSymbols(program string, t target) error {
	if t.os != "linux" {
		return nil
	}
	needs, err := glibcOf(program)
	if err != nil {
		return err
	}
	if needs[0] > newestGlibc[0] || needs[0] == newestGlibc[0] && needs[1] > newestGlibc[1] {
		return fmt.Errorf("the program needs glibc %d.%d, newer than %d.%d: build with a C compiler for that, as CC=\"zig cc -target x86_64-linux-gnu.%[3]d.%[4]d\"",
			needs[0], needs[1], newestGlibc[0], newestGlibc[1])
	}
	return nil
}

// glibcOf returns the newest version of glibc that a program asks for by the versions of its symbols; 0.0: it asks for none.
func glibcOf(program string) (needs [2]int, err error) {
	f, err := elf.Open(program)
	if err != nil {
		return needs, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	symbols, err := f.ImportedSymbols()
	if errors.Is(err, elf.ErrNoSymbols) {
		return needs, nil
	}
	if err != nil {
		return needs, fmt.Errorf("%s: %w", program, err)
	}
	for _, s := range symbols {
		numbers, ok := strings.CutPrefix(s.Version, "GLIBC_")
		if !ok {
			continue
		}
		major, rest, _ := strings.Cut(numbers, ".")
		minor, _, _ := strings.Cut(rest, ".")
		a, errMajor := strconv.Atoi(major)
		b, errMinor := strconv.Atoi(minor)
		if err := errors.Join(errMajor, errMinor); err != nil {
			return needs, fmt.Errorf("%s: symbol %s of %s: %w", program, s.Name, s.Version, err)
		}
		if a > needs[0] || a == needs[0] && b > needs[1] {
			needs = [2]int{a, b}
		}
	}
	return needs, nil
}
