package report

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/datasets/posts"
	"github.com/oatta/oatta/internal/report/items"
)

// postsIn finds the texts of posts, by their names in the results, in the files of posts that the manifests name, below the root.
func postsIn(root *os.Root, results []*items.File, wanted map[string]string) error {
	for _, f := range results {
		if f.Manifest == nil {
			continue
		}
		for _, name := range f.Manifest.Inputs {
			info, err := root.Stat(name) // refuses a name or a link that leads out
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if err := textsOf(filepath.Join(root.Name(), name), name, wanted); err != nil {
				return fmt.Errorf("--inputs: %w", err)
			}
		}
	}
	return nil
}

func textsOf(path, name string, wanted map[string]string) error {
	list, err := posts.Open(path, posts.Options{})
	if err != nil {
		return err
	}
	defer list.Close()
	texts := list.Texts()
	defer texts.Close()
	for i := range list.Len() {
		p := list.Post(i)
		id := p.ID
		if _, ok := wanted[id]; !ok {
			id = fmt.Sprintf("%s:%d", name, p.Line)
			if _, ok := wanted[id]; !ok {
				continue
			}
		}
		if wanted[id], err = texts.Text(i); err != nil {
			return err
		}
	}
	return nil
}
