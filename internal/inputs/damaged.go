package inputs

import (
	"fmt"
	"sync"

	"github.com/oatta/oatta/datasets"
)

// damaged keeps which damaged pictures were read, and what is wrong with them.
type damaged struct {
	use bool

	mu    sync.Mutex
	words map[string]string // by path
}

// salvage answers for [image.Transform].
func (d *damaged) salvage(path, damage string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.words == nil {
		d.words = map[string]string{}
	}
	d.words[path] = damage
	return d.use
}

// tell says what was damaged, each picture by its name where what is left of it was used: its result looks like any other.
func (d *damaged) tell(l *datasets.Listing) (lines []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.words) == 0 {
		return nil
	}
	n := "1 picture is"
	if len(d.words) > 1 {
		n = fmt.Sprintf("%d pictures are", len(d.words))
	}
	if !d.use {
		return []string{n + " damaged and failed; --damaged use takes what is left, with grey for the rest"}
	}
	lines = append(lines, n+" damaged, and what is left was used, with grey for the rest:")
	for _, p := range l.Pictures {
		if words, ok := d.words[p.Path]; ok {
			lines = append(lines, fmt.Sprintf("damaged: %s: %s", Readable(p.Name), words))
		}
	}
	return lines
}

// Damaged says which of the pictures that were read are damaged, in words.
func (p *Pictures) Damaged() []string { return p.damaged.tell(p.listing) }

// Damaged says the same of the pictures that boxes are in.
func (c *Crops) Damaged() []string { return c.pictures.Damaged() }
