// Package hypnogram turns the annotations of scored sleep recordings into stages of the AASM, one for each epoch of 30 seconds: read,
// aligned to the recording, trimmed, and written for other programs.
//
// # The contract
//
// The texts of EDF+ are understood: "Sleep stage W, 1, 2, 3, 4, R" of Rechtschaffen and Kales, of which 3 and 4 are N3, "Sleep stage N1,
// N2, N3" of the AASM, and what other programs write for them, in any case: Wake, REM, NREM2, S2, N4, "Stage - N2", "SLEEP-S2", "Stage 2
// sleep". "Sleep stage ?", "Movement time" and what no annotation covers is [Unscored]. Other texts, as of lights and apnoeas, are not
// stages and change nothing. Only where a file has none of these are words alone stages ("N2", "REM"), which [Hypnogram].Warnings says;
// codes alone never are. [Options] has words of one's own.
//
// Epochs begin where most of the scored time says, which need not be the start of the file: [Hypnogram].Offset. An annotation covers the
// epochs between its onset and its end; a second off counts as on the grid. One without a duration, or with 0, lasts to the next
// annotation of a stage, as some scorers write them; where it is the last, one epoch. Where two disagree about an epoch the later one
// counts. Annotations in other steps, as pages of 20 seconds, score the epochs in which they agree; an epoch across two stages is
// Unscored. What lies before the start is cut. [Hypnogram].Warnings tells each of these, once, with how often it was met.
//
// Beside EDF+, [Options.Open] reads the XML of the NSRR and of Compumedics Profusion, the .annot files of Luna and the events.tsv of BIDS, whose
// times count from the start of the recording, and stages one a line, as Luna's .eannot and YASA's hypnograms have them, in words, letters or
// codes. These have no times: [Hypnogram.Fits] compares their number with the recording.
//
// [Trim] is the usual protocol of Sleep-EDF, whose recordings last a day: from 30 minutes (60 epochs) before the first epoch of sleep
// (N1, N2, N3, R) to 30 minutes after the last one. Unscored epochs count as time, not as sleep, and are dropped by whoever feeds a
// network, not here: the recording has samples there.
//
// [Align] lays the stages on the recording by the start times of both files; the epochs are those that were scored, also where the
// recording starts within one.
//
// # Example
//
//	h, err := hypnogram.Open("SC4001EC-Hypnogram.edf")
//	if err != nil {
//		return err
//	}
//	a, err := hypnogram.Align(h, psg.Header().Start, psg.Header().Seconds())
//	if err != nil {
//		return err
//	}
//	from, to := hypnogram.Trim(a.Stages, hypnogram.TrimEpochs)
//	first := a.Offset + float64(from)*hypnogram.EpochSeconds // seconds in the recording, of a.Stages[from:to]
package hypnogram
