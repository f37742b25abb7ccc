// Package edf reads and writes EDF, EDF+, BDF and BDF+ files, the formats of sleep and EEG recordings: header, samples in physical
// units, annotations and the times of records, any part of a night without the rest of it.
//
// The formats: https://www.edfplus.info/specs/edf.html and edfplus.html for EDF and EDF+ (16 bits a sample), and
// https://www.biosemi.com/faq/file_format.htm for BDF (24 bits). GDF only looks alike and is refused by name.
//
// # The contract
//
// [Open] reads the header, and of a discontinuous file (EDF+D, BDF+D) the onset of every record; samples are read when asked for, from
// an [io.ReaderAt], so a night of any length takes no memory. A [File] is safe for concurrent use.
//
// Times are seconds since the first sample, and [Header].Start is the wall-clock time of that sample, held in UTC since the formats know
// no zone. A plus file that begins within a second says so in its first annotation list; Start includes that fraction.
//
// Damage is met in one of three ways. What leaves no doubt is read, with a line in [Header].Warnings: a byte too many, a record cut
// short at the end, a count of records that is -1 or differs from the size (the size is right), a wrong length of the header. What
// spoils one signal only (a physical range that is no range) is an error of that signal's physical values. All else is an error of
// Open. No bytes make this package panic, and nothing is allocated because a header claims it: sizes are checked against the file
// and against the limits below.
//
// Go libraries that exist were looked at. github.com/kevinjos/goedf is under the GPL; github.com/ishiikurisu/edf reads whole files into
// memory, 16 bits only; github.com/eegdb/go-edflib wraps the C library EDFlib, which refuses discontinuous files, and would need
// cgo outside runtime/ort. So this is a reader of its own, compared with Python's edfio sample for sample.
//
// # Example
//
//	f, err := edf.OpenFile("SC4001E0-PSG.edf")
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	for i, s := range f.Header().Signals {
//		fmt.Println(i, s.Label, s.Rate(), s.Unit)
//	}
//	pieces, err := f.Span(0, 3600, 3630) // 30 seconds of the first signal; more than one piece where a gap is in between
package edf
