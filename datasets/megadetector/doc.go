// Package megadetector reads the results format of MegaDetector, boxes and classes, and writes it back with what was added. What it does
// not understand stays as it is.
//
// # Format
//
// https://lila.science/megadetector-output-format, versions 1.0 to 1.6 and any other 1.x: images[] with file, detections[] and failure; a
// detection has a category, a conf from 0 to 1 and a bbox [x, y, width, height] in shares of the picture, from its upper left corner.
// MegaDetector turns JPEG files as EXIF says before it looks at them, so boxes are of the picture as it is shown. (It leaves the four
// mirrored orientations as stored, and EXIF in other formats; no camera is known to write either.) Other fields, of films too, are kept
// and mean nothing here. NaN and Infinity, which Python writes and JSON does not know, are unknown
// values, as null is. Where a file is spliced, as by package predictions, they come out as they came; where its pieces become another
// file, they are null.
//
// [Read] takes the results for their boxes: a file that is not that format is an error, and what is wrong with one detection is that
// detection's, told by [Detection.Check]. [File.Member] takes them for their classifications, and leaves alone what is wrong elsewhere.
//
// # Whose picture is it
//
// [File.Match] pairs the file's images with the pictures of a listing, by the one rule that names of files are paired by
// ([datasets.PairNames]). Cameras call their pictures alike, and the box of another picture would look right: what could be of several is an error.
//
// # Example
//
//	f, err := megadetector.Open("detections.json")
//	...
//	of, note, err := f.Match(listing.Pictures)
//	for i, picture := range listing.Pictures {
//		if of[i] >= 0 {
//			fmt.Println(picture.Name, len(f.Images[of[i]].Detections))
//		}
//	}
package megadetector
