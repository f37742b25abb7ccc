package view

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/corrections"
	"github.com/oatta/oatta/internal/report"
)

// mostLabel is how long a label may be, in bytes, and mostBody a request.
const (
	mostLabel = 200
	mostBody  = 64 << 10
)

// formOf reads the form of a request; false where there is none, which the answer then says.
func formOf(w http.ResponseWriter, r *http.Request) (f url.Values, ok bool) {
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "no form", http.StatusBadRequest)
		return nil, false
	}
	return r.PostForm, true
}

// label gives an item, or the rest of its event, a label.
func (s *Server) label(w http.ResponseWriter, r *http.Request) {
	f, ok := formOf(w, r)
	if !ok {
		return
	}
	n, err := strconv.Atoi(f.Get("item"))
	if err != nil || n < 0 || n >= s.Collection.Len() {
		http.Error(w, "no such item", http.StatusBadRequest)
		return
	}
	v := s.snapshot()
	label, err := v.checked(f)
	if err != nil {
		s.refuse(w, n, f, http.StatusUnprocessableEntity, err)
		return
	}
	edits := []corrections.Edit{{Item: v.identity(n), Was: decode(f.Get("was")), Label: label}}
	if f.Get("event") != "" {
		edits = v.rest(n, label, decode(f.Get("was")))
	}
	if err := s.change(edits); err != nil {
		s.refuse(w, n, f, statusOf(err), err)
		return
	}
	s.onward(w, r, n, f)
}

// checked returns the label that a form wants: "" takes it back.
func (s *snapshot) checked(f url.Values) (string, error) {
	label := strings.TrimSpace(decode(strings.TrimSpace(f.Get("label"))))
	if f.Get("back") != "" {
		return "", nil
	}
	if label == "" {
		return "", errors.New("no label was named")
	}
	if class, err := datasets.ClassNamed(label, s.Classes); err == nil && class >= 0 {
		return s.Classes[class], nil
	}
	if _, there := s.number[label]; there {
		return label, nil
	}
	if len(label) > mostLabel || !utf8.ValidString(label) || report.Whole(label) != label {
		return "", fmt.Errorf("a label is a word or a few: at most %d bytes, and no control characters", mostLabel)
	}
	if f.Get("new") == "" {
		return "", fmt.Errorf("%q is none of the classes: give it as a new one if it is meant; `run --labels-known` refuses a label that the model does not have", label)
	}
	return label, nil
}

// rest are the edits that label an event, but for what of it somebody has labelled. The item in hand is among them whatever it was.
func (s *snapshot) rest(n int, label, was string) (out []corrections.Edit) {
	for _, i := range s.event(n) {
		switch {
		case int(i) == n:
			out = append(out, corrections.Edit{Item: s.identity(n), Was: was, Label: label})
		case s.given[i] == "":
			out = append(out, corrections.Edit{Item: s.identity(int(i)), Label: label})
		}
	}
	return out
}

// change makes changes, and remembers how to take them back.
func (s *Server) change(edits []corrections.Edit) error {
	if err := s.Table.Change(edits, s.Who, s.Now()); err != nil {
		return err
	}
	inverse := make([]corrections.Edit, len(edits))
	for i, e := range edits {
		inverse[i] = corrections.Edit{Item: e.Item, Was: e.Label, Label: e.Was}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.undos = append(s.undos, inverse); len(s.undos) > mostUndos {
		s.undos = s.undos[1:]
	}
	return nil
}

// undo takes the last change back.
func (s *Server) undo(w http.ResponseWriter, r *http.Request) {
	f, ok := formOf(w, r)
	if !ok {
		return
	}
	n, err := strconv.Atoi(f.Get("item"))
	if err != nil || n < 0 || n >= s.Collection.Len() {
		n = 0
	}
	s.mu.Lock()
	var last []corrections.Edit
	if k := len(s.undos); k > 0 {
		last = s.undos[k-1]
	}
	s.mu.Unlock()
	if last == nil {
		s.refuse(w, n, f, http.StatusConflict, errors.New("there is nothing to take back: it holds for what was done since the program began"))
		return
	}
	err = s.Table.Change(last, s.Who, s.Now())
	if meanwhile := (*corrections.MeanwhileError)(nil); err == nil || errors.As(err, &meanwhile) {
		s.mu.Lock() // what somebody else has changed is not taken back, now or later
		if k := len(s.undos); k > 0 {
			s.undos = s.undos[:k-1]
		}
		s.mu.Unlock()
	}
	if err != nil {
		s.refuse(w, n, f, statusOf(err), err)
		return
	}
	at := s.Collection.find(last[0].Item, n)
	q := walkOf(f).values()
	q.Set("undone", "1")
	http.Redirect(w, r, fmt.Sprintf("/item/%d?%s", at, q.Encode()), http.StatusSeeOther)
}

// find returns the number of an item, or else another.
func (c *Collection) find(k corrections.Item, other int) int {
	for i := range c.records {
		if c.records[i].file == k.File && c.streams[c.records[i].stream].name == k.Stream {
			return i
		}
	}
	return other
}

func statusOf(err error) int {
	if meanwhile := (*corrections.MeanwhileError)(nil); errors.As(err, &meanwhile) {
		return http.StatusConflict
	}
	return http.StatusInsufficientStorage
}

// onward goes on to the next item of the walk, or stays where there is none.
func (s *Server) onward(w http.ResponseWriter, r *http.Request, n int, f url.Values) {
	c := walkOf(f)
	q := c.values()
	q.Set("saved", strconv.Itoa(n))
	to, ok := s.snapshot().following(n, c)
	if !ok {
		to = n
		q.Set("end", "1")
	}
	http.Redirect(w, r, fmt.Sprintf("/item/%d?%s", to, q.Encode()), http.StatusSeeOther)
}

// following is the next of a walk; without a choice the neighbour in the stream.
func (s *snapshot) following(n int, c choice) (int, bool) {
	if c == (choice{}) {
		list, at := s.streams[s.records[n].stream].items, int(s.records[n].place)
		if at+1 < len(list) {
			return int(list[at+1]), true
		}
		return 0, false
	}
	return s.next(n, c, false)
}

// walkOf reads the choice that a form carries on.
func walkOf(f url.Values) choice {
	q, err := url.ParseQuery(f.Get("walk"))
	if err != nil {
		return choice{}
	}
	return choiceOf(q)
}

// refuse shows the item again, and says what was not done.
func (s *Server) refuse(w http.ResponseWriter, n int, f url.Values, status int, err error) {
	s.showItem(w, s.snapshot(), n, walkOf(f), status, message{Bad: true, Text: notSaved(err), New: newLabel(f, status)})
}

// newLabel is a label that may be given as a new one.
func newLabel(f url.Values, status int) string {
	if label := strings.TrimSpace(f.Get("label")); status == http.StatusUnprocessableEntity && label != "" && len(label) <= mostLabel && report.Whole(label) == label {
		return label
	}
	return ""
}

// notSaved says what became of a change that was not made.
func notSaved(err error) string {
	if meanwhile := (*corrections.MeanwhileError)(nil); errors.As(err, &meanwhile) {
		return "Nothing was changed: " + err.Error() + ". It is shown below as it is now."
	}
	return "Nothing was changed, and the file of labels is as it was: " + err.Error()
}
