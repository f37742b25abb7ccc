package predictions_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/oatta/oatta/datasets/predictions"
)

// Predictions of another program, a JSON object a line.
func ExampleJSONLines() {
	lines := predictions.NewJSONLines("q.jsonl", strings.NewReader(
		`{"stream": "cam1", "id": "a.jpg", "probs": [0.7, 0.3]}`+"\n"+`{"stream": "cam1", "id": "b.jpg", "probs": [0.2, 0.8]}`+"\n"),
		predictions.Options{Classes: []string{"empty", "heron"}})
	if _, err := lines.Begin(); err != nil {
		log.Fatal(err)
	}
	for {
		item, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d %s %s %v\n", lines.Line(), item.Stream, item.ID, item.Probs)
	}
	// Output:
	// 1 cam1 a.jpg [0.7 0.3]
	// 2 cam1 b.jpg [0.2 0.8]
}
