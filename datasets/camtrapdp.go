package datasets

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/internal/table"
	"github.com/oatta/oatta/datasets/internal/textfile"
)

// Camtrap DP (https://camtrap-dp.tdwg.org, version 1.0) is a Frictionless data package: datapackage.json names the tables deployments,
// media and observations, CSV files beside it, perhaps compressed. A deployment is a camera at a place for a time; media are its pictures;
// an observation is about one of the media, or about an event, which is a stretch of time of a deployment.

// The tables.
const (
	dpDeployments  = "deployments"
	dpMedia        = "media"
	dpObservations = "observations"
)

// maxPackage is the most bytes of a datapackage.json.
const maxPackage = 16 << 20

// camtrapPackage is where the tables of a package are.
type camtrapPackage struct {
	Profile   string `json:"profile"`
	Resources []struct {
		Name string   `json:"name"`
		Path dataPath `json:"path"`
	} `json:"resources"`
	dir string
}

// dataPath is one path or a list of paths, which are parts of one table.
type dataPath []string

// UnmarshalJSON implements [json.Unmarshaler].
func (p *dataPath) UnmarshalJSON(b []byte) error {
	var one string
	if err := json.Unmarshal(b, &one); err == nil {
		*p = nil
		if one != "" { // null, or empty
			*p = dataPath{one}
		}
		return nil
	}
	var list []string
	err := json.Unmarshal(b, &list)
	*p = list
	return err
}

// openPackage reads datapackage.json, given its path or its folder. A folder without one is taken to hold the tables under their usual
// names.
func openPackage(name string) (*camtrapPackage, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("datasets: %s: %w", message.Show(name), message.Cause(err))
	}
	if !info.IsDir() {
		return readPackage(name)
	}
	file := filepath.Join(name, "datapackage.json")
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		return &camtrapPackage{dir: name}, nil
	}
	return readPackage(file)
}

// readPackage reads the descriptor; the tables lie beside it, whatever the working folder.
func readPackage(file string) (*camtrapPackage, error) {
	in, err := textfile.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	p, err := parsePackage(in)
	if err != nil {
		return nil, fmt.Errorf("datasets: %s: %w", message.Show(file), err)
	}
	p.dir = filepath.Dir(file)
	return p, nil
}

// parsePackage reads a descriptor. It is small, so it is read whole, but not without a limit.
func parsePackage(r io.Reader) (*camtrapPackage, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxPackage+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxPackage {
		return nil, fmt.Errorf("more than %d MiB", maxPackage>>20)
	}
	p := &camtrapPackage{}
	if err := json.Unmarshal(b, p); err != nil {
		return nil, err
	}
	return p, nil
}

// paths returns the files of a table; none if the package does not have it.
func (p *camtrapPackage) paths(table string) ([]string, error) {
	if p.Resources == nil {
		return p.usualPaths(table), nil
	}
	var out []string
	for _, r := range p.Resources {
		if r.Name != table {
			continue
		}
		for _, part := range r.Path {
			// Frictionless forbids absolute paths and "..": a package must not reach out of its folder.
			if !filepath.IsLocal(filepath.FromSlash(part)) || strings.Contains(part, "://") {
				return nil, fmt.Errorf("datasets: %s: resource %s: path %s: want a path within the package, downloaded if it is remote",
					message.Show(filepath.Join(p.dir, "datapackage.json")), table, message.Show(part))
			}
			out = append(out, filepath.Join(p.dir, filepath.FromSlash(part)))
		}
	}
	return out, nil
}

// usualPaths returns a table under the name that exporters give it, for packages that came without their descriptor.
func (p *camtrapPackage) usualPaths(table string) []string {
	for _, ext := range []string{".csv", ".csv.gz"} {
		file := filepath.Join(p.dir, table+ext)
		if _, err := os.Stat(file); err == nil {
			return []string{file}
		}
	}
	return nil
}

// camtrapReader gathers the tables.
type camtrapReader struct {
	ctx    context.Context
	fields Fields
	want   wanted
	md     *metadata
	stream map[string]string // of a deployment, where streams are places
	// What is kept of media, by record: deployment, and the labels that observations give.
	deployment []string
	labels     []labelSet
	byMedia    map[string]int // of a mediaID, its record
	events     map[string][]event
	machine    few // pictures whose label a machine gave
}

// readCamtrapDP reads Camtrap DP metadata, given the path of datapackage.json or its folder.
func readCamtrapDP(ctx context.Context, name string, f Fields, want wanted) (*metadata, error) {
	p, err := openPackage(name)
	if err != nil {
		return nil, err
	}
	c, err := newCamtrapReader(ctx, f, want)
	if err != nil {
		return nil, err
	}
	if _, version, ok := strings.Cut(p.Profile, "camtrap-dp/"); ok && !strings.HasPrefix(version, "1.") {
		c.md.warnings = append(c.md.warnings, fmt.Sprintf("%s: profile %s is not Camtrap DP 1.0, read as if it were", message.Show(filepath.Base(name)), message.Show(p.Profile)))
	}
	for _, t := range []struct {
		table    string
		needed   bool
		readFrom func(string, io.Reader) error
	}{
		{dpDeployments, c.stream != nil, c.readDeployments},
		{dpMedia, true, c.readMedia},
		{dpObservations, false, c.readObservations},
	} {
		if t.table == dpDeployments && !t.needed {
			continue
		}
		if err := c.table(p, t.table, t.needed, t.readFrom); err != nil {
			return nil, err
		}
	}
	c.finish(filepath.Base(name))
	return c.md, nil
}

// newCamtrapReader checks which field is the stream. Deployments are looked at only where that is a place: usually the table of media
// tells all that is needed.
func newCamtrapReader(ctx context.Context, f Fields, want wanted) (*camtrapReader, error) {
	c := &camtrapReader{
		ctx: ctx, fields: f, want: want, md: &metadata{}, byMedia: map[string]int{}, events: map[string][]event{},
	}
	switch f.Stream {
	case "", defaultDeploy:
	case "locationID", "locationName":
		c.stream = map[string]string{}
	default:
		return nil, fmt.Errorf("datasets: option Fields.Stream: Camtrap DP has deploymentID, locationID and locationName, got %q", f.Stream)
	}
	return c, nil
}

// table reads all the parts of a table.
func (c *camtrapReader) table(p *camtrapPackage, name string, needed bool, readFrom func(string, io.Reader) error) error {
	files, err := p.paths(name)
	if err != nil {
		return err
	}
	if len(files) == 0 && needed {
		return fmt.Errorf("datasets: %s: no table %s, so not Camtrap DP", message.Show(p.dir), name)
	}
	for _, file := range files {
		in, err := textfile.Open(file)
		if err != nil {
			return err
		}
		err = readFrom(file, in)
		_ = in.Close() // read only
		if err != nil {
			return err
		}
	}
	return nil
}

// eachRow calls f for each row of a table with the values of columns, of which the first ones are required.
func (c *camtrapReader) eachRow(name string, r io.Reader, required int, columns []string, f func(t *table.Reader, v []string)) error {
	t, err := table.New(name, r, 0)
	if err != nil {
		return err
	}
	index, err := t.Columns(required, columns...)
	if err != nil {
		return err
	}
	v := make([]string, len(columns))
	return t.Each(func(row table.Row) error {
		for i, column := range index {
			v[i] = row.Get(column)
		}
		f(t, v)
		return c.ctx.Err()
	})
}

// readDeployments notes the place of each deployment.
func (c *camtrapReader) readDeployments(name string, r io.Reader) error {
	return c.eachRow(name, r, 2, []string{"deploymentID", c.fields.Stream}, func(_ *table.Reader, v []string) {
		c.stream[v[0]] = v[1]
	})
}

// readMedia keeps the pictures that could be here; the rows of all others leave nothing but their count.
func (c *camtrapReader) readMedia(name string, r io.Reader) error {
	columns := []string{"mediaID", "deploymentID", "timestamp", "filePath", "fileName", "fileMediatype"}
	return c.eachRow(name, r, 4, columns, func(t *table.Reader, v []string) {
		if v[5] != "" && !strings.HasPrefix(v[5], "image/") {
			return // videos and sound are none of ours
		}
		rec := record{stream: v[1]}
		rec.file, rec.other = mediaNames(v[0], v[1], v[3], v[4])
		if !c.want.has(rec.file) && !c.want.has(rec.other) {
			c.md.absent.add(cmp.Or(rec.file, v[0]))
			return
		}
		if c.stream != nil {
			rec.stream = c.stream[v[1]]
		}
		c.md.setTime(&rec, v[2], c.fields.TimeLayout, t.Place())
		c.byMedia[v[0]] = len(c.md.records)
		c.md.records = append(c.md.records, rec)
		c.deployment = append(c.deployment, v[1])
		c.labels = append(c.labels, labelSet{})
	})
}

// mediaNames returns the names by which a file may go here. A filePath is one, with the fileName as the other. Where it is a URL the files
// have been fetched under names of the user's choice: fileName, perhaps in a folder for each deployment, or the mediaID.
func mediaNames(id, deployment, filePath, fileName string) (file, other string) {
	if !strings.Contains(filePath, "://") && filePath != "" {
		return cleanName(filePath), cleanName(fileName)
	}
	if fileName == "" {
		fileName = urlBase(filePath)
	}
	return cleanName(deployment + "/" + fileName), cleanName(id)
}

// urlBase returns the last element of the path of a URL, "" if it has none.
func urlBase(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Path == "" {
		return ""
	}
	return path.Base(u.Path)
}
