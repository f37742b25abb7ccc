package inputs

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/oatta/oatta/datasets/posts"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/preprocess/text"
	"github.com/oatta/oatta/runtime"
)

// Texts is posts, one stream a user. Their texts wait outside of memory, see [posts.Open].
type Texts struct {
	collection
	model     *models.Model
	tokenizer *text.Tokenizer
	texts     []*posts.Texts // of the files that have some
	first     []int          // item of each
	length    int            // tokens of a row
}

// OpenTexts reads the posts of files for a model with its tokenizer. Posts of one user in several files are one stream only if the
// files are one: a user who is in two has a stream in each, named after the file.
func OpenTexts(ctx context.Context, args []string, m *models.Model, o posts.Options) (*Texts, error) {
	if m.Manifest.Text == nil {
		return nil, fmt.Errorf("the model %s is not one for texts: its manifest has no text section", m.Manifest.Name)
	}
	t := &Texts{model: m}
	var notes []string
	var err error
	if t.tokenizer, notes, err = m.Tokenizer(); err != nil {
		return nil, err
	}
	for _, note := range notes {
		t.warn("%s", note)
	}
	t.length = t.tokenizer.Settings().MaxLength
	t.collection.noun, t.shape = "post", []int64{int64(t.length)}
	files, err := t.find(ctx, args, IsPosts)
	if err != nil {
		return nil, err
	}
	if err := t.list(ctx, files, o); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	t.hash = hashFiles(files, o)
	return t, nil
}

// IsPosts tells by a file's name whether it may hold posts.
func IsPosts(name string) bool {
	return hasEnding(name, ".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".csv.gz", ".tsv.gz", ".jsonl.gz", ".ndjson.gz", ".json.gz")
}

func (t *Texts) list(ctx context.Context, files []file, o posts.Options) error {
	if len(files) == 0 {
		return errors.New("no file of posts found: want .csv, .tsv, .jsonl or .json, gzip or not")
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		l, err := openPosts(f, o)
		if err != nil {
			t.fail(f.name, withoutPath(err, f.path))
			continue
		}
		prefix := ""
		if len(files) > 1 {
			prefix = f.name + ":"
		}
		for _, bad := range l.Bad {
			t.fail(fmt.Sprintf("%s:%d", f.name, bad.Line), bad.Err)
		}
		if l.Dropped > 0 {
			t.warn("%s: %d more rows could not be understood", f.name, l.Dropped)
		}
		for _, note := range l.Notes {
			t.warn("%s: %s", f.name, note)
		}
		if err := t.add(f, prefix, l); err != nil {
			return err
		}
	}
	if len(t.items)+len(t.failures) == 0 {
		return errors.New("the files hold no post")
	}
	t.close()
	return t.countCut(ctx)
}

// countCut tells how many posts have more tokens than the network takes. A token takes a byte or more, so that short posts need no look.
func (t *Texts) countCut(ctx context.Context) error {
	cut := 0
	var ids []int64
	for i := range t.listed {
		if texts, at := t.place(i); texts.Size(at) <= t.length/2 && len(t.tokenizer.Settings().Tweets) == 0 {
			continue
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s, err := t.text(i)
		if err != nil {
			return err
		}
		var over bool
		if ids, over = t.tokenizer.Append(ids[:0], s); over {
			cut++
		}
	}
	if cut > 0 {
		t.warn("%d of %d posts have more than the %d tokens that the model takes: what is behind is cut off", cut, t.listed, t.length)
	}
	return nil
}

// place returns which post of which file item i is.
func (t *Texts) place(i int) (*posts.Texts, int) {
	k, found := slices.BinarySearch(t.first, i)
	if !found {
		k--
	}
	return t.texts[k], i - t.first[k]
}

// text reads the text of item i.
func (t *Texts) text(i int) (string, error) {
	texts, at := t.place(i)
	return texts.Text(at)
}

// Label implements [Input].
func (t *Texts) Label(i int) string {
	if i >= t.listed {
		return ""
	}
	texts, at := t.place(i)
	return texts.Label(at)
}

// Close implements [Input].
func (t *Texts) Close() (err error) {
	for _, l := range t.texts {
		err = errors.Join(err, l.Close())
	}
	return err
}

func openPosts(f file, o posts.Options) (*posts.Listing, error) {
	if f.err != nil {
		return nil, f.err
	}
	return posts.Open(f.path, o)
}

// add makes items of the posts of a file. An item is called by the post's own id, or by its line where the file has no ids or has one
// twice. A listing without posts is closed.
func (t *Texts) add(f file, prefix string, l *posts.Listing) error {
	if l.Len() == 0 {
		return l.Close()
	}
	t.texts, t.first = append(t.texts, l.Texts()), append(t.first, len(t.items))
	repeated := repeatedIDs(l)
	t.items = slices.Grow(t.items, l.Len())
	named, stream := "", ""
	for i := range l.Len() {
		p := l.Post(i)
		if i == 0 || p.Stream != named {
			named, stream = p.Stream, Readable(prefix+p.Stream)
		}
		name := Readable(prefix + p.ID)
		if p.ID == "" || repeated[p.ID] {
			name = fmt.Sprintf("%s:%d", Readable(f.name), p.Line)
		}
		t.items = append(t.items, pipeline.Item{Name: name, Stream: stream, Time: p.Time, Zoned: p.Zoned})
	}
	return nil
}

// repeatedIDs returns the ids that several posts have. Only those whose hashes come twice are looked at.
func repeatedIDs(l *posts.Listing) map[string]bool {
	seed := maphash.MakeSeed()
	hashes := make([]uint64, l.Len())
	for i := range hashes {
		hashes[i] = maphash.String(seed, l.Post(i).ID)
	}
	slices.Sort(hashes)
	twice := map[uint64]bool{}
	for i, h := range hashes[1:] {
		if h == hashes[i] {
			twice[h] = true
		}
	}
	repeated := map[string]bool{}
	for i := 0; i < len(hashes) && len(twice) > 0; i++ {
		id := l.Post(i).ID
		if twice[maphash.String(seed, id)] {
			_, seen := repeated[id]
			repeated[id] = seen
		}
	}
	return repeated
}

// Prepared implements [Input].
func (t *Texts) Prepared() any {
	return struct {
		models.Text
		MaxTokens  int             `json:"max_tokens"`
		Pieces     int             `json:"pieces"`
		Normaliser text.Normaliser `json:"normaliser"`
	}{*t.model.Manifest.Text, t.length, t.tokenizer.Len(), t.tokenizer.Normaliser()}
}

// Session implements [Input]: the network's integer inputs become one of rows of ids.
func (t *Texts) Session(s runtime.Session) (runtime.Session, error) {
	m := t.model.Manifest.Text
	return predict.Tokens(s, predict.TokenSettings{IDs: m.IDs, Mask: m.Mask, Types: m.Types, Pad: t.tokenizer.Pad()})
}

// textSets are the sets of views of a text.
var textSets = map[string]func(cased bool) text.Views{
	"usual": func(cased bool) text.Views {
		v := text.UsualViews()
		if !cased {
			v.Case = 0 // which the network would not see
		}
		return v
	},
	"words":   func(bool) text.Views { return text.Views{Augmented: 16, Drop: 0.1, Swap: 0.1} },
	"handles": func(bool) text.Views { return text.Views{Augmented: 16, Handles: 0.5} },
}

// Loader implements [Input].
func (t *Texts) Loader(v Views, _ int) (pipeline.Loader, error) {
	load, err := TextRows(t.tokenizer, v)
	if err != nil {
		return nil, err
	}
	return func(dst []float32, i int, seed uint64) error {
		if err := t.failed(i); err != nil {
			return err
		}
		s, err := t.text(i)
		if err == nil {
			load(dst, s, seed)
		}
		return err
	}, nil
}

// TextRows returns what writes the ids of a text, and of its views after it, into dst: each as many numbers as the tokenizer allows pieces.
func TextRows(t *text.Tokenizer, v Views) (func(dst []float32, s string, seed uint64), error) {
	if v.none() {
		return func(dst []float32, s string, _ uint64) { loadText(t, dst, s) }, nil
	}
	set, err := setOf(textSets, v, "texts")
	if err != nil {
		return nil, err
	}
	views := set(!t.Normaliser().Lowercase)
	views.Augmented = v.Count
	viewer, err := text.NewViewer(views)
	if err != nil {
		return nil, err
	}
	length := t.Settings().MaxLength
	return func(dst []float32, s string, seed uint64) {
		all := make([]string, viewer.Count())
		viewer.Texts(all, s, seed)
		for k, s := range all {
			loadText(t, dst[k*length:(k+1)*length], s)
		}
	}, nil
}

// loadText writes the ids of one text into dst, exact in float32, and -1 behind them.
func loadText(t *text.Tokenizer, dst []float32, s string) {
	ids, _ := t.Append(make([]int64, 0, len(dst)), s)
	for i := range dst {
		dst[i] = -1
		if i < len(ids) {
			dst[i] = float32(ids[i])
		}
	}
}
