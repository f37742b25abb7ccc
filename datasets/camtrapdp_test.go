package datasets

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// dpTree is a package with two deployments at one place, media by path and by URL, and observations of all kinds.
var dpTree = map[string]string{
	"datapackage.json": `{"profile": "https://raw.githubusercontent.com/tdwg/camtrap-dp/1.0.2/camtrap-dp-profile.json", "resources": [
		{"name": "deployments", "path": "deployments.csv"}, {"name": "media", "path": ["media-1.csv", "media-2.csv"]},
		{"name": "observations", "path": "observations.csv"}, {"name": "extra", "data": [1]}]}`,
	"deployments.csv": "deploymentID,locationID,locationName,latitude\nd1,L1,Old oak,1\nd2,L1,Old oak,1\n",
	"media-1.csv": "mediaID,deploymentID,timestamp,filePath,filePublic,fileName,fileMediatype\n" +
		"m1,d1,2020-05-30T04:57:37+02:00,media/d1/1.jpg,true,IMG_1.JPG,image/jpeg\n" +
		"m2,d1,2020-05-30T04:57:40+02:00,media/d1/2.jpg,true,IMG_2.JPG,image/jpeg\n" +
		"m3,d1,2020-05-30T05:57:40+02:00,media/d1/3.jpg,true,IMG_3.JPG,image/jpeg\n" +
		"m4,d1,2020-05-30T06:57:40+02:00,media/d1/4.jpg,true,IMG_4.JPG,image/jpeg\n" +
		"m9,d1,2020-05-30T06:57:40+02:00,media/d1/9.mp4,true,IMG_9.MP4,video/mp4\n",
	"media-2.csv": "mediaID,deploymentID,timestamp,filePath,filePublic,fileName,fileMediatype\n" +
		"m5,d2,2020-05-29T00:00:00Z,https://example.org/assets/m5/file,true,IMG_1.JPG,image/jpeg\n" +
		"m6,d2,2020-05-29T00:00:01Z,https://example.org/assets/m6/file,true,,image/jpeg\n" +
		"m7,d2,2020-05-29T00:00:02Z,https://example.org/assets/m7/gone.jpg,true,,image/jpeg\n",
	"observations.csv": "observationID,deploymentID,mediaID,eventID,eventStart,eventEnd,observationLevel,observationType,scientificName,classificationMethod\n" +
		"o1,d1,,e1,2020-05-30T02:57:30Z,2020-05-30T02:57:40Z,event,animal,Anas platyrhynchos,human\n" +
		"o2,d1,m1,e1,2020-05-30T02:57:37Z,2020-05-30T02:57:37Z,media,animal,Vulpes vulpes,machine\n" +
		"o3,d1,m1,e1,2020-05-30T02:57:37Z,2020-05-30T02:57:37Z,media,unclassified,,\n" +
		"o4,d1,m3,,,,media,blank,,human\n" +
		"o5,d1,m3,,,,media,human,,human\n" +
		"o6,d1,m4,,,,media,unknown,,human\n" +
		"o7,d2,m5,,,,,vehicle,,human\n" +
		"o8,d2,m6,,,,media,animal,,human\n" +
		"o9,d2,,,soon,later,event,animal,Lutra lutra,human\n",
}

var dpPictures = map[string]string{
	"d1/1.jpg": "", "d1/2.jpg": "", "d1/3.jpg": "", "d1/4.jpg": "", "fetched/d2/IMG_1.JPG": "", "fetched/m6.jpg": "", "own.jpg": "",
}

func TestCamtrapDP(t *testing.T) {
	meta, root := tree(t, dpTree), tree(t, dpPictures)
	rest := `
warning META: 1 picture with a label that a machine gave: media/d1/1.jpg
warning META: names 6 of 7 pictures; the other takes its folder as stream: own.jpg
warning META: names 1 file that is not here: d2/gone.jpg
warning META: 1 time could not be read: event (ROOT/observations.csv:10)
warning META: 1 picture with several different labels, left without one: media/d1/3.jpg
warning 1 stream without any capture time, ordered by name: top
`
	want(t, list(t, root, Options{Metadata: meta}), meta, strings.ReplaceAll(`
stream d1
  d1/1.jpg 2020-05-30 04:57:37 +02:00 metadata = Vulpes vulpes
  d1/2.jpg 2020-05-30 04:57:40 +02:00 metadata = Anas platyrhynchos
  d1/3.jpg 2020-05-30 05:57:40 +02:00 metadata
  d1/4.jpg 2020-05-30 06:57:40 +02:00 metadata
stream d2
  fetched/d2/IMG_1.JPG 2020-05-29 00:00:00 +00:00 metadata = vehicle
  fetched/m6.jpg 2020-05-29 00:00:01 +00:00 metadata = animal
stream top
  own.jpg`+rest, "META", filepath.Base(meta)))

	for field, stream := range map[string]string{"locationID": "L1", "locationName": "Old oak"} {
		opt := Options{Metadata: filepath.Join(meta, "datapackage.json"), Fields: Fields{Stream: field}}
		want(t, list(t, root, opt), meta, strings.ReplaceAll(`
stream `+stream+`
  fetched/d2/IMG_1.JPG 2020-05-29 00:00:00 +00:00 metadata = vehicle
  fetched/m6.jpg 2020-05-29 00:00:01 +00:00 metadata = animal
  d1/1.jpg 2020-05-30 04:57:37 +02:00 metadata = Vulpes vulpes
  d1/2.jpg 2020-05-30 04:57:40 +02:00 metadata = Anas platyrhynchos
  d1/3.jpg 2020-05-30 05:57:40 +02:00 metadata
  d1/4.jpg 2020-05-30 06:57:40 +02:00 metadata
stream top
  own.jpg`+rest, "META", "datapackage.json"))
	}
}

// A folder with the tables but without datapackage.json is as good.
func TestCamtrapDPWithoutDescriptor(t *testing.T) {
	meta := tree(t, map[string]string{
		"media.csv":        "mediaID,deploymentID,timestamp,filePath\nm1,d1,2020-05-30T04:57:37+02:00,a.jpg\n",
		"observations.csv": "observationType,scientificName,mediaID,deploymentID\nanimal,Vulpes vulpes,m1,d1\n",
	})
	want(t, list(t, tree(t, map[string]string{"a.jpg": ""}), Options{Metadata: meta}), "", `
stream d1
  a.jpg 2020-05-30 04:57:37 +02:00 metadata = Vulpes vulpes
`)
}

func TestCamtrapDPErrors(t *testing.T) {
	root := tree(t, map[string]string{"a.jpg": ""})
	pkg := func(path string) string { return `{"resources": [{"name": "media", "path": ` + path + `}]}` }
	for _, c := range []struct {
		files  map[string]string
		stream string
		want   string
	}{
		{map[string]string{"datapackage.json": "{"}, "", "unexpected end of JSON input"},
		{map[string]string{"datapackage.json": `{"resources": []}`}, "", "no table media, so not Camtrap DP"},
		{map[string]string{"x.txt": ""}, "", "no table media, so not Camtrap DP"},
		{map[string]string{"datapackage.json": pkg(`"../media.csv"`)}, "", "want a path within the package"},
		{map[string]string{"datapackage.json": pkg(`"/etc/passwd"`)}, "", "want a path within the package"},
		{map[string]string{"datapackage.json": pkg(`"https://example.org/media.csv"`)}, "", "want a path within the package"},
		{map[string]string{"datapackage.json": pkg(`"media.csv"`)}, "", "media.csv: no such file or directory"},
		{map[string]string{"datapackage.json": pkg(`5`)}, "", "cannot unmarshal number"},
		{map[string]string{"media.csv": "mediaID,filePath\n"}, "", `media.csv:1: no column "deploymentID"`},
		{dpTree, "camera", "Camtrap DP has deploymentID, locationID and locationName"},
	} {
		meta := tree(t, c.files)
		_, err := List(context.Background(), root, Options{Metadata: meta, MetadataFormat: FormatCamtrapDP, Fields: Fields{Stream: c.stream}})
		if err == nil || !strings.HasPrefix(err.Error(), "datasets: ") || !strings.Contains(testdata.Plain(err.Error()), c.want) {
			t.Errorf("%v: error %v, want %s", c.files, err, c.want)
		}
	}
}

func TestCamtrapDPOldVersion(t *testing.T) {
	files := map[string]string{"media.csv": dpTree["media-1.csv"], "datapackage.json": `{"profile": "https://x/camtrap-dp/0.6/p.json", "resources": [{"name": "media", "path": "media.csv"}]}`}
	if got := list(t, tree(t, dpPictures), Options{Metadata: tree(t, files)}); !strings.Contains(got, "is not Camtrap DP 1.0, read as if it were") {
		t.Error(got)
	}
}

// The look-up of events against a plain walk over all of them.
func TestEventLabelsPlainTwin(t *testing.T) {
	base, _ := parseStamp("2020:01:01 00:00:00")
	minute := func(n int) event { return event{start: base.AddDate(0, 0, n)} }
	for code := range 4096 {
		var events []event
		for i, rest := 0, code; i < 4; i, rest = i+1, rest/8 {
			e := minute(rest % 8 % 4)
			e.end = e.start.AddDate(0, 0, 2*(rest%8/4))
			e.label = string(rune('a' + i))
			events = append(events, e)
		}
		sortEvents(events)
		for day := -1; day < 8; day++ {
			at := base.AddDate(0, 0, day)
			n := 0
			for _, e := range events {
				if !at.Before(e.start) && !at.After(e.end) {
					n++
				}
			}
			if got := eventLabels(events, at); got.some != (n > 0) || got.several != (n > 1) {
				t.Fatalf("code %d, day %d: got %+v, want %d", code, day, got, n)
			}
		}
	}
}

func FuzzCamtrapDP(f *testing.F) {
	f.Add(dpTree["datapackage.json"], dpTree["deployments.csv"], dpTree["media-1.csv"], dpTree["observations.csv"], "locationName")
	f.Add(dpTree["datapackage.json"], dpTree["deployments.csv"], dpTree["media-2.csv"], dpTree["observations.csv"], "")
	f.Add("", "", "mediaID,deploymentID,timestamp,filePath\nm1,d1,2020-05-30T04:57:37+02:00,46/x.jpg\n", dpTree["observations.csv"], "")
	items := []*item{{Picture: Picture{Name: "46/x.jpg"}}, {Picture: Picture{Name: "a.jpg"}}, {Picture: Picture{Name: "d1/1.jpg"}}}
	f.Fuzz(func(t *testing.T, descriptor, deployments, media, observations, stream string) {
		if p, err := parsePackage(strings.NewReader(descriptor)); err == nil {
			p.dir = "dir"
			for _, table := range []string{dpMedia, dpObservations} {
				paths, _ := p.paths(table)
				for _, path := range paths {
					if rel, err := filepath.Rel("dir", path); err != nil || !filepath.IsLocal(rel) {
						t.Errorf("path %q leads out of the package", path)
					}
				}
			}
		}
		c, err := newCamtrapReader(context.Background(), Fields{Stream: stream}, newWanted(items))
		if err != nil {
			return
		}
		if c.stream != nil {
			err = c.readDeployments("deployments.csv", strings.NewReader(deployments))
		}
		if err == nil {
			err = c.readMedia("media.csv", strings.NewReader(media))
		}
		if err == nil {
			err = c.readObservations("observations.csv", strings.NewReader(observations))
		}
		if err == nil {
			c.finish("x")
		}
		checkMetadata(t, c.md, err)
	})
}
