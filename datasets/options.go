package datasets

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// StreamBy says what decides the stream of a picture.
type StreamBy string

// The ways to make streams. The empty string means: by pattern if there is one, else by metadata if it tells streams, else by folder.
const (
	StreamByFolder   StreamBy = "folder"   // the folder of the file, relative to the root
	StreamByPattern  StreamBy = "pattern"  // Options.StreamPattern on the name
	StreamByMetadata StreamBy = "metadata" // Options.Metadata
)

// Format names a format of metadata.
type Format string

// The formats. The empty string finds the format from the name of the file: a folder or datapackage.json is Camtrap DP, .json is COCO
// Camera Traps, anything else is a CSV table; .gz is looked through.
const (
	FormatCSV        Format = "csv"
	FormatCCT        Format = "cct"          // COCO Camera Traps JSON
	FormatCamtrapDP  Format = "camtrapdp"    // Camtrap DP 1.0
	defaultFileField        = "file"         // of a CSV table
	defaultStream           = "stream"       // of a CSV table
	defaultTime             = "time"         // of a CSV table
	defaultLabel            = "label"        // of a CSV table
	defaultLocation         = "location"     // of COCO Camera Traps
	defaultDeploy           = "deploymentID" // of Camtrap DP
)

// Fields names the columns or fields of metadata. An empty name is the default, which may be absent except for File; a name that is
// given must exist.
type Fields struct {
	// File is the column of a CSV table that names the picture; default "file".
	File string
	// Folder is a column of a CSV table whose value, if any, stands before that of File with a slash between them. Two pairs are known by
	// their names, if neither column is given: RelativePath and File of Timelapse, Directory and FileName of camtrapR.
	Folder string
	// Stream is the column of a CSV table (default "stream"), the field of images[] of COCO Camera Traps (default "location"), or one of
	// deploymentID (default), locationID and locationName of Camtrap DP.
	Stream string
	// Time is the column of a CSV table that holds the capture time; default "time", "-": none.
	Time string
	// Label is the column of a CSV table that holds the true label; default "label".
	Label string
	// TimeLayout is a layout of [GoLayout] for times that are not in one of the forms of [ParseTime]. It is tried first.
	TimeLayout string
}

// Options says how to read a collection. The zero value takes streams from folders and times from EXIF.
type Options struct {
	// Streams says what decides the stream of a picture.
	Streams StreamBy
	// StreamPattern is a regular expression on Picture.Name. The stream is its group named "stream", else its first group, else the whole
	// match. A name that does not match is an error of List.
	StreamPattern string

	// Metadata is a file that knows more than the folder: a CSV table, COCO Camera Traps JSON, or datapackage.json of Camtrap DP or
	// its folder. Its times come before those of EXIF. Its labels are truth, for scoring.
	Metadata       string
	MetadataFormat Format
	Fields         Fields

	// NameTimes takes a time from the common forms of a date and time in a file name, as 20240501_102030 or 2009-04-21__00-40-00, where
	// metadata and EXIF tell none. Off by default: a name may well hold the time of the upload.
	NameTimes bool
	// TimePattern is a regular expression on Picture.Name, for the same purpose: its group named "time", else its first group, else the
	// whole match is read by TimeLayout, a layout of [GoLayout]. Both or neither.
	TimePattern string
	TimeLayout  string

	// Parallel is the number of files read at once for EXIF; default: the number of cores.
	Parallel int
	// Progress, unless nil, is told after each file how many of how many have been read for EXIF. Calls do not overlap.
	Progress func(done, total int)
}

// Validate returns the first thing that is wrong with the options, without looking at any file.
func (o Options) Validate() error {
	_, err := o.compile()
	return err
}

// settings is Options made ready: patterns compiled, choices resolved.
type settings struct {
	Options
	stream, time           *regexp.Regexp
	streamGroup, timeGroup int
}

// compile checks all of the options, so that what is wrong with them is said before a long walk and not after.
func (o Options) compile() (*settings, error) {
	s := &settings{Options: o}
	if err := errors.Join(o.checkStreams(), o.checkMetadata()); err != nil {
		return nil, err
	}
	if (o.TimePattern == "") != (o.TimeLayout == "") {
		return nil, errors.New("datasets: options TimePattern and TimeLayout: want both or neither")
	}
	for _, layout := range []*string{&s.TimeLayout, &s.Fields.TimeLayout} {
		var err error
		if *layout, err = GoLayout(*layout); err != nil {
			return nil, err
		}
	}
	if o.Parallel < 0 {
		return nil, fmt.Errorf("datasets: option Parallel: want 0 or more, got %d", o.Parallel)
	}
	var err error
	if s.stream, s.streamGroup, err = compilePattern("StreamPattern", o.StreamPattern, "stream"); err != nil {
		return nil, err
	}
	s.time, s.timeGroup, err = compilePattern("TimePattern", o.TimePattern, "time")
	return s, err
}

// checkStreams refuses a choice that lacks what it chooses.
func (o Options) checkStreams() error {
	switch o.Streams {
	case "", StreamByFolder:
	case StreamByPattern:
		if o.StreamPattern == "" {
			return errors.New("datasets: option Streams is pattern, but there is no StreamPattern")
		}
	case StreamByMetadata:
		if o.Metadata == "" {
			return errors.New("datasets: option Streams is metadata, but there is no Metadata")
		}
	default:
		return fmt.Errorf("datasets: option Streams: want folder, pattern or metadata, got %q", o.Streams)
	}
	return nil
}

// checkMetadata refuses settings of metadata without metadata: most likely a flag has been forgotten.
func (o Options) checkMetadata() error {
	if !slices.Contains([]Format{"", FormatCSV, FormatCCT, FormatCamtrapDP}, o.MetadataFormat) {
		return fmt.Errorf("datasets: option MetadataFormat: want csv, cct or camtrapdp, got %q", o.MetadataFormat)
	}
	if o.Metadata == "" && (o.MetadataFormat != "" || o.Fields != Fields{}) {
		return errors.New("datasets: options MetadataFormat and Fields are for Metadata, and there is none")
	}
	return nil
}

// compilePattern compiles a pattern, if there is one, and finds the group to take: the named one, else the first, else the whole match.
func compilePattern(option, pattern, name string) (*regexp.Regexp, int, error) {
	if pattern == "" {
		return nil, 0, nil
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, 0, fmt.Errorf("datasets: option %s: %w", option, err)
	}
	return re, GroupOf(re, name), nil
}

// GroupOf returns the group of an expression that a pattern of this program means: the one of that name, else the first, else the whole
// match.
func GroupOf(re *regexp.Regexp, name string) int {
	if i := re.SubexpIndex(name); i >= 0 {
		return i
	}
	return min(1, re.NumSubexp())
}
