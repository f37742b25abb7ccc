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
		base := strings.ToLower(path.Base(it.Name))
		w[base], w[strings.TrimSuffix(base, path.Ext(base))] = true, true
	}
	return w
}

// has is never false for a name that matchFiles could pair; it may be true for others.
func (w wanted) has(name string) bool {
	return name != "" && w[strings.ToLower(path.Base(cleanName(name)))]
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
	s.join(l, items, md)
	return nil
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
		open := func() (*input, error) { return openInput(s.Metadata) }
		return readCCT(ctx, s.Metadata, open, s.Fields, want)
	}
	in, err := openInput(s.Metadata)
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
		return "", fmt.Errorf("datasets: %s: %w", show(s.Metadata), cause(err))
	}
	base := strings.TrimSuffix(strings.ToLower(info.Name()), ".gz")
	switch {
	case s.MetadataFormat != "":
		return s.MetadataFormat, nil
	case info.IsDir() || base == "datapackage.json":
		return FormatCamtrapDP, nil
	case strings.HasSuffix(base, ".zip"):
		return "", fmt.Errorf("datasets: %s: metadata in a zip archive: unpack it first", show(s.Metadata))
	case strings.HasSuffix(base, ".json"):
		return FormatCCT, nil
	}
	return FormatCSV, nil
}

// join gives the items what the records say, and tells what does not fit.
func (s *settings) join(l *Listing, items []*item, md *metadata) {
	names := make([]string, len(items))
	for i, it := range items {
		names[i] = it.Name
	}
	differing := md.unite()
	of, unclear := matchRecords(names, md.records)
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
	name := filepath.Base(s.Metadata)
	if unnamed.n > 0 {
		then := "nothing is known of the others"
		if s.byMetadata() {
			then = "the others take their folder as stream"
		}
		l.warn("%s: names %d of %s; %s: %s", show(name), len(items)-unnamed.n, count(len(items), "picture"), then, unnamed.String())
	}
	l.warnMetadata(name, md, unclear, differing)
	// A table without streams is no reason to worry unless streams were asked of it.
	if s.Streams == StreamByMetadata && noStream.n > 0 || s.byMetadata() && noStream.n > 0 && noStream.n < len(items)-unnamed.n {
		l.warn("%s: %s without a stream take their folder's: %s", show(name), count(noStream.n, "picture"), noStream.String())
	}
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
func matchRecords(pictures []string, records []record) (of []int, unclear few) {
	first := make([]string, len(records))
	for j, r := range records {
		first[j] = r.file
	}
	of, unclear = matchFiles(pictures, first)
	used := make([]bool, len(records))
	for _, j := range of {
		if j >= 0 {
			used[j] = true
		}
	}
	var left, second []string
	var leftAt, secondAt []int
	for i, p := range pictures {
		if of[i] < 0 {
			left, leftAt = append(left, p), append(leftAt, i)
		}
	}
	for j, r := range records {
		if r.other != "" && !used[j] {
			second, secondAt = append(second, r.other), append(secondAt, j)
		}
	}
	if len(left) == 0 || len(second) == 0 {
		return of, unclear
	}
	again, unclear2 := matchFiles(left, second)
	for i, j := range again {
		if j >= 0 {
			of[leftAt[i]] = secondAt[j]
		}
	}
	if unclear2.n > 0 {
		unclear = unclear2
	}
	return of, unclear
}

// warnMetadata tells what of the metadata and of the folder does not fit together.
func (l *Listing) warnMetadata(name string, md *metadata, unclear, differing few) {
	name = show(name)
	if unclear.n > 0 {
		l.warn("%s: %s could be any of several files that it names, and match none: %s", name, count(unclear.n, "picture"), unclear.String())
	}
	if differing.n > 0 {
		l.warn("%s: says different things of %s, which it is not believed about: %s", name, count(differing.n, "file"), differing.String())
	}
	if md.absent.n > 0 {
		l.warn("%s: names %s that are not here: %s", name, count(md.absent.n, "file"), md.absent.String())
	}
	if md.badTimes.n > 0 {
		l.warn("%s: %s could not be read: %s", name, count(md.badTimes.n, "time"), md.badTimes.String())
	}
	if md.ambiguous.n > 0 {
		l.warn("%s: %s with several different labels, left without one: %s", name, count(md.ambiguous.n, "picture"), md.ambiguous.String())
	}
}

// setTime reads the time of a record.
func (md *metadata) setTime(r *record, text, layout, place string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	t, zoned, ok := parseTime(text, layout)
	if !ok {
		md.badTimes.add(fmt.Sprintf("%q (%s)", text[:min(len(text), 40)], place))
		return
	}
	r.time, r.zoned = t, zoned
}
