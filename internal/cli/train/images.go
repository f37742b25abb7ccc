package train

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/reading"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
)

var pictures = kind{
	name: "images", args: "DIR|FILE...", group: "camera", arch: "resnet18", takes: backbone.Picture,
	usage: "train a network on labelled pictures",
	about: "Reads what `oatta eval images` reads: folders with the labels in --metadata. With --folder-labels the label of a picture is the name of\n" +
		"its folder, and each picture stands for itself. Files that end in .bin are CIFAR-10's binary batches: test_batch.bin is the test, and\n" +
		"the last of the others validates.",
	recipe: training.Settings{
		Epochs: 10, Batch: 32, Rates: []float64{1e-4}, Schedule: training.Schedule{Course: training.Cosine, Warmup: 100}, Optimizer: "adamw", Decay: 1e-4,
	},
	flags: func() []cli.Flag {
		return append(reading.PictureFlags(),
			&cli.BoolFlag{Name: "folder-labels", Category: console.TruthCategory, Usage: "the label of a picture is the name of the folder that it lies in"},
			&cli.IntFlag{Name: "size", Category: modelCategory, DefaultText: "the network's own", Usage: "side of the pictures in `PIXELS`"},
			&cli.Int64Flag{Name: "hold", Value: 1 << 30, Category: computeCategory, Usage: "`BYTES` of pictures that are held; what is beyond is decoded each time"},
			&cli.IntFlag{Name: "crop", Category: changeCategory, DefaultText: "the recipe's, else 0", Usage: "`PIXELS` by which a picture is moved at the most, black moving in"},
			&cli.BoolFlag{Name: "flip", Category: changeCategory, Usage: "every other picture is seen in a mirror"},
		)
	},
	describe: describePictures, load: loadPictures, ready: readyPictures,
}

// isCIFAR tells whether all arguments are binary batches.
func (t *task) isCIFAR() bool {
	return !slices.ContainsFunc(t.c.Args().Slice(), func(arg string) bool {
		return !strings.HasSuffix(strings.TrimSuffix(arg, ".gz"), ".bin")
	})
}

func describePictures(t *task) error {
	if t.isCIFAR() && !t.c.IsSet("arch") {
		var err error
		if t.info, err = backbone.Describe("cifar_resnet18"); err != nil {
			return err
		}
	}
	r := t.info.Recipes[0]
	size, own := t.c.Int("size"), t.info.Defaults.Size
	if size == 0 {
		size = own
	}
	if t.isCIFAR() && size != 32 {
		return fmt.Errorf("--size %d: pictures of CIFAR-10 have 32 pixels; --arch cifar_resnet18 takes them", size)
	}
	t.options.Size = size
	t.manifest.Task = models.ImageClassification
	t.manifest.Input = models.Input{
		Name: "input", Height: size, Width: size, Layout: models.NCHW, Color: models.RGB, Mean: r.Mean[:], Std: r.Std[:],
		Resize: (r.Resize*size + own/2) / own, Interpolation: r.Interpolation,
	}
	changes := training.PictureChanges{}
	if t.recipe != "" {
		recipe, err := training.RecipeOf(t.recipe)
		if err != nil {
			return err
		}
		changes = recipe.Pictures
	}
	if t.c.IsSet("crop") {
		changes.Pad = t.c.Int("crop")
	}
	if t.c.IsSet("flip") {
		changes.Flip = t.c.Bool("flip")
	}
	if changes.Pad < 0 || changes.Pad >= size {
		return fmt.Errorf("--crop %d: want 0 to below the size, %d", changes.Pad, size)
	}
	t.changes = changes
	return nil
}

func loadPictures(t *task) error {
	if t.isCIFAR() {
		if t.c.String("corrections") != "" {
			return errors.New("--corrections: the pictures of CIFAR-10 have no names that a table could tell")
		}
		return t.loadCIFAR()
	}
	l, err := reading.Pictures(t.c, t.env)
	if err != nil {
		return err
	}
	if t.c.Bool("folder-labels") {
		labelByFolder(l)
		t.apart = true
	}
	o, err := reading.PictureOptions(t.c)
	if err != nil {
		return err
	}
	plain := t.manifest
	plain.Input.Mean, plain.Input.Std = []float64{0, 0, 0}, []float64{1, 1, 1} // bytes are held, and standardised when they are shown
	all, err := inputs.NewPictures(l, plain, o)
	if err != nil {
		return err
	}
	in, err := t.corrected(all)
	if err != nil {
		return err
	}
	r, err := t.reading(in)
	if err != nil {
		return err
	}
	if t.data, _, err = training.ReadPixels(t.c.Context, in, t.c.Int64("hold"), r); err != nil {
		return err
	}
	t.data.Unordered = t.apart
	console.Warn(t.c, t.env, in.Warnings())
	return nil
}

// labelByFolder gives pictures the names of their folders for labels. What they are a stream of is then not known.
func labelByFolder(l *datasets.Listing) {
	for i := range l.Pictures {
		p := &l.Pictures[i]
		if dir := path.Dir(filepath.ToSlash(p.Name)); dir != "." {
			p.Label = path.Base(dir)
		}
		p.Stream = p.Name
	}
}

func readyPictures(t *task) error {
	p := t.data.Store.(*training.Pixels)
	in := t.manifest.Input
	p.Standardise([3]float64(in.Mean), [3]float64(in.Std))
	p.Change(t.changes.(training.PictureChanges))
	return nil
}

// loadCIFAR reads binary batches, each a group of its own.
func (t *task) loadCIFAR() error {
	labels, err := t.given()
	if err == nil && labels != nil && len(labels) != len(datasets.CIFARNames()) {
		err = fmt.Errorf("--labels: %d names for the 10 classes of CIFAR-10", len(labels))
	}
	if err != nil {
		return err
	}
	if labels == nil {
		labels = datasets.CIFARNames()
	}
	t.data = &training.Data{Noun: "picture", Labels: labels, Unordered: true}
	var batches []*datasets.CIFAR
	for _, name := range t.c.Args().Slice() {
		c, err := datasets.ReadCIFAR(name)
		if err != nil {
			return err
		}
		if c.Labels == nil {
			return fmt.Errorf("%s: has no labels", filepath.Base(name))
		}
		batch := filepath.Base(name)
		for i, label := range c.Labels {
			t.data.Items = append(t.data.Items, training.Item{Name: fmt.Sprintf("%s#%05d", batch, i), Stream: batch, Group: batch, Class: label})
		}
		batches = append(batches, c)
		switch {
		case strings.HasPrefix(batch, "test"):
			t.usual.test = batch
		default:
			t.usual.validation = batch
		}
	}
	if t.usual.test == "" {
		t.usual.test = "0"
	}
	p := training.NewPixels(len(t.data.Items), 32, 32, t.c.Int64("hold"), func([]float32, int) error {
		return errors.New("beyond --hold")
	})
	item := 0
	for _, c := range batches {
		for pixels := range slices.Chunk(c.Pixels, 3*32*32) {
			p.Set(item, planes(pixels))
			item++
		}
	}
	if p.Held() < item {
		return fmt.Errorf("--hold: has no room for the %d pictures", item)
	}
	t.data.Store = p
	return nil
}

// planes makes planes of pixels of red, green and blue.
func planes(pixels []byte) []byte {
	out, n := make([]byte, len(pixels)), len(pixels)/3
	for i := range n {
		for c := range 3 {
			out[c*n+i] = pixels[3*i+c]
		}
	}
	return out
}
