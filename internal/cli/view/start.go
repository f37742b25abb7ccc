package view

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/view"
)

// program runs the program with arguments, in this process.
type program = func(ctx context.Context, args []string, said io.Writer) int

// starter is the first page of a command without results.
func starter(c *cli.Context, program program) view.Starter {
	s := view.Starter{
		Run: func(ctx context.Context, folder string, engine bool, said io.Writer) (string, error) {
			return classify(ctx, program, folder, engine, said)
		},
		Open: func(results, folder string) (view.Options, error) { return options(c, results, folder) },
	}
	if c.NArg() == 1 {
		s.Folder, _ = filepath.Abs(c.Args().First()) // as it was named where that fails
	}
	return s
}

// classify runs on the pictures of a folder. The results lie beside it; those of an earlier run are gone on with, or are the results.
func classify(ctx context.Context, program program, folder string, engine bool, said io.Writer) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if !isFolder(folder) {
		return "", fmt.Errorf("%s: there is no such folder", folder)
	}
	if filepath.Dir(folder) == folder {
		return "", fmt.Errorf("%s: is a whole disk, beside which nothing can be written: name a folder of it", folder)
	}
	if engine {
		if code := program(ctx, []string{"oatta", "setup"}, said); code != console.Fine {
			return "", errors.New("ONNX Runtime could not be fetched: what is said below tells why")
		}
	}
	results := folder + ".oatta.jsonl"
	args := []string{"oatta", "run", "images", folder, "-o", results}
	if _, err := os.Stat(results); err == nil {
		args = append(args, "--resume")
	}
	switch code := program(ctx, args, said); code {
	case console.Fine, console.Partial:
		return results, nil
	default:
		return "", errors.New("the pictures could not be classified: what is said below tells why")
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// open shows the address in the user's browser, by a page in a file that nobody else may read: the arguments of a program can be read by all.
func open(address string) (page string, err error) {
	f, err := os.CreateTemp("", "oatta-view-*.html")
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(f, `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=%s"><title>oatta view</title>`, html.EscapeString(address))
	if err = errors.Join(err, f.Close()); err != nil {
		return f.Name(), err
	}
	name, args := "xdg-open", []string{f.Name()}
	switch goruntime.GOOS {
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", f.Name()}
	case "darwin":
		name = "open"
	}
	return f.Name(), exec.Command(name, args...).Start()
}
