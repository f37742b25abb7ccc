package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// command is a line of commands.txt.
type command struct {
	name  string
	args  []string // $o stands for the command's own folder
	stdin string   // file, or ""
	fails bool     // it is meant to end with another exit code than 0
}

// parseCommands reads lines NAME: [!] ARGUMENT... [< FILE]; # begins a comment. A ! says that the command is meant to fail.
func parseCommands(text string) (out []command, err error) {
	seen := map[string]bool{}
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		name, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		if name == "" {
			continue
		}
		c := command{name: name}
		rest, c.stdin, _ = strings.Cut(rest, "<")
		c.args, c.stdin = strings.Fields(rest), strings.TrimSpace(c.stdin)
		if len(c.args) > 0 && c.args[0] == "!" {
			c.fails, c.args = true, c.args[1:]
		}
		if !ok || len(c.args) == 0 || seen[name] {
			return nil, fmt.Errorf("samebytes: commands.txt: line %d: want NAME: ARGUMENT..., with a new name", n+1)
		}
		for i, a := range c.args {
			c.args[i] = strings.ReplaceAll(a, "$o", "out/"+name)
		}
		seen[name] = true
		out = append(out, c)
	}
	return out, nil
}

// takes returns the name of the earlier command whose output an argument is, or "".
func takes(argument string) string {
	if parts := strings.Split(argument, "/"); parts[0] == "out" && len(parts) > 2 {
		return parts[1]
	}
	return ""
}

// asked returns the names of the commands that contain the text, and of those whose outputs they take.
func asked(all []command, only string) map[string]bool {
	names := map[string]bool{}
	for _, c := range slices.Backward(all) {
		if names[c.name] = names[c.name] || strings.Contains(c.name, only); names[c.name] {
			for _, a := range c.args {
				names[takes(a)] = true
			}
		}
	}
	return names
}

// present leaves out what is not asked for, and the commands of which an input, or an output of an earlier command, is not here; it says so.
func present(all []command, work, only string) (out []command) {
	wanted, gone := asked(all, only), map[string]bool{}
	for _, c := range all {
		if !wanted[c.name] {
			continue
		}
		missing := ""
		for _, a := range append([]string{c.stdin}, c.args...) {
			if _, err := os.Stat(filepath.Join(work, a)); strings.HasPrefix(a, "in/") && errors.Is(err, os.ErrNotExist) || gone[takes(a)] {
				missing = a
			}
		}
		if missing != "" {
			gone[c.name] = true
			fmt.Printf("left out %s: no %s here\n", c.name, missing)
			continue
		}
		out = append(out, c)
	}
	return out
}

// run runs the command in the folder work and writes stdout, stderr and the exit code beside what it writes itself.
func (c command) run(program, work string) error {
	dir := filepath.Join(work, "out", c.name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var out, errOut bytes.Buffer
	cmd := exec.Command(program, c.args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = work, &out, &errOut
	if c.stdin != "" {
		f, err := os.Open(filepath.Join(work, c.stdin))
		if err != nil {
			return err
		}
		defer f.Close()
		cmd.Stdin = f
	}
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "stdout"), out.Bytes(), 0o644),
		os.WriteFile(filepath.Join(dir, "stderr"), errOut.Bytes(), 0o644),
		os.WriteFile(filepath.Join(dir, "exit"), []byte(strconv.Itoa(cmd.ProcessState.ExitCode())+"\n"), 0o644),
	)
}

// unexpected says what makes a command worthless or doubtful for the comparison: it failed with both versions and is not meant to, or the reverse.
func (c command) unexpected(base string) string {
	codes := [2]string{}
	for i, v := range []string{"old", "new"} {
		data, err := os.ReadFile(filepath.Join(base, v, c.name, "exit"))
		if err != nil {
			return err.Error()
		}
		codes[i] = strings.TrimSpace(string(data))
	}
	failed := codes[0] != "0" && codes[1] != "0"
	switch {
	case failed && !c.fails:
		said, _ := os.ReadFile(filepath.Join(base, "new", c.name, "stderr"))
		return fmt.Sprintf("it fails with both (exit codes %s and %s): %s", codes[0], codes[1], strings.TrimSpace(tail(string(said), 300)))
	case c.fails && codes[0] == "0" && codes[1] == "0":
		return "it is meant to fail, and does with neither"
	}
	return ""
}

func tail(s string, n int) string {
	if len(s) > n {
		return "..." + s[len(s)-n:]
	}
	return s
}
