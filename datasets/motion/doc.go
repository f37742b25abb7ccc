// Package motion reads recordings of accelerometers: HARTH and HAPT, CSV tables with named columns, ActiGraph GT3X and Axivity CWA files,
// all as one stream of samples with times, channels in stated units, and labels where there are some.
//
// # The contract
//
// A [Recording] says what it holds ([Header]) once it is open, and gives its samples a piece at a time ([Recording.Read]): times in seconds
// since Header.Start, values [samples, channels] in float32, a label each. No reader holds a recording: memory is that of a few thousand
// samples whatever the length of the file, 64 KiB of it and, of a CSV table, its first rows. (HAPT from a tar.gz is the exception, since
// its labels may stand behind the samples: 12 bytes a sample, 14 MB for all of it.)
//
// Times are those of the file, not those of a regular grid: what the sensor's clock did shows in them, and a gap is a gap. They always
// increase; of samples that do not, the later ones in the file are left out and counted. Values that are missing or not finite are NaN.
// Clocks of these devices know no time zone: Start is wall-clock time held in UTC unless Header.Zoned says otherwise.
//
// Damage is met in one of two ways. What leaves the rest usable (a row that is no row, a block with a wrong checksum, a file that is cut
// short) is left out or read in spite of the fault, which [Recording.Warnings] tells, with count and first place. What leaves no samples
// at all is an error, of opening or of reading: file, line or offset, cause. No bytes make this package panic, and nothing is allocated
// because a header claims it.
//
// # Formats
//
//   - CSV: a header; times as seconds, counts since 1970 (seconds to nanoseconds), or dates; comma, semicolon or tab.
//   - HARTH: https://archive.ics.uci.edu/dataset/779/harth, whose files differ in columns beside the named ones.
//   - HAPT ([OpenHAPT]): https://archive.ics.uci.edu/dataset/341, RawData/acc_expXX_userYY.txt and labels.txt.
//   - CWA: Axivity AX3 and AX6, as https://github.com/openmovementproject/openmovement, Docs/ax3/cwa.h, has it: packed and
//     16-bit samples, gyroscope and magnetometer, fractions of seconds.
//   - GT3X: https://github.com/actigraph/GT3X-File-Format, and the older one with an activity.bin, of
//     https://github.com/actigraph/NHANES-GT3X-File-Format.
//
// No Go library of these formats was found; these readers were written from the descriptions and are compared, sample for sample, with
// Python's actipy and pygt3x on files of our own making (testdata/generate.py, golden.py). Where those differ from the descriptions (actipy
// knows no fractions of a second in CWA, and has another formula for the temperature) the descriptions count.
//
// # Example
//
//	rec, err := motion.Open("P01.cwa", motion.Options{})
//	if err != nil {
//		return err
//	}
//	defer rec.Close()
//	times, values := make([]float64, 4096), make([]float32, 4096*len(rec.Header().Channels))
//	for {
//		n, err := rec.Read(times, values, nil)
//		if err == io.EOF {
//			break
//		}
//		if err != nil {
//			return err
//		}
//		use(times[:n], values)
//	}
package motion
