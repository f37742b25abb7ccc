package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// difference is a file of a command that is not the same in both versions.
type difference struct {
	file string
	what string
}

func (d difference) String() string { return d.file + ": " + d.what }

// compareFolders compares all files below two folders.
func compareFolders(old, new string) (out []difference, err error) {
	was, err := readFolder(old)
	if err != nil {
		return nil, err
	}
	is, err := readFolder(new)
	if err != nil {
		return nil, err
	}
	names := slices.Collect(maps.Keys(was))
	for name := range is {
		if _, both := was[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		a, inOld := was[name]
		b, inNew := is[name]
		switch {
		case !inNew:
			out = append(out, difference{name, "only in the old version"})
		case !inOld:
			out = append(out, difference{name, "only in the new version"})
		default:
			if what := firstDifference(steady(name, a), steady(name, b)); what != "" {
				out = append(out, difference{name, what})
			}
		}
	}
	return out, nil
}

// readFolder returns the bytes of the files below a folder, by slash-separated name; none where there is no folder.
func readFolder(dir string) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, p)
		out[filepath.ToSlash(name)] = data
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return out, err
}

// volatile is what differs between two runs of one version: of manifests and printed JSON the moments and durations, of messages durations
// and rates.
var volatile = []struct {
	files   *regexp.Regexp // by name
	pattern *regexp.Regexp
	to      string
}{
	{regexp.MustCompile(`\.json$|^stdout$`), regexp.MustCompile(`("(?:started|finished|made|written|updated|classification_completion_time)": ?)"[^"]*"`), `$1"TIME"`},
	{regexp.MustCompile(`\.json$|^stdout$`), regexp.MustCompile(`("(?:seconds|items_per_second|list_seconds|load|infer|filter|write)": ?)[0-9.e+-]+`), `${1}NUMBER`},
	{regexp.MustCompile(`^stderr$`), regexp.MustCompile(`(?m)^[0-9.e+]+ .* a second: .* s(?:, after .* of listing)?$`), "NUMBERS a second"},
	{regexp.MustCompile(`^stderr$`), regexp.MustCompile(`(?m)^(seconds of work, all workers together:).*$`), "$1 NUMBERS"},
	{regexp.MustCompile(`\.state$`), regexp.MustCompile(`(?s)^.*$`), "STATE"}, // it begins with random bytes; the state commands show what is in it
}

// steady takes out of a file what differs between two runs of one version.
func steady(name string, data []byte) []byte {
	for _, v := range volatile {
		if v.files.MatchString(path.Base(name)) {
			data = v.pattern.ReplaceAll(data, []byte(v.to))
		}
	}
	return data
}

// firstDifference tells where two files part: of texts the line, of others the byte; "" if they do not.
func firstDifference(a, b []byte) string {
	if bytes.Equal(a, b) {
		return ""
	}
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	if !isText(a) || !isText(b) {
		return fmt.Sprintf("from byte %d on (%d and %d bytes)", at, len(a), len(b))
	}
	line := 1 + bytes.Count(a[:at], []byte("\n"))
	start := 1 + bytes.LastIndexByte(a[:at], '\n')
	return fmt.Sprintf("line %d, column %d\n  old: %s\n  new: %s", line, at-start+1, around(a, start, at), around(b, start, at))
}

func isText(data []byte) bool {
	return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0
}

// around cuts what surrounds the place at out of the line that begins at start.
func around(data []byte, start, at int) string {
	const before, after = 60, 100
	if start > len(data) || start == len(data) && at == len(data) {
		return "(the end)"
	}
	line := data[start:]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	from, to := max(0, at-start-before), min(len(line), at-start+after)
	from = min(from, to)
	text := strings.ToValidUTF8(string(line[from:to]), "?")
	if from > 0 {
		text = "..." + text
	}
	if to < len(line) {
		text += "..."
	}
	return text
}

// allowance is a line of the file of expected differences.
type allowance struct{ pattern, reason string }

// readAllowed reads lines COMMAND/FILE: reason. The pattern is one of path.Match.
func readAllowed(file string) (out []allowance, err error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for n, line := range strings.Split(string(data), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		pattern, reason, _ := strings.Cut(line, ":")
		reason = strings.TrimSpace(reason)
		if _, err := path.Match(pattern, ""); err != nil || reason == "" {
			return nil, fmt.Errorf("samebytes: %s: line %d: want COMMAND/FILE: reason", file, n+1)
		}
		out = append(out, allowance{pattern, reason})
	}
	return out, nil
}

// expected returns the reason why a file may differ, or "".
func expected(allowed []allowance, name string) string {
	for _, a := range allowed {
		if ok, _ := path.Match(a.pattern, name); ok {
			return a.reason
		}
	}
	return ""
}
