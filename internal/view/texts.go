package view

import (
	"errors"
	"fmt"
	"sync"

	"github.com/oatta/oatta/datasets/posts"
)

// texts are those of posts. They are found when the first is wanted.
type texts struct {
	mu     sync.Mutex
	opened bool
	err    error
	files  []*posts.Texts
	at     map[string][2]int32 // file and place, by the item's name
}

// errNoText is why a post has no text.
var errNoText = errors.New("not in what was given as inputs")

// text returns the text of a post. Wanted are all names of the results: nothing else is remembered.
func (in *Inputs) text(c *Collection, name string) (string, error) {
	if in == nil {
		return "", errNoInputs
	}
	t := &in.texts
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.opened {
		t.opened = true
		t.err = in.findTexts(c)
	}
	if t.err != nil {
		return "", t.err
	}
	at, ok := t.at[name]
	if !ok {
		return "", errNoText
	}
	return t.files[at[0]].Text(int(at[1]))
}

// findTexts reads the files of posts that the manifest names, or the one that was given.
func (in *Inputs) findTexts(c *Collection) error {
	t := &in.texts
	wanted := make(map[string]bool, len(c.records))
	for i := range c.records {
		wanted[c.records[i].file] = true
	}
	names := c.Inputs
	if in.only != "" {
		names = []string{in.only}
	}
	t.at = map[string][2]int32{}
	for _, name := range names {
		path, err := in.regular(name)
		if err != nil {
			continue
		}
		l, err := posts.Open(path, in.posts)
		if err != nil {
			return err
		}
		k := int32(len(t.files))
		for i := range l.Len() {
			p := l.Post(i)
			for _, id := range []string{p.ID, name + ":" + p.ID, fmt.Sprintf("%s:%d", name, p.Line)} {
				if _, twice := t.at[id]; !twice && wanted[id] {
					t.at[id] = [2]int32{k, int32(i)}
				}
			}
		}
		t.files = append(t.files, l.Texts())
	}
	if len(t.files) == 0 {
		return errNoText
	}
	return nil
}

func (t *texts) close() (err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.files {
		err = errors.Join(err, f.Close())
	}
	return err
}
