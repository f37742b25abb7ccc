package datasets

import (
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	for _, opt := range []Options{
		{},
		{Streams: StreamByFolder},
		{Streams: StreamByPattern, StreamPattern: "x"},
		{Streams: StreamByMetadata, Metadata: "x.csv", MetadataFormat: FormatCSV, Fields: Fields{File: "id"}},
		{TimePattern: "x", TimeLayout: "2006"},
	} {
		if err := opt.Validate(); err != nil {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	for part, opt := range map[string]Options{
		"no StreamPattern":           {Streams: StreamByPattern},
		"no Metadata":                {Streams: StreamByMetadata},
		"option Streams: want":       {Streams: "camera"},
		"option StreamPattern":       {StreamPattern: "("},
		"option TimePattern":         {TimePattern: "(", TimeLayout: "2006"},
		"want both or neither":       {TimeLayout: "2006"},
		"option MetadataFormat":      {Metadata: "x", MetadataFormat: "xml"},
		"are for Metadata":           {Fields: Fields{File: "id"}},
		"option Parallel: want 0 or": {Parallel: -1},
	} {
		if err := opt.Validate(); err == nil || !strings.Contains(err.Error(), part) || !strings.HasPrefix(err.Error(), "datasets: ") {
			t.Errorf("%+v: error %v, want one with %q", opt, err, part)
		}
	}
}

func TestStreamPattern(t *testing.T) {
	root := tree(t, map[string]string{"siteA_cam2_1.jpg": "", "siteA_cam10_1.jpg": "", "x/siteB_cam2_1.jpg": ""})
	const warning = "warning 3 streams without any capture time, ordered by name: "
	want(t, list(t, root, Options{StreamPattern: `site._cam\d+`}), root, `
stream siteA_cam2
  siteA_cam2_1.jpg
stream siteA_cam10
  siteA_cam10_1.jpg
stream siteB_cam2
  x/siteB_cam2_1.jpg
`+warning+"siteA_cam2, siteA_cam10, siteB_cam2\n")
	two := `
stream 2
  siteA_cam2_1.jpg
  x/siteB_cam2_1.jpg
stream 10
  siteA_cam10_1.jpg
warning 2 streams without any capture time, ordered by name: 2, 10
`
	want(t, list(t, root, Options{StreamPattern: `cam(\d+)`}), root, two)
	want(t, list(t, root, Options{StreamPattern: `site(.)_cam(?P<stream>\d+)`}), root, two)
	want(t, list(t, root, Options{StreamPattern: `^site(.)`}), root,
		"error datasets: stream pattern \"^site(.)\": 1 of 3 names does not match: x/siteB_cam2_1.jpg\n")
	want(t, list(t, root, Options{StreamPattern: `siteA_cam2(x*)`}), root,
		"error datasets: stream pattern \"siteA_cam2(x*)\": 3 of 3 names do not match: siteA_cam2_1.jpg, siteA_cam10_1.jpg, x/siteB_cam2_1.jpg\n")
	if got := list(t, root, Options{Streams: StreamByFolder, StreamPattern: `cam(\d+)`}); !strings.Contains(got, "stream x\n") {
		t.Errorf("folder asked for: %s", got)
	}
}
