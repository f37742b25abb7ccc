package backend

import (
	"fmt"
	"slices"
	"testing"
)

// List goes by pages through the streams of a namespace, in whatever store they are, and sees each that is answered.
func TestListByPages(t *testing.T) {
	for name, o := range map[string]Options{
		"memory": {}, "answers before commits": {File: inFolder(t.TempDir()), Early: true}, "file": {File: inFolder(t.TempDir())},
		"sealed": {File: inFolder(t.TempDir()), Key: make([]byte, 32)},
	} {
		t.Run(name, func(t *testing.T) {
			b := mustNew(t, o)
			listPages(t, b)
			k := b.models["filter"].shards.held()[0]
			if err := k.do(func() error { k.store = unlisted{k.store}; return nil }); err != nil {
				t.Fatal(err)
			}
			listPages(t, b)
		})
	}
}

// unlisted is a store that its keeper alone may ask.
type unlisted struct{ Store }

func listPages(t *testing.T, b *Backend) {
	t.Helper()
	var want []string
	for i := range 25 {
		for _, space := range []string{"", "n", "n2"} {
			r := ask(fmt.Sprint(7*i%25), prediction(i))
			r.Namespace = space
			mustInfer(t, b, r)
		}
		want = append(want, fmt.Sprint(i))
	}
	slices.Sort(want)
	var got []string
	for after := ""; ; after = got[len(got)-1] {
		page, err := b.List(t.Context(), "filter", "n", after, 4)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range page {
			got = append(got, s.ID)
		}
		if len(page) < 4 {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
