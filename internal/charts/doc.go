// Package charts draws what the program found out, as SVG and PNG, in one style.
//
// # Contract
//
// A [Figure] is drawn by gonum/plot. [Figure.Encode] gives its bytes, the same for the same data. Colours are those of Okabe and Ito,
// which people with any of the common colour blindnesses tell apart, in an order that does not change.
//
// A short example:
//
//	figure := charts.Figure{Width: 16 * vg.Centimeter, Height: 10 * vg.Centimeter, Draw: func(c draw.Canvas) { p.Draw(c) }}
//	svg, err := figure.Encode("svg")
package charts
