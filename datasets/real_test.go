package datasets

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets/internal/table"
	"github.com/oatta/oatta/datasets/internal/textfile"
	"github.com/oatta/oatta/internal/testdata"
)

// summary prints a listing of real pictures stream by stream: how many, how many with time, first and last.
func summary(l *Listing) string {
	var b strings.Builder
	for _, s := range l.Streams() {
		first, last := s.Pictures[0], s.Pictures[len(s.Pictures)-1]
		fmt.Fprintf(&b, "%s: %d pictures, %d timed, %s%s to %s%s\n", s.Name, len(s.Pictures), s.Timed(), first.Name, timeText(first), last.Name, timeText(last))
	}
	fmt.Fprintf(&b, "labelled %d, failures %d, ignored %v\n", l.Labelled(), len(l.Failures), l.Ignored)
	for _, w := range l.Warnings {
		fmt.Fprintln(&b, w)
	}
	return b.String()
}

func TestRealFolders(t *testing.T) {
	root := testdata.Shared(t, "data", "cameratrap", "images")
	l, err := List(context.Background(), root, Options{})
	must(t, err)
	golden(t, "real_folders.txt", summary(l))

	// camtrapR keeps a folder per species within each station: the stations are the cameras.
	l, err = List(context.Background(), filepath.Join(root, "camtrapR", "sample_images_species_dir"), Options{StreamPattern: `^(Station.)/`})
	must(t, err)
	golden(t, "real_stations.txt", transcript(l, nil))
}

// camtrapDP returns the folder of the example of Camtrap DP.
func camtrapDP(t *testing.T) string {
	t.Helper()
	const folder = "data/cameratrap/camtrapdp_example"
	root := testdata.Tree(t, folder+"/datapackage.json", folder+"/deployments.csv", folder+"/media.csv", folder+"/observations.csv")
	return filepath.Join(root, filepath.FromSlash(folder))
}

// The ten pictures of the Camtrap DP example with the package that they come from, whose media name them by fileName and URL.
func TestRealCamtrapDP(t *testing.T) {
	root := filepath.Join(testdata.Root(), "datasets", "samples", "heron")
	meta := camtrapDP(t)
	l, err := List(context.Background(), root, Options{Metadata: meta, Fields: Fields{Stream: "locationName"}})
	must(t, err)
	golden(t, "real_camtrapdp.txt", transcript(l, nil))
}

// Every picture of the package, as if all 423 had been fetched, by deployment.
func TestRealCamtrapDPWhole(t *testing.T) {
	meta := camtrapDP(t)
	f, err := textfile.Open(filepath.Join(meta, "media.csv"))
	must(t, err)
	defer f.Close()
	rows, err := table.New("media.csv", f, 0)
	must(t, err)
	files := map[string]string{}
	for {
		row, err := rows.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		files["all/"+row.Get(1)+"/"+row.Get(6)] = plainJPEG
	}
	if len(files) != 423 {
		t.Fatalf("%d files", len(files))
	}
	l, err := List(context.Background(), tree(t, files), Options{Metadata: meta})
	must(t, err)
	golden(t, "real_camtrapdp_whole.txt", summary(l)+classes(l))
}

// classes counts the labels of a listing, stream by stream.
func classes(l *Listing) string {
	var b strings.Builder
	for _, s := range l.Streams() {
		counts := map[string]int{}
		for _, p := range s.Pictures {
			counts[p.Label]++
		}
		fmt.Fprintf(&b, "%s: %v\n", s.Name, counts) // package fmt sorts the keys
	}
	return b.String()
}

// A year of one camera of Caltech Camera Traps, as a table whose ids are names without extension and as COCO Camera Traps JSON: one order, the
// table's own.
func TestRealYear(t *testing.T) {
	path := testdata.Shared(t, "data", "cameratrap", "iwildcam2019_cct_loc46_labels.csv")
	f, err := textfile.Open(path)
	must(t, err)
	defer f.Close()
	rows, err := table.New("labels", f, 0)
	must(t, err)
	files, names := map[string]string{}, []string{}
	var images, annotations []map[string]any
	for {
		row, err := rows.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		id := row.Get(0)
		files[id+".jpg"] = ""
		names = append(names, id+".jpg "+row.Get(4))
		images = append(images, map[string]any{"id": id, "file_name": id + ".jpg", "location": 46, "datetime": row.Get(2), "seq_id": row.Get(8)})
		annotations = append(annotations, map[string]any{"image_id": id, "category_id": row.Get(4)})
	}
	cct, err := json.Marshal(map[string]any{"images": images, "annotations": annotations})
	must(t, err)
	meta := filepath.Join(tree(t, map[string]string{"cct.json": string(cct)}), "cct.json")
	root := tree(t, files)
	for _, opt := range []Options{
		{Metadata: path, Fields: Fields{File: "id", Stream: "location", Time: "date_captured", Label: "category"}},
		{Metadata: meta},
	} {
		l, err := List(context.Background(), root, opt)
		must(t, err)
		if len(l.Pictures) != 6145 || len(l.Streams()) != 1 || l.Labelled() != 6145 || len(l.Warnings) != 0 {
			t.Errorf("%d pictures, %d streams, %d labels, warnings %q", len(l.Pictures), len(l.Streams()), l.Labelled(), l.Warnings)
		}
		// The table is in time order, but pictures of one second stand in it in any order: compare where the time moves.
		same, sum := 0, 0
		for i, p := range l.Pictures {
			if p.Name+" "+p.Label == names[i] {
				same++
			}
			if i > 0 && p.Label == l.Pictures[i-1].Label {
				sum++
			}
		}
		if share := float64(sum) / 6144; share < 0.83 || share > 0.85 {
			t.Errorf("P(same as before) is %.3f, the source says 0.84", share)
		}
		if same < 6000 {
			t.Errorf("%d of 6145 pictures are where the table has them", same)
		}
	}
}
