package predictors

import (
	"fmt"
	"image"
	"path/filepath"

	"github.com/oatta/oatta/datasets"
)

// setSize is how many pictures the sets of CIFAR-10-C have here: the first ones of the test set.
const setSize = 1000

// One corruption of each family (noise, blur, weather, and two of the digital ones) for the study, and others for the choice of settings.
var (
	corruptions = []string{"gaussian_noise", "motion_blur", "fog", "contrast", "jpeg_compression"}
	elsewhere   = []string{"shot_noise", "zoom_blur", "snow", "brightness", "pixelate"}
)

// set is pictures with their classes.
type set struct {
	name     string
	pictures []*image.RGBA
	labels   []int
}

// readSets reads setSize clean pictures from number from on, and those of corruptions.
func readSets(o Settings, from int, corruptions []string) ([]*set, error) {
	labels, err := datasets.ReadCIFARLabels(filepath.Join(o.Shared, "data", "cifar10", "test_labels.u8"))
	if err != nil {
		return nil, err
	}
	name := "clean"
	if from > 0 {
		name = fmt.Sprintf("clean from %d", from)
	}
	clean, err := readSet(name, filepath.Join(o.CIFAR, "test_batch.png"), from, labels)
	if err != nil {
		return nil, err
	}
	sets := []*set{clean}
	for _, name := range corruptions {
		s, err := readSet(name, filepath.Join(o.Shared, "data", "cifar10c", name+".png"), 0, labels)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

func readSet(name, file string, from int, labels []int) (*set, error) {
	c, err := datasets.ReadCIFAR(file)
	if err != nil {
		return nil, err
	}
	if end := from + setSize; end > c.Len() || end > len(labels) {
		return nil, fmt.Errorf("%s: %d pictures and %d labels: want %d", file, c.Len(), len(labels), end)
	}
	s := &set{name: name, labels: labels[from : from+setSize]}
	for i := range setSize {
		s.pictures = append(s.pictures, c.Image(from+i))
	}
	return s, nil
}

// first returns the set's first n pictures.
func (s *set) first(n int) *set { return &set{s.name, s.pictures[:n], s.labels[:n]} }

// order is a law that a stream's labels follow.
type order struct {
	name string
	law  datasets.Controlled
}

func orders() []order {
	return []order{{"shuffled", datasets.S1()}, {"sticky", datasets.S2(0.9)}}
}

// stream is pictures of a set, by number, in an order.
type stream struct {
	set   *set
	name  string // of the order
	items []int
}

// draw returns a stream of each set. All have the same labels, and sets of the same pictures the same numbers.
func (o order) draw(sets []*set, seed, steps int) (out []*stream, err error) {
	labels := o.law.Labels(uint64(seed), classes, steps)
	for _, set := range sets {
		items, err := datasets.DrawItems(uint64(seed), labels, set.labels)
		if err != nil {
			return nil, err
		}
		out = append(out, &stream{set, fmt.Sprintf("%s seed %d", o.name, seed), items})
	}
	return out, nil
}

// truth is the class of every item.
func (s *stream) truth() []int {
	out := make([]int, len(s.items))
	for t, item := range s.items {
		out[t] = s.set.labels[item]
	}
	return out
}
