package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/urfave/cli/v2"
)

// referenceCommand writes what --help says as pages: docs/reference, which a test keeps up to date, and the man pages.
func referenceCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name: "reference", ArgsUsage: "DIR", Hidden: true,
		Usage: "write a page for each command into DIR: Markdown, or man pages",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "man", Usage: "man pages"}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return fmt.Errorf("reference: %d arguments: want a folder", c.NArg())
			}
			pages := markdownPages(c.App)
			if c.Bool("man") {
				pages = manPages(c.App)
			}
			if err := writePages(c.Args().First(), pages); err != nil {
				return fmt.Errorf("reference: %w", err)
			}
			_, err := fmt.Fprintf(env.Out, "%d pages in %s\n", len(pages), c.Args().First())
			return err
		},
	}
}

// writePages writes each page, by its file's name, into the folder, which is made.
func writePages(dir string, pages map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// documented is a command that does something, with its whole name.
type documented struct {
	name string // as typed: oatta run images
	*cli.Command
}

// file is the name without ending, without the program's.
func (d documented) file() string {
	return strings.ReplaceAll(strings.TrimPrefix(d.name, "oatta "), " ", "-")
}

// documentedCommands lists the commands that have no commands below them, in the order of the help.
func documentedCommands(prefix string, commands []*cli.Command) (out []documented) {
	for _, c := range commands {
		name := prefix + " " + c.Name
		switch {
		case c.Hidden || c.Name == "help":
		case hasCommands(c):
			out = append(out, documentedCommands(name, c.Subcommands)...)
		default:
			out = append(out, documented{name, c})
		}
	}
	return out
}

// hasCommands tells whether a command has others below it than that of help.
func hasCommands(c *cli.Command) bool {
	return slices.ContainsFunc(c.Subcommands, func(sub *cli.Command) bool { return sub.Name != "help" })
}

// usageLine is the command with its arguments, as it is typed.
func (d documented) usageLine() string {
	words := []string{d.name}
	if len(d.Flags) > 0 {
		words = append(words, "[flags]")
	}
	if args := strings.TrimSpace(d.ArgsUsage); args != "" {
		words = append(words, args)
	}
	return strings.Join(words, " ")
}

// flagGroup is a category of flags; the one without a name comes first.
type flagGroup struct {
	title string
	flags []flagDoc
}

// flagDoc is a flag as the help shows it: "--lag N" and what it is.
type flagDoc struct{ names, usage string }

func (d documented) groups() (out []flagGroup) {
	for _, f := range d.Flags {
		title := ""
		if c, ok := f.(cli.CategorizableFlag); ok {
			title = c.GetCategory()
		}
		names, usage, _ := strings.Cut(f.String(), "\t")
		usage = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(usage), "(default: false)"))
		at := slices.IndexFunc(out, func(g flagGroup) bool { return g.title == title })
		if at < 0 {
			at = len(out)
			out = append(out, flagGroup{title: title})
		}
		out[at].flags = append(out[at].flags, flagDoc{names, usage})
	}
	slices.SortStableFunc(out, func(a, b flagGroup) int { return cmp.Compare(a.title, b.title) })
	return out
}

const generated = "<!-- Written by the program: go test ./cmd/oatta -run Reference -update -->\n"

// markdownPages are the pages of docs/reference, by their files' names.
func markdownPages(app *cli.App) map[string]string {
	commands := documentedCommands("oatta", app.Commands)
	var index strings.Builder
	fmt.Fprintf(&index, "%s\n# Commands\n\nWhat `oatta COMMAND --help` prints. `make man` writes the same as man pages.\n\n", generated)
	pages := map[string]string{}
	for _, d := range commands {
		fmt.Fprintf(&index, "- [%s](%s.md): %s\n", d.name, d.file(), escaped(d.Usage))
		pages[d.file()+".md"] = d.markdown()
	}
	pages["README.md"] = index.String()
	return pages
}

func (d documented) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n# %s\n\n%s.\n\n```text\n%s\n```\n", generated, d.name, capital(escaped(d.Usage)), d.usageLine())
	if d.Description != "" {
		fmt.Fprintf(&b, "\n%s\n", paragraphs(d.Description))
	}
	for _, g := range d.groups() {
		fmt.Fprintf(&b, "\n## %s\n\n", cmp.Or(capital(strings.ToLower(g.title)), "Flags"))
		for _, f := range g.flags {
			fmt.Fprintf(&b, "- `%s`: %s\n", f.names, escaped(f.usage))
		}
	}
	fmt.Fprintf(&b, "\nAll commands: [reference](README.md).\n")
	return b.String()
}

// manPages are the pages of section 1, by their files' names: oatta.1 and one for each command.
func manPages(app *cli.App) map[string]string {
	commands := documentedCommands("oatta", app.Commands)
	pages := map[string]string{"oatta.1": manIndex(app, commands)}
	for _, d := range commands {
		pages["oatta-"+d.file()+".1"] = d.man(app.Version)
	}
	return pages
}

func manIndex(app *cli.App, commands []documented) string {
	b := manHead("oatta", app.Usage, "oatta COMMAND [flags] ARGUMENT...", app.Version)
	fmt.Fprint(b, "\n# COMMANDS\n")
	for _, d := range commands {
		fmt.Fprintf(b, "\n**%s**\n: %s (see oatta-%s(1))\n", d.name, escaped(d.Usage), d.file())
	}
	return string(md2man.Render([]byte(b.String())))
}

func (d documented) man(version string) string {
	b := manHead("oatta-"+d.file(), d.Usage, d.usageLine(), version)
	if d.Description != "" {
		fmt.Fprintf(b, "\n# DESCRIPTION\n\n%s\n", paragraphs(d.Description))
	}
	for _, g := range d.groups() {
		fmt.Fprintf(b, "\n# %s\n", cmp.Or(g.title, "OPTIONS"))
		for _, f := range g.flags {
			fmt.Fprintf(b, "\n**%s**\n: %s\n", escaped(f.names), escaped(f.usage))
		}
	}
	fmt.Fprint(b, "\n# SEE ALSO\n\noatta(1)\n")
	return string(md2man.Render([]byte(b.String())))
}

// manHead begins a page: the title block and what every page has.
func manHead(name, usage, line, version string) *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "%% %s 1 \"\" \"oatta %s\" \"oatta\"\n\n# NAME\n\n%s - %s\n\n# SYNOPSIS\n\n%s\n", strings.ToUpper(name), version, name, escaped(usage), escaped(line))
	return &b
}

// escaped is plain text as Markdown. What stands between backticks is code in both.
func escaped(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.NewReplacer(`\`, `\\`, "*", `\*`, "[", `\[`, "]", `\]`, "<", `\<`).Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

// paragraphs is a description as Markdown. A line that ends with a sentence ends a paragraph; the terminal shows it by the line break.
func paragraphs(description string) string {
	return strings.ReplaceAll(strings.ReplaceAll(escaped(description), ".\n", ".\n\n"), "\n\n\n", "\n\n")
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
