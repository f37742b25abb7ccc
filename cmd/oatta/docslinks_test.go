package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/oatta/oatta/internal/testdata"
)

// code is what stands between backticks, in which nothing is a link.
var code = regexp.MustCompile("`[^`\n]*`")

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Every link of a page leads to a file that is there, and to a heading of it.
func TestDocsLinks(t *testing.T) {
	root, seen := testdata.Root(), 0
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "datasets/samples/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(prose(readFile(t, file)), ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			seen++
			path, anchor, _ := strings.Cut(m[1], "#")
			target := file
			if path != "" {
				target = filepath.Join(filepath.Dir(file), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s: %v", file, m[1], errors.Unwrap(err))
			} else if anchor != "" && !slices.Contains(anchors(readFile(t, target)), anchor) {
				t.Errorf("%s: %s: no such heading", file, m[1])
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d links", seen)
	}
}

// prose is a page without its blocks.
func prose(page string) string {
	lines := strings.Split(page, "\n")
	blocks := blocksOf(lines)
	slices.Reverse(blocks)
	for _, b := range blocks {
		lines = slices.Delete(lines, b.from, b.to)
	}
	return strings.Join(lines, "\n")
}

// anchors are what GitHub makes of the headings of a page.
func anchors(page string) (out []string) {
	for line := range strings.Lines(page) {
		title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !ok || !strings.HasPrefix(line, "#") {
			continue
		}
		out = append(out, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title)))
	}
	return out
}

// The pages stay readable on a small screen: tables are no wider than a telephone shows, lines of prose no longer than an editor. The two
// pages of wide tables that studies and tests keep stay as they are.
func TestDocsWidth(t *testing.T) {
	for _, name := range pages(t) {
		if slices.Contains([]string{"docs/auto.md", "docs/bad-input.md"}, name) {
			continue
		}
		text := prose(readFile(t, filepath.Join(testdata.Root(), name)))
		for line := range strings.SplitSeq(text, "\n") {
			shown, most := utf8.RuneCountInString(line), 110
			if strings.HasPrefix(line, "|") {
				shown, most = utf8.RuneCountInString(strings.ReplaceAll(link.ReplaceAllString(line, "]"), "`", "")), 64
			}
			if shown > most {
				t.Errorf("%s: %d characters, want at most %d: %s", name, shown, most, line)
			}
		}
	}
}
