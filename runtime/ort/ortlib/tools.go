package ortlib

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"time"
)

// pips are the commands that may be pip, in the order in which they are tried.
func pips() [][]string {
	list := [][]string{{"python3", "-m", "pip"}, {"python", "-m", "pip"}, {"pip3"}, {"pip"}}
	if goruntime.GOOS == "windows" {
		list = append([][]string{{"py", "-3", "-m", "pip"}}, list...)
	}
	return list
}

// pipArgs asks for the wheel of the table whatever Python runs: the library in it needs none.
func pipArgs(p pin, dir string) []string {
	args := []string{
		"download", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:",
		"--implementation", "cp", "--python-version", "3.12", "--abi", "cp312", "--dest", dir,
	}
	for _, tag := range p.tags {
		args = append(args, "--platform", tag)
	}
	return append(args, p.String())
}

// getPip downloads a wheel by the machine's pip, with the user's own settings for indexes and proxies.
func getPip(ctx context.Context, _ Options, p pin, dir string) (string, error) {
	var missing []string
	for _, command := range pips() {
		_, err := tool(ctx, dir, append(command, pipArgs(p, dir)...))
		if err == nil {
			return only(dir, "*.whl")
		}
		if !isNoPip(err) {
			return "", err
		}
		missing = append(missing, strings.Join(command, " "))
	}
	return "", fmt.Errorf("there is no pip on this machine (tried %s): install Python with pip", strings.Join(missing, ", "))
}

// isNoPip tells that a command is not there, is a Python without pip, or is what Windows has in the place of Python, which opens its shop.
func isNoPip(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || strings.Contains(err.Error(), "No module named pip") || strings.Contains(err.Error(), "Microsoft Store")
}

// getNpm downloads a package of npm without installing it: its scripts do not run.
func getNpm(ctx context.Context, _ Options, p pin, dir string) (string, error) {
	_, err := tool(ctx, dir, []string{"npm", "pack", "--silent", "--ignore-scripts", p.String()})
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("there is no npm on this machine: install Node.js with npm")
	}
	if err != nil {
		return "", err
	}
	return only(dir, "*.tgz")
}

// tool runs a program in a folder and returns what it prints. Its error has the end of what it wrote to standard error.
func tool(ctx context.Context, dir string, command []string) (string, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second // a child that holds the pipes open must not hold us
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s: %w", command[0], ctx.Err())
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w%s", command[0], err, tail(stderr.String()))
	}
	return stdout.String(), nil
}

// tail returns the last lines of a text, each on a line of its own.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > 4 {
		lines = lines[len(lines)-4:]
	}
	out := ""
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			out += "\n" + line[:min(len(line), 300)]
		}
	}
	return out
}

// only returns the one file in a folder that matches.
func only(dir, pattern string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return "", err
	}
	if len(files) != 1 {
		return "", fmt.Errorf("it left %d files %s, want one", len(files), pattern)
	}
	return files[0], nil
}
