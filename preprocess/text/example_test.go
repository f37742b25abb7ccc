package text_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/oatta/oatta/preprocess/text"
)

const vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nwhat\na\nday\n##s\n!\n"

// Texts become the inputs of a network for texts.
func ExampleTokenizer() {
	t, err := text.ReadVocab(strings.NewReader(vocabulary), true, text.Settings{MaxLength: 8})
	if err != nil {
		log.Fatal(err)
	}
	var batch text.Batch
	t.Encode(&batch, []string{"What a day!", "Days"})
	fmt.Println(batch.IDs.Shape, batch.IDs.Data)
	fmt.Println(batch.Mask.Data)
	// Output:
	// [2 6] [2 4 5 6 8 3 2 6 7 3 0 0]
	// [1 1 1 1 1 1 1 1 1 1 0 0]
}

// A tweet goes through what its network was trained behind.
func ExampleTransform() {
	out, ok := text.Transform("cardiffnlp", "@heron look: https://example.org")
	fmt.Println(out, ok)
	// Output:
	// @user look: http true
}

// Views of a text are texts of their own.
func ExampleViewer() {
	viewer, err := text.NewViewer(text.Views{Augmented: 2, Drop: 0.2})
	if err != nil {
		log.Fatal(err)
	}
	views := make([]string, viewer.Count())
	viewer.Texts(views, "the heron stands in the water", 1)
	fmt.Println(len(views), views[0], len(strings.Fields(views[1])), len(strings.Fields(views[2])))
	// Output:
	// 3 the heron stands in the water 5 5
}
