package baselines

import (
	"fmt"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/internal/results"
)

// sequence is how many items make a sequence where votes are taken in one: pictures of a camera come in threes to tens. The streams here
// do not say where theirs end.
const sequence = 10

// SequenceVote cuts a stream into sequences of n items, and gives all of one the label that most of them have; 0: the stream is one. Of
// equally frequent labels the class that comes first wins. It is not causal.
func SequenceVote(n int) benchmarks.Method {
	return benchmarks.Method{Name: fmt.Sprintf("vote of sequences of %d", n), Label: func(dst []int, q [][]float64) {
		overSequences(dst, q, n, func(labels []int, q [][]float64) {
			label, _ := most(labels, len(q[0]))
			for i := range labels {
				labels[i] = label
			}
		})
	}}
}

// What MegaDetector's smooth_classification_results_sequence_level takes where nobody sets options.
const (
	leastConfidence = 0.5 // of a classification that takes part
	leastDominant   = 4   // classifications of a class that overwrites others
	mostOverwritten = 1   // classifications of a class that is overwritten
)

// Dominant is the rule of MegaDetector's tools for the classifications of a sequence (smooth_classification_results_sequence_level of
// https://github.com/agentmorris/MegaDetector, with its options as they are by default and without a taxonomy): a class that four or more of
// the classifications over 0.5 have overwrites those of classes that occur once. It is not causal.
func Dominant(n int) benchmarks.Method {
	return benchmarks.Method{Name: fmt.Sprintf("MegaDetector's rule, sequences of %d", n), Label: func(dst []int, q [][]float64) {
		overSequences(dst, q, n, dominate)
	}}
}

func dominate(labels []int, q [][]float64) {
	var sure []int // items that take part
	var seen []int // their labels
	for i, row := range q {
		if row[labels[i]] >= leastConfidence {
			sure, seen = append(sure, i), append(seen, labels[i])
		}
	}
	dominant, counts := most(seen, len(q[0]))
	if counts[dominant] < leastDominant {
		return
	}
	for _, i := range sure {
		if counts[labels[i]] <= mostOverwritten {
			labels[i] = dominant
		}
	}
}

// overSequences writes the predicted labels and changes those of each sequence of n items; 0: all are one.
func overSequences(dst []int, q [][]float64, n int, change func(labels []int, q [][]float64)) {
	for i, row := range q {
		dst[i], _ = results.Top(row)
	}
	if n == 0 {
		n = max(1, len(q))
	}
	for from := 0; from < len(q); from += n {
		to := min(from+n, len(q))
		change(dst[from:to], q[from:to])
	}
}

// most returns the most frequent label, the first of equals, and how often each occurs.
func most(labels []int, classes int) (label int, counts []int) {
	counts = make([]int, classes)
	for _, l := range labels {
		counts[l]++
	}
	for l, n := range counts {
		if n > counts[label] {
			label = l
		}
	}
	return label, counts
}
