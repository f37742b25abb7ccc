package posts

// Texts is what is left of a listing when its posts were seen: their texts and labels, 16 bytes each.
type Texts struct {
	spans  []span
	labels []string
	texts  spool
}

// span is where the text of a post lies.
type span struct {
	from        int64
	size, label uint32
}

// Texts returns the texts in the order of the listing, which has none from then on: what it returns is to be closed instead.
func (l *Listing) Texts() *Texts {
	t := &Texts{spans: make([]span, len(l.order)), labels: l.posts.labels.all, texts: l.texts}
	for i, n := range l.order {
		x := l.posts.at(int(n))
		t.spans[i] = span{x.text, uint32(l.posts.at(int(n)+1).text - x.text), x.label}
	}
	l.texts = spool{}
	return t
}

// Len returns the number of posts.
func (t *Texts) Len() int { return len(t.spans) }

// Size returns how many bytes the text of a post has, from 0 to Len-1.
func (t *Texts) Size(i int) int { return int(t.spans[i].size) }

// Label returns the label of a post, "" if it has none.
func (t *Texts) Label(i int) string { return t.labels[t.spans[i].label] }

// Text reads the text of a post. It may be called side by side.
func (t *Texts) Text(i int) (string, error) {
	s := t.spans[i]
	return t.texts.text(s.from, s.from+int64(s.size))
}

// Close frees the texts.
func (t *Texts) Close() error { return t.texts.close() }
