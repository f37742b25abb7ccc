package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
)

// JPEGs that libjpeg reads are read; of damaged ones, each is a failure, or what is left is used and named.
func TestDamagedPictures(t *testing.T) {
	needEngine(t)
	dir := t.TempDir()
	from := filepath.Join(testdata.Root(), "preprocess", "image", "internal", "jpeg", "testdata", "pictures")
	for _, name := range []string{"arith.jpg", "nodht.jpg", "s_2x2_1x1_1x2.jpg", "plain.jpg", "damaged_half_then_eoi.jpg", "damaged_lostrst.jpg"} {
		writeFile(t, filepath.Join(dir, name), readFile(t, filepath.Join(from, name)))
	}
	args := []string{"run", "images", dir, "--model", "resnet20-cifar10"}
	out, text := mustOatta(t, console.Partial, args...)
	for _, l := range parseLines(t, out) {
		if damaged := strings.HasPrefix(l.File, "damaged_"); damaged != (l.Failure != "") {
			t.Errorf("%+v", l)
		}
	}
	if !strings.Contains(text, "2 pictures are damaged and failed; --damaged use takes what is left") {
		t.Error(text)
	}

	boxes := filepath.Join(t.TempDir(), "boxes.json")
	writeFile(t, boxes, `{"images":[{"file":"damaged_lostrst.jpg","detections":[{"category":"1","conf":0.9,"bbox":[0,0,0.5,0.5]},{"category":"1","conf":0.8,"bbox":[0.5,0.5,0.5,0.5]}]}],
		"detection_categories":{"1":"animal"},"info":{}}`)
	for n, more := range map[string][]string{"6 pictures": nil, "2 crops": {"--boxes", boxes}} {
		out, text = mustOatta(t, console.Fine, append(append(args, "--damaged", "use"), more...)...)
		if !strings.Contains(text, n+" in 1 stream: 0 failed") || strings.Contains(out, `"failure"`) {
			t.Error(out, text)
		}
		if !strings.Contains(text, "damaged: damaged_lostrst.jpg: restart marker 3 is not where it should be, near byte 2620; 6.3 % of the data are missing\n") {
			t.Error(text)
		}
	}
	if _, text := mustOatta(t, console.Nothing, append(args, "--damaged", "maybe")...); !strings.Contains(text, `--damaged "maybe": want fail or use`) {
		t.Error(text)
	}
}
