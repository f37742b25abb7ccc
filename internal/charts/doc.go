// Package charts draws what the program found out, as SVG and PNG, in one style.
//
// # Contract
//
// A [Figure] is drawn by gonum/plot. [Figure.Encode] gives its bytes, the same for the same data. Colours are those of Okabe and Ito,
// which people with any of the common colour blindnesses tell apart, in an order that does not change.
//
// [Stream] is what a filter did on one stream, step by step; [Matrix] is a matrix of transitions as a heat map. Both stay legible and
// under a megabyte whatever they are given: a hundred thousand steps, a thousand classes, names of any length in any script.
//
// [Scatter] and [Bands] are figures of studies: points with a fitted line, and curves with how far they spread.
//
// A short example:
//
//	figure := charts.Figure{Width: 16 * vg.Centimeter, Height: 10 * vg.Centimeter, Draw: func(c draw.Canvas) { p.Draw(c) }}
//	svg, err := figure.Encode("svg")
package charts
