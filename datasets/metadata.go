package datasets

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/internal/textfile"
)

// record is what metadata says about one picture.
type record struct {
	file     string // path of the picture, or its name, in the form of Picture.Name
	other    string // a second name by which the picture may go; "" none
	stream   string
	time     time.Time
	zoned    bool
	label    string
	sequence string
	frame    int
}

// metadata is what a file of metadata says about the pictures at hand.
type metadata struct {
	records   []record
	absent    few // files named that no picture has the base name of
	badTimes  few // times that could not be read
	badFrames few // numbers in sequences that could not be read
	views     few // streams that are of one of several views of a location
	ambiguous few // pictures with several different labels, which therefore have none
	warnings  []string
}

// wanted tells for a file name of metadata whether it could be one of the pictures, by base name with or without extension. It keeps out of
// memory what a collection of millions says about the pictures that are not here.
type wanted map[string]bool

// newWanted notes the base names of the items, with and without extension, as matchFiles may pair either.
func newWanted(items []*item) wanted {
	w := wanted{}
	for _, it := range items {
		base := path.Base(FoldName(it.Name))
		w[base], w[strings.TrimSuffix(base, path.Ext(base))] = true, true
	}
	return w
}

// has is never false for a name that matchFiles could pair; it may be true for others.
func (w wanted) has(name string) bool {
	return name != "" && w[path.Base(FoldName(name))]
}

// applyMetadata reads the metadata of the options and gives the items what it says about them.
func (s *settings) applyMetadata(ctx context.Context, l *Listing, items []*item) error {
	if s.Metadata == "" {
		return nil
	}
	if len(items) == 0 {
		return nil // List will say so
	}
	md, err := s.readMetadata(ctx, newWanted(items))
	if err != nil {
		return err
	}
	l.Warnings = append(l.Warnings, md.warnings...)
	return s.join(l, items, md)
}

// readMetadata reads the metadata in its format.
func (s *settings) readMetadata(ctx context.Context, want wanted) (*metadata, error) {
	format, err := s.format()
	if err != nil {
		return nil, err
	}
	switch format {
	case FormatCamtrapDP:
		return readCamtrapDP(ctx, s.Metadata, s.Fields, want)
	case FormatCCT:
		open := func() (*textfile.File, error) { return textfile.Open(s.Metadata) }
		return readCCT(ctx, s.Metadata, open, s.Fields, want)
	}
	in, err := textfile.Open(s.Metadata)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readCSV(ctx, s.Metadata, in, s.Fields, want)
}

// format resolves the format of the metadata from its name.
func (s *settings) format() (Format, error) {
	info, err := os.Stat(s.Metadata)
	if err != nil {
		return "", fmt.Errorf("datasets: %s: %w", message.Show(s.Metadata), message.Cause(err))
	}
	base := strings.TrimSuffix(strings.ToLower(info.Name()), ".gz")
	switch {
	case s.MetadataFormat != "":
		return s.MetadataFormat, nil
	case info.IsDir() || base == "datapackage.json":
		return FormatCamtrapDP, nil
	case strings.HasSuffix(base, ".zip"):
		return "", fmt.Errorf("datasets: %s: metadata in a zip archive: unpack it first", message.Show(s.Metadata))
	case strings.HasSuffix(base, ".json"):
		return FormatCCT, nil
	}
	return FormatCSV, nil
}

// join gives the items what the records say, and tells what does not fit. Metadata that says nothing of any item is an error: most likely
// it is that of another collection, or names its files in another way.
func (s *settings) join(l *Listing, items []*item, md *metadata) error {
	names, places := make([]string, len(items)), make([]string, len(items))
	for i, it := range items {
		names[i], places[i] = it.Name, placeOf(&it.Picture)
	}
	differing := md.unite()
	p := matchRecords(names, places, md.records)
	of := p.of
	used := make([]bool, len(md.records))
	var unnamed, noStream few
	for i, it := range items {
		if of[i] < 0 {
			unnamed.add(it.Name)
			continue
		}
		used[of[i]] = true
		r := &md.records[of[i]]
		s.take(it, r)
		if r.stream == "" {
			noStream.add(it.Name)
		}
	}
	for j, r := range md.records {
		if !used[j] {
			md.absent.add(r.file)
		}
	}
	if unnamed.n == len(items) {
		return s.noMatch(unnamed, md.absent, differing)
	}
	name := message.Show(filepath.Base(s.Metadata))
	s.warnUnnamed(l, name, len(items), unnamed)
	l.warnPairing(name, names, p)
	l.warnMetadata(name, md, differing)
	return s.checkNoStream(l, name, len(items)-unnamed.n, noStream)
}

// noMatch is the error of metadata that matches no picture. It names the first of both sides, which shows how they differ.
func (s *settings) noMatch(pictures, files, differing few) error {
	var says []string
	if files.n > 0 {
		says = append(says, "it names "+files.String())
	}
	if differing.n > 0 {
		says = append(says, "it says different things of "+differing.String())
	}
	if says == nil {
		says = []string{"it names no file"}
	}
	return fmt.Errorf("datasets: %s: matches none of the pictures: they are %s; %s", message.Show(s.Metadata), pictures.String(), strings.Join(says, "; "))
}

// warnUnnamed tells of the pictures that metadata does not name.
func (s *settings) warnUnnamed(l *Listing, name string, all int, unnamed few) {
	if unnamed.n == 0 {
		return
	}
	then := "nothing is known of " + choose(unnamed.n, "the other", "the others")
	if s.byMetadata() {
		then = choose(unnamed.n, "the other takes its folder as stream", "the others take their folder as stream")
	}
	l.warn("%s: names %d of %s; %s: %s", name, all-unnamed.n, message.Count(all, "picture"), then, unnamed.String())
}

// checkNoStream tells of pictures that metadata names without a stream; matched is how many it names. That none has one is no reason to
// worry unless streams were asked of the metadata, and then it is an error.
func (s *settings) checkNoStream(l *Listing, name string, matched int, noStream few) error {
	all := noStream.n == matched
	switch {
	case noStream.n == 0 || !s.byMetadata() || all && s.Streams != StreamByMetadata:
		return nil
	case all:
		return fmt.Errorf("datasets: %s: streams are to come from here, and it tells none of any picture that it names: %s",
			message.Show(s.Metadata), noStream.String())
	}
	l.warn("%s: %s without a stream %s folder's: %s",
		name, message.Count(noStream.n, "picture"), choose(noStream.n, "takes its", "take their"), noStream.String())
	return nil
}

// byMetadata reports whether the metadata may decide streams.
func (s *settings) byMetadata() bool {
	return s.Streams == StreamByMetadata || s.Streams == "" && s.stream == nil
}

// take copies from a record to an item what the options want.
func (s *settings) take(it *item, r *record) {
	if s.byMetadata() {
		it.Stream = r.stream
	}
	if !r.time.IsZero() {
		it.setTime(r.time, r.zoned, TimeFromMetadata)
	}
	it.Label, it.sequence, it.frame = r.label, r.sequence, r.frame
}

// unite merges repeated records of one file. Where they differ in the label alone the picture has none: it shows several things. Where they
// differ in more, all of them are dropped and the file is told.
func (md *metadata) unite() (differing few) {
	first := make(map[string]int, len(md.records))
	bad, unclear := map[string]bool{}, map[string]bool{}
	out := md.records[:0]
	for _, r := range md.records {
		i, ok := first[r.file]
		switch {
		case !ok:
			first[r.file] = len(out)
			out = append(out, r)
		case bad[r.file]:
		case !out[i].agrees(r):
			bad[r.file] = true
			differing.add(r.file)
		case out[i].label != r.label && !unclear[r.file]:
			unclear[r.file] = true
			out[i].label = ""
			md.ambiguous.add(r.file)
		}
	}
	md.records = slices.DeleteFunc(out, func(r record) bool { return bad[r.file] })
	return differing
}

// agrees reports whether two records say the same but for the label.
func (r record) agrees(o record) bool {
	return r.stream == o.stream && r.time.Equal(o.time) && r.sequence == o.sequence && r.frame == o.frame
}

// matchRecords matches by the path of the records first, then what is left by their second names.
func matchRecords(pictures, places []string, records []record) pairing {
	first := make([]string, len(records))
	for j, r := range records {
		first[j] = r.file
	}
	p := matchPlaced(pictures, places, first)
	used := takenOf(p.of)
	var left, where, second []string
	var leftAt, secondAt []int
	for i, name := range pictures {
		if p.of[i] < 0 {
			left, where, leftAt = append(left, name), append(where, places[i]), append(leftAt, i)
		}
	}
	for j, r := range records {
		if r.other != "" && !used[j] {
			second, secondAt = append(second, r.other), append(secondAt, j)
		}
	}
	if len(left) == 0 || len(second) == 0 {
		return p
	}
	again := matchPlaced(left, where, second)
	for i, j := range again.of {
		if j >= 0 {
			p.of[leftAt[i]], p.doubts[leftAt[i]] = secondAt[j], noDoubt
		} else if again.doubts[i] != noDoubt {
			p.doubts[leftAt[i]] = again.doubts[i]
		}
	}
	return p
}

// warnMetadata tells what of the metadata and of the folder does not fit together.
func (l *Listing) warnMetadata(name string, md *metadata, differing few) {
	if differing.n > 0 {
		l.warn("%s: says different things of %s, which it is not believed about: %s", name, message.Count(differing.n, "file"), differing.String())
	}
	if n := md.absent.n; n > 0 {
		l.warn("%s: names %s that %s not here: %s", name, message.Count(n, "file"), choose(n, "is", "are"), md.absent.String())
	}
	if md.badTimes.n > 0 {
		l.warn("%s: %s could not be read: %s", name, message.Count(md.badTimes.n, "time"), md.badTimes.String())
	}
	if md.badFrames.n > 0 {
		l.warn("%s: %s of frames could not be read: %s", name, message.Count(md.badFrames.n, "number"), md.badFrames.String())
	}
	if md.views.n > 0 {
		l.warn("%s: %s of one view of a location, its sub_location (the stream field location takes the views together): %s",
			name, choose(md.views.n, "1 stream is", fmt.Sprintf("%d streams are", md.views.n)), md.views.String())
	}
	if md.ambiguous.n > 0 {
		l.warn("%s: %s with several different labels, left without one: %s", name, message.Count(md.ambiguous.n, "picture"), md.ambiguous.String())
	}
}

// setTime reads the time of a record.
func (md *metadata) setTime(r *record, text, layout, place string) {
	if NoTime(text) {
		return
	}
	t, zoned, ok := parseTime(text, layout)
	if !ok {
		md.badTimes.add(fmt.Sprintf("%q (%s)", text[:min(len(text), 40)], place))
		return
	}
	r.time, r.zoned = t, zoned
}
