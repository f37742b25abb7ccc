// Package text turns texts into the input of BERT-like networks: ids of WordPiece tokens, attention mask and token types, equal to those of Hugging
// Face's tokenizers.
//
// # The contract
//
// A [Tokenizer] does not change and is safe for concurrent use; it keeps no state between texts but scratch space. [Tokenizer.Encode] writes into a
// [Batch] that the caller owns, int64 [texts, length], and reuses its memory. Any bytes are a text: what is no UTF-8 counts as U+FFFD, which cleaning drops. A text of
// any length takes memory for MaxLength tokens, and where its end is cut off, time for these alone; only the [Transforms] of tweets copy it.
//
// # The reference
//
// BertNormalizer, BertPreTokenizer and WordPiece of Hugging Face tokenizers 0.23.3, to the version of its tables: it knows punctuation and accents of
// Unicode 8, decomposes by Unicode 9 and makes lower case by a newer one, and networks were trained on that. tables.go holds the classes as it has them,
// made by testdata/golden.py. The tests compare every code point, 82,775 tweets under four settings, and the golden files: no difference is allowed.
//
// A special token ([CLS], [MASK], ...) whose characters stand in a text is that token, as there. Pairs of texts are not supported.
//
// # What is taken from github.com/sugarme/tokenizer, and what is not
//
// Taken are the structure of tokenizer.json (tokenizer.Config) and the WordPiece model, which holds the vocabulary and translates ids to tokens. Not
// taken, v0.3.0:
//
//   - its normaliser. It does not decompose before it drops accents, so that "naïve" keeps its ï and becomes [UNK]; where it drops format characters it loses
//     track of the text behind (U+FEFF before "BOM" gives "bomb om"); it keeps characters of private use. Our words go past it: [Normaliser].
//   - its loaders, which end the program (log.Fatal) or panic on files of another form, drop continuing_subword_prefix, and read without a limit.
//   - WordPiece.Tokenize, which is right, but formats a string for each candidate: quadratic in the length of a word. It is the twin of ours in the tests.
//
// # Several views
//
// A [Viewer] makes several views of one text, as test-time augmentation and MEMO ask for: the text itself first, then copies that each went
// through one small change. Views are texts; [Tokenizer.Encode] comes after. What the changes are, and what they take for a word, a handle or a
// punctuation mark, stands at [Views]. None needs a dictionary, a list of synonyms or a language: white space, classes of Unicode and grapheme
// clusters (rivo/uniseg) are all that is known, so a text without spaces between words gets noise and punctuation alone. What a change does to
// the meaning is not judged: dropping one word in ten can drop a "not".
//
// # Example
//
//	tok, err := text.Load("all-MiniLM-L6-v2", text.Settings{Tweets: []string{"cardiffnlp"}})
//	...
//	var batch text.Batch
//	tok.Encode(&batch, []string{"Café naïve", "@someone hello"})
//	err = session.Run(ctx, out, []runtime.Tensor{batch.IDs, batch.Mask, batch.Types})
//
//	viewer, err := text.NewViewer(text.UsualViews())
//	...
//	views := make([]string, viewer.Count()) // 17
//	viewer.Texts(views, "Café naïve", seed)
//	tok.Encode(&batch, views)
package text
