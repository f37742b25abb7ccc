package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/models"
)

// pieces is the folder, among the embedded files, of the word pieces of bert-base-uncased.
const pieces = "bert-base-uncased.tokenizer"

// piecesHash is the SHA-256 of its vocab.txt, as Google published it.
const piecesHash = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

// vocabulary is where it lies among the shared data.
var vocabulary = []string{"data", "tokenizer", "bert-base-uncased-vocab.txt"}

// writePieces compresses the vocabulary of a file.
func writePieces(root, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if got := hash(data); got != piecesHash {
		return fmt.Errorf("the vocabulary is another: SHA-256 %s, want %s", got, piecesHash)
	}
	packed, err := compress(data)
	if err != nil {
		return err
	}
	folder := filepath.Join(root, "models", "embedded", pieces)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, models.VocabularyName+".gz"), packed, 0o644)
}

// posts is what is known of the network for posts beside what its training tells.
func posts() models.Manifest {
	return models.Manifest{
		Version:     models.ManifestVersion,
		Name:        models.DefaultText,
		Description: "a small convolution over word pieces for the sentiment of tweets in English, trained on Sentiment140",
		Task:        models.TextClassification,
		License:     "Apache-2.0",
		Source: "trained by this project on 76,343 rows of Sentiment140 (A. Go, R. Bhayani, L. Huang, Twitter Sentiment Classification using Distant Supervision, 2009), " +
			"which is for research; its words begin with those of all-MiniLM-L6-v2 (Apache-2.0)",
		Score: "78.9 %, smoothed 79.7 %, of the 1,818 posts of the 231 most active accounts of Sentiment140",
		Notes: "For tweets in English, negative or positive: neutral ones are called one of the two. The labels that it learned from are those of emoticons, taken out of the texts. " +
			"Not made for other languages, for sarcasm, for long texts, or to judge people. Weights of rank two and more are stored as float16 and cast to float32 when the model is loaded.",
	}
}
