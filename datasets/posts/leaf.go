package posts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// leafReader reads the JSON of the LEAF benchmark, which it holds in memory. Posts come user by user, in the order of "users".
type leafReader struct {
	*rows
	name string
	doc  leafDocument
	user int // of the post to come
	post int
	told int
}

type leafDocument struct {
	Users   []string            `json:"users"`
	Samples []int               `json:"num_samples"`
	Data    map[string]leafUser `json:"user_data"`
}

type leafUser struct {
	X []json.RawMessage `json:"x"`
	Y []json.RawMessage `json:"y"`
}

// newLEAF reads r; name stands in messages. Lists that contradict each other are an error.
func newLEAF(name string, r io.Reader, o Options) (*leafReader, error) {
	own, err := newRows(o)
	if err != nil {
		return nil, err
	}
	l := &leafReader{rows: own, name: name}
	o = own.o
	b, err := io.ReadAll(io.LimitReader(r, o.MaxBytes+1))
	if err == nil && int64(len(b)) > o.MaxBytes {
		err = fmt.Errorf("over %d bytes", o.MaxBytes)
	}
	if err == nil {
		err = json.Unmarshal([]byte(trimMark(b)), &l.doc)
	}
	if err == nil {
		err = l.doc.check()
	}
	if err != nil {
		return nil, fmt.Errorf("datasets/posts: %s: %w", name, err)
	}
	return l, nil
}

func trimMark(b []byte) []byte {
	if len(b) >= 3 && string(b[:3]) == "\ufeff" {
		return b[3:]
	}
	return b
}

// check compares the lists.
func (d leafDocument) check() error {
	if len(d.Samples) > 0 && len(d.Samples) != len(d.Users) {
		return fmt.Errorf("num_samples has %d entries for %d users", len(d.Samples), len(d.Users))
	}
	seen := map[string]bool{}
	for i, u := range d.Users {
		data, ok := d.Data[u]
		switch {
		case seen[u]:
			return fmt.Errorf("users[%d]: %s is listed twice", i, show(u))
		case !ok:
			return fmt.Errorf("users[%d]: %s has no user_data", i, show(u))
		case len(data.Y) > 0 && len(data.Y) != len(data.X):
			return fmt.Errorf("user_data[%s]: %d texts and %d labels", show(u), len(data.X), len(data.Y))
		case len(d.Samples) > 0 && d.Samples[i] != len(data.X):
			return fmt.Errorf("num_samples[%d]: %d, but %s has %d texts", i, d.Samples[i], show(u), len(data.X))
		}
		seen[u] = true
	}
	if len(d.Data) != len(d.Users) {
		return fmt.Errorf("user_data has %d users, users lists %d", len(d.Data), len(d.Users))
	}
	return nil
}

// Next implements reader.
func (l *leafReader) Next() (Post, error) {
	for l.user < len(l.doc.Users) {
		user := l.doc.Users[l.user]
		data := l.doc.Data[user]
		if l.post == len(data.X) {
			l.user, l.post = l.user+1, 0
			continue
		}
		i := l.post
		l.post++
		l.told++
		f, err := leafFields(data.X[i])
		if err == nil && len(data.Y) > 0 {
			f.label, err = word(data.Y[i])
		}
		if err != nil {
			return Post{}, &RowError{l.name, l.told, fmt.Errorf("user_data[%s].x[%d]: %w", show(user), i, err)}
		}
		f.stream = user
		return l.postOf(l.name, l.told, f)
	}
	return Post{}, io.EOF
}

// leafFields reads one sample: a text, or the columns of Sentiment140 without the polarity.
func leafFields(raw json.RawMessage) (f fields, err error) {
	if raw[0] == '"' {
		f.text, err = word(raw)
		return f, err
	}
	var cells []json.RawMessage
	if json.Unmarshal(raw, &cells) != nil || len(cells) < 5 {
		return f, errors.New("want a text, or a list of id, date, query, user and text")
	}
	for i, to := range []*string{&f.id, &f.time, nil, nil, &f.text} {
		if to == nil {
			continue
		}
		if *to, err = word(cells[i]); err != nil {
			return f, err
		}
	}
	return f, nil
}
