package megadetector_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/oatta/oatta/datasets/megadetector"
)

// What a detector found, by picture.
func ExampleRead() {
	f, err := megadetector.Read("boxes.json", strings.NewReader(`{
		"info": {"format_version": "1.4"}, "detection_categories": {"1": "animal", "2": "person"},
		"images": [{"file": "a.jpg", "detections": [{"category": "1", "conf": 0.9, "bbox": [0.1, 0.2, 0.3, 0.4]}]}, {"file": "b.jpg", "failure": "unreadable"}]
	}`))
	if err != nil {
		log.Fatal(err)
	}
	for _, im := range f.Images {
		for _, d := range im.Detections {
			fmt.Println(im.File, f.CategoryName(d.Category), d.Conf, d.Box)
		}
		if im.Failure != "" {
			fmt.Println(im.File, im.Failure)
		}
	}
	// Output:
	// a.jpg animal 0.9 [0.1 0.2 0.3 0.4]
	// b.jpg unreadable
}
