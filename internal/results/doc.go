// Package results is what a run writes for each item, and the formats it is written in: JSON lines, CSV, MegaDetector results JSON
// and a table for people.
//
// A [Format] appends bytes and keeps no state between records: header, record n, footer. An output can therefore be cut at any
// record and continued later, byte for byte as if it had never been interrupted.
package results
