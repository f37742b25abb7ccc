package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// release is what is packed: a commit, and the version that the changelog gives it.
type release struct {
	root     string // of a clone of the repository at that commit
	version  string // semantic: 0.1.0, or before it is cut 0.1.0-dev.20261129.gabcdef123456
	revision string
	time     time.Time // of the commit, in UTC
	changed  bool      // files of the repository are not those of the commit, and not packed
}

// heading is that of the newest version in the changelog: "## 0.1.0, unreleased" or "## 0.1.0, 2026-11-29".
var heading = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+), (unreleased|\d{4}-\d\d-\d\d)$`)

// readRelease clones the commit that is checked out into a folder. What is packed is made of that: it is the same whatever else lies in
// the repository, and Go finds the revision there, which it does not in the work trees of `git worktree`.
func readRelease(ctx context.Context, folder string) (release, error) {
	repository, err := git(ctx, ".", "rev-parse", "--show-toplevel")
	if err != nil {
		return release{}, err
	}
	shown, err := git(ctx, repository, "show", "--no-patch", "--format=%H %ct")
	if err != nil {
		return release{}, err
	}
	revision, seconds, _ := strings.Cut(shown, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return release{}, fmt.Errorf("time of the commit: %w", err)
	}
	status, err := git(ctx, repository, "status", "--porcelain")
	if err != nil {
		return release{}, err
	}
	if _, err := git(ctx, repository, "clone", "--quiet", "--shared", "--no-checkout", repository, folder); err != nil {
		return release{}, err
	}
	if _, err := git(ctx, folder, "-c", "advice.detachedHead=false", "checkout", "--quiet", revision); err != nil {
		return release{}, err
	}
	text, err := os.ReadFile(filepath.Join(folder, "CHANGELOG.md"))
	if err != nil {
		return release{}, err
	}
	r := release{root: folder, revision: revision, time: time.Unix(at, 0).UTC(), changed: status != ""}
	r.version, err = versionOf(string(text), r.revision, r.time)
	return r, err
}

// versionOf reads the version from the changelog; one that is not cut yet is a version before it, told apart by time and revision.
func versionOf(changelog, revision string, at time.Time) (string, error) {
	found := heading.FindStringSubmatch(changelog)
	if found == nil {
		return "", errors.New("CHANGELOG.md has no heading of a version, as \"## 0.1.0, unreleased\"")
	}
	if found[2] != "unreleased" {
		return found[1], nil
	}
	return fmt.Sprintf("%s-dev.%s.g%.12s", found[1], at.Format("20060102150405"), revision), nil
}

// pythonVersion is the version as Python's rules (PEP 440) write it.
func (r release) pythonVersion() string {
	base, dev, ok := strings.Cut(r.version, "-dev.")
	if !ok {
		return base
	}
	at, revision, _ := strings.Cut(dev, ".")
	return base + ".dev" + at + "+" + revision
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}
