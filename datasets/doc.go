// Package datasets reads collections: readers, identity splits, controlled streams S1 to S5. Here is the reader of camera-trap
// pictures, which turns a folder into ordered streams, with labels where there are some.
//
// # The contract
//
// [List] walks a folder and returns a [Listing]: the pictures of one stream after another, each stream in its own time order. A stream
// is what belongs together, usually one camera; the order inside it is what the filter of package adapt feeds on. The result depends
// on the files and the options alone, never on the number of workers or on the order in which a file system tells names.
//
// Nothing is decoded here. A file that ends in .jpg and holds text is listed; the decoder will record its failure in its place.
// What cannot even be listed (an unreadable folder, a raw format) is in Listing.Failures; what is no picture is counted in Listing.Ignored.
//
// # Streams
//
// By folder unless the options say otherwise: a path pattern, or metadata (a CSV table, COCO Camera Traps JSON, a Camtrap DP package).
// Pictures that the metadata does not name fall back to their folder, with a warning; metadata that matches no picture is an error.
//
// A folder's stream is its path relative to the root. Pictures directly in the root have the base name of the root's absolute path, so that
// the results of several cameras, run one by one, can be joined. Where the root holds a folder of its own name with pictures in it, its own
// ones have the stream "." and so stay apart; also in the top folder of a file system, which has no name. Of several roots, and of
// files given one by one, [ListAll] tells the names.
//
// # Order
//
// Sources of time are the metadata, then EXIF, then the name if asked for. Clocks of cameras know no UTC offset: such a time is
// wall-clock time held in UTC, and Picture.Zoned is false. Where a stream holds times of both kinds all are compared as wall-clock times.
// Within a stream the key is
//
//	(time, sequence, frame number, natural order of names)
//
// A picture without a time sorts by the time of its predecessor in natural order of names (or of the first picture that has one), so that
// one damaged file keeps its place and moves no other. A stream without any time is in natural order of names: img2 before img10.
//
// A number in a name is a run of digits, but not in a hexadecimal name, as a UUID ([CompareNatural]).
//
// # Names of files
//
// Metadata, labels and a detector's boxes name pictures as the program and the system wrote them that made the table. Names are compared as
// [FoldName] writes them, whole or by their ends at the borders of folders, where no other file of either side ends so; never by base names
// against folders that say otherwise, as the cameras of a collection have files of equal names. What is ambiguous is left out and told.
// [Labels.Apply] does so for a listing, [LabelFinder] for files that come one by one, where it is an error.
//
// # Other collections
//
// What people publish is read as it is published: COCO Camera Traps JSON (Caltech Camera Traps, UNSW Predators and all others of LILA: their
// field location is the stream), tables with columns of any names (Options.Fields), Camtrap DP. [ReadCIFAR] reads CIFAR-10, CIFAR-10.1
// and CIFAR-10-C; recordings of sleep are in package edf, of movement in motion, posts in posts. [SplitIdentities] divides cameras, people or users
// as the paper does, and [S1] to [S5], [NoShiftS2] and [NoShiftS4] are its controlled streams. What is random has a seed, and gives the same
// for it always.
//
// # Example
//
//	list, err := datasets.List(ctx, "pictures", datasets.Options{})
//	if err != nil {
//		return err
//	}
//	for _, stream := range list.Streams() {
//		fmt.Println(stream.Name, len(stream.Pictures))
//	}
package datasets
