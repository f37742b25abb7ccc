package benchmarks

import "gonum.org/v1/gonum/floats"

// The methods here are what people use today. Span is the usual one, five.

// Span is the number of predictions that the simple smoothers look at.
const Span = 5

// CentredVote takes the most frequent label of Span predictions around each: two before, itself and two after, fewer at the ends. It
// is not causal: it waits for two predictions. Of equally frequent labels it keeps the item's own, if that is among them.
func CentredVote() Method {
	return Method{Name: "centred vote of 5, not causal", Label: func(dst []int, q [][]float64) {
		labels := baseLabels(q)
		for t := range q {
			dst[t] = vote(labels[max(t-Span/2, 0):min(t+Span/2+1, len(labels))], labels[t])
		}
	}}
}

// RollingMode takes the most frequent of the last Span labels, of equally frequent ones the item's own.
func RollingMode() Method {
	return Method{Name: "rolling mode of 5", Label: func(dst []int, q [][]float64) {
		labels := baseLabels(q)
		for t := range q {
			dst[t] = vote(labels[max(t-Span+1, 0):t+1], labels[t])
		}
	}}
}

// RollingMean takes the class of the highest mean probability over the last Span predictions.
func RollingMean() Method {
	return Soft("probability mean of 5", func(dst, q [][]float64) { windowMean(dst, q, Span-1, 0) })
}

// CentredMean is the same over two predictions before, itself and two after, fewer at the ends. It is not causal.
func CentredMean() Method {
	return Soft("centred probability mean of 5, not causal", func(dst, q [][]float64) { windowMean(dst, q, Span/2, Span/2) })
}

func windowMean(dst, q [][]float64, before, after int) {
	for t := range q {
		rows := q[max(t-before, 0):min(t+after+1, len(q))]
		for _, row := range rows {
			floats.Add(dst[t], row)
		}
		floats.Scale(1/float64(len(rows)), dst[t])
	}
}

// ExponentialMean takes the class of the highest exponential mean of the probabilities, m = (1-r) m + r q from the first q on, with r =
// 2/(Span+1): their mean age is that of a mean of Span.
func ExponentialMean() Method {
	const r = 2. / (Span + 1)
	return Soft("exponential probability mean", func(dst, q [][]float64) {
		copy(dst[0], q[0])
		for t, row := range q[1:] {
			floats.ScaleTo(dst[t+1], 1-r, dst[t])
			floats.AddScaled(dst[t+1], r, row)
		}
	})
}

func baseLabels(q [][]float64) []int {
	labels := make([]int, len(q))
	Base().Label(labels, q)
	return labels
}

// vote returns own if no label is more frequent, and else the most frequent, the first seen of equals.
func vote(labels []int, own int) int {
	best, most := own, count(labels, own)
	for _, label := range labels {
		if n := count(labels, label); n > most {
			best, most = label, n
		}
	}
	return best
}

func count(labels []int, label int) (n int) {
	for _, v := range labels {
		if v == label {
			n++
		}
	}
	return n
}
