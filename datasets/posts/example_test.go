package posts_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/datasets/posts"
)

// A table of posts becomes a stream for each user, in order of time.
func ExampleOpen() {
	table := "user,time,text\nana,2026-01-02,second\nben,2026-01-01,hello\nana,2026-01-01,first\n"
	dir, err := os.MkdirTemp("", "posts")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "posts.csv")
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		log.Fatal(err)
	}
	l, err := posts.Open(file, posts.Options{})
	if err != nil {
		log.Fatal(err)
	}
	texts := l.Texts()
	defer texts.Close()
	for i := range l.Len() {
		p := l.Post(i)
		text, err := texts.Text(i)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.Stream, p.Time.Format("2006-01-02"), text)
	}
	// Output:
	// ana 2026-01-01 first
	// ana 2026-01-02 second
	// ben 2026-01-01 hello
}
