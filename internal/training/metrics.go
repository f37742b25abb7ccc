package training

import (
	"bytes"
	"encoding/csv"
	"strconv"
)

// Row is one look at the validation examples. It holds no times, so that a run that was resumed writes what one in a piece does.
type Row struct {
	Rate               float64 `json:"rate"` // by which the training is known, before the schedule
	Step               int     `json:"step"`
	Epoch              float64 `json:"epoch"`
	LearningRate       float64 `json:"learning_rate"` // of the last step
	Loss               float64 `json:"train_loss"`    // of the batches since the last look, changed and with dropout as they were shown
	Accuracy           float64 `json:"train_accuracy"`
	ValidationNLL      float64 `json:"validation_nll"` // in nats an example
	ValidationAccuracy float64 `json:"validation_accuracy"`
}

// metricsCSV returns the table of all looks.
func metricsCSV(rows []Row) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"rate", "step", "epoch", "learning_rate", "train_loss", "train_accuracy", "validation_nll", "validation_accuracy"})
	for _, r := range rows {
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }
		_ = w.Write([]string{
			number(r.Rate), strconv.Itoa(r.Step), number(r.Epoch), number(r.LearningRate), number(r.Loss), number(r.Accuracy),
			number(r.ValidationNLL), number(r.ValidationAccuracy),
		})
	}
	w.Flush() // a buffer takes all
	return b.Bytes()
}
