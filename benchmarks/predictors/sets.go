package predictors

import (
	"fmt"
	"hash/fnv"
	"path/filepath"

	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/datasets"
)

// setSize is how many pictures the sets of CIFAR-10-C have here: the first ones of the test set.
const setSize = 1000

// One corruption of each family (noise, blur, weather, and two of the digital ones) for the study, and others for the choice of settings.
var (
	corruptions = []string{"gaussian_noise", "motion_blur", "fog", "contrast", "jpeg_compression"}
	elsewhere   = []string{"shot_noise", "zoom_blur", "snow", "brightness", "pixelate"}
)

// readSets reads setSize clean pictures from number from on, and those of corruptions.
func readSets(o Settings, from int, corruptions []string) ([]*networks.Set, error) {
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
	sets := []*networks.Set{clean}
	for _, name := range corruptions {
		s, err := readSet(name, filepath.Join(o.Shared, "data", "cifar10c", name+".png"), 0, labels)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

func readSet(name, file string, from int, labels []int) (*networks.Set, error) {
	s, err := networks.ReadSet(name, file, from, setSize, labels)
	if err != nil {
		return nil, err
	}
	for i, p := range s.Pictures {
		s.Pictures[i] = p.WithSeed(seedOf(name, i))
	}
	return s, nil
}

// seedOf is the seed of masks and views of a picture.
func seedOf(set string, i int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", set, i) // never fails
	return h.Sum64()
}

// order is a law that a stream's labels follow.
type order struct {
	name string
	law  datasets.Controlled
}

func orders() []order {
	return []order{{"shuffled", datasets.S1()}, {"sticky", datasets.S2(0.9)}}
}

// draw returns a stream of each set. All have the same labels, and sets of the same pictures the same numbers.
func (o order) draw(sets []*networks.Set, seed, steps int) (out []*networks.Stream, err error) {
	labels := o.law.Labels(uint64(seed), classes, steps)
	for _, set := range sets {
		items, err := datasets.DrawItems(uint64(seed), labels, set.Labels)
		if err != nil {
			return nil, err
		}
		out = append(out, &networks.Stream{Set: set, Name: fmt.Sprintf("%s seed %d", o.name, seed), Items: items})
	}
	return out, nil
}
