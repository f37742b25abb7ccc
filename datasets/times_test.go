package datasets

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTimeInName(t *testing.T) {
	for name, want := range map[string]string{
		"20210531082538-RCNX0031.JPG":                "2021-05-31 08:25:38",
		"cam1/StationA__2009-04-21__00-40-00(1).JPG": "2009-04-21 00:40:00",
		"2024-05-01_10-20-30.jpg":                    "2024-05-01 10:20:30",
		"IMG_20240501_102030.jpg":                    "2024-05-01 10:20:30",
		"IMG_20240501_102030057.jpg":                 "2024-05-01 10:20:30.057",
		"2024-05-01T10.20.30.jpg":                    "2024-05-01 10:20:30",
		"2024_05_01 10_20_30.jpg":                    "2024-05-01 10:20:30",
		"20240501T102030Z.jpg":                       "2024-05-01 10:20:30",
		"20231301102030_20240501102030.jpg":          "2024-05-01 10:20:30", // the first has a 13th month
		"2024-0501_102030.jpg":                       "",
		"20240230_102030.jpg":                        "", // no such day
		"20240501_252030.jpg":                        "",
		"120240501102030.jpg":                        "", // a longer number
		"2024050110203012345.jpg":                    "",
		"20240501.jpg":                               "", // no time of day
		"20240501_102030/IMG_1.jpg":                  "", // of the folder, not of the picture
		"IMG_0001.JPG":                               "",
		"":                                           "",
	} {
		got := ""
		if at, ok := timeInName(name); ok {
			got = strings.TrimSpace(timeText(Picture{Time: at}))
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]string{
		"2013-10-04 13:31:53":           "2013-10-04 13:31:53",
		"2013-10-04 13:31:53.000":       "2013-10-04 13:31:53",
		"2013-10-04T13:31:53.25":        "2013-10-04 13:31:53.25",
		"2013-10-04T13:31:53Z":          "2013-10-04 13:31:53 +00:00",
		"2020-05-30T04:57:37+02:00":     "2020-05-30 04:57:37 +02:00",
		"2020-05-30T04:57:37-0330":      "2020-05-30 04:57:37 -03:30",
		"2020-05-30 04:57:37.125+00:00": "2020-05-30 04:57:37.125 +00:00",
		"2013:10:04 13:31:53":           "2013-10-04 13:31:53",
		"2013/10/04 13:31":              "2013-10-04 13:31:00",
		"Wed Aug 10 05:06:07 2011":      "2011-08-10 05:06:07",
		" 2013-10-04 ":                  "2013-10-04 00:00:00",
		"03/04/2021 10:00:00":           "", // March or April
		"0000-00-00 00:00:00":           "",
		"2023-02-30 00:00:00":           "",
		"unknown":                       "",
	} {
		got := ""
		if at, zoned, ok := parseTime(text, ""); ok {
			got = strings.TrimSpace(timeText(Picture{Time: at, Zoned: zoned}))
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if at, zoned, ok := parseTime("03/04/2021 10:00", "02/01/2006 15:04"); !ok || zoned || at.Format("2006-01-02 15:04") != "2021-04-03 10:00" {
		t.Errorf("with a layout: %v, %v, %v", at, zoned, ok)
	}
}

// Metadata before EXIF before name, and the name only if asked for.
func TestOrderOfTimeSources(t *testing.T) {
	root := tree(t, map[string]string{
		"20240101_000000.jpg": at("2024:02:02 00:00:00"), "20240101_000001.jpg": at("2024:02:02 00:00:01"), "20240101_000002.jpg": plainJPEG,
		"meta.csv": "file,time\n20240101_000000.jpg,2024-03-03 00:00:00\n20240101_000001.jpg,\n20240101_000002.jpg,soon\n",
	})
	opt := Options{Metadata: root + "/meta.csv", NameTimes: true}
	want(t, list(t, root, opt), root, `
stream top
  20240101_000002.jpg 2024-01-01 00:00:02 name
  20240101_000001.jpg 2024-02-02 00:00:01 exif
  20240101_000000.jpg 2024-03-03 00:00:00 metadata
ignored .csv: 1
warning meta.csv: 1 time could not be read: "soon" (ROOT/meta.csv:4)
`)
	opt.NameTimes = false
	want(t, list(t, root, opt), root, `
stream top
  20240101_000001.jpg 2024-02-02 00:00:01 exif
  20240101_000002.jpg
  20240101_000000.jpg 2024-03-03 00:00:00 metadata
ignored .csv: 1
warning meta.csv: 1 time could not be read: "soon" (ROOT/meta.csv:4)
warning top: 1 of 3 pictures has no capture time; it keeps its place by name
`)
}

func TestTimePattern(t *testing.T) {
	// As the Wellington collection names its files: day, month, year, hour, minute, second, site, camera.
	root := tree(t, map[string]string{"220116031734001as071.jpg": "", "210116031732001as073.jpg": "", "other.jpg": ""})
	opt := Options{TimePattern: `^(\d{12})\d{3}`, TimeLayout: "020106150405"}
	want(t, list(t, root, opt), root, `
stream top
  210116031732001as073.jpg 2016-01-21 03:17:32 name
  220116031734001as071.jpg 2016-01-22 03:17:34 name
  other.jpg
warning top: 1 of 3 pictures has no capture time; it keeps its place by name
`)
	opt = Options{TimePattern: `(\D*)(?P<time>\d{12})`, TimeLayout: "020106150405"}
	if got := list(t, root, opt); !strings.Contains(got, "2016-01-21 03:17:32 name") {
		t.Errorf("by the named group: %s", got)
	}
}

// Excel's tables in the German and the American form: a layout makes their times readable, in either language; without it they are told.
func TestLayoutsOfMetadata(t *testing.T) {
	root := pictureTree(t, twoCameras()...)
	for file, layouts := range map[string][]string{
		"excel.csv": {"2.1.2006 15:04", "%d.%m.%Y %H:%M"},
		"us.csv":    {"1/2/2006 15:04", "%m/%d/%Y %H:%M"},
	} {
		path := filepath.Join("testdata", "cases", file)
		for _, layout := range layouts {
			l, err := List(context.Background(), root, Options{Metadata: path, Fields: Fields{TimeLayout: layout}})
			must(t, err)
			for i, p := range l.Pictures {
				if want := time.Date(2024, 5, 1, i, 0, 0, 0, time.UTC); !p.Time.Equal(want) || p.TimeFrom != TimeFromMetadata {
					t.Errorf("%s, %s: %s at %v, want %v", file, layout, p.Name, p.Time, want)
				}
			}
			if len(l.Pictures) != 12 || len(l.Warnings) > 0 {
				t.Errorf("%s, %s: %d pictures, %q", file, layout, len(l.Pictures), l.Warnings)
			}
		}
		l, err := List(context.Background(), root, Options{Metadata: path})
		must(t, err)
		if w := strings.Join(l.Warnings, "\n"); !strings.Contains(w, "12 times could not be read") {
			t.Errorf("%s: %s", file, w)
		}
		l, err = List(context.Background(), root, Options{Metadata: path, Fields: Fields{Time: "-"}})
		must(t, err)
		if w := strings.Join(l.Warnings, "\n"); l.Pictures[0].Time != (time.Time{}) || strings.Contains(w, "could not be read") {
			t.Errorf("%s without times: %s", file, w)
		}
	}
}
