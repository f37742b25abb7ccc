package realworld

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/posts"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/models"
)

// Own is one of the paper's collections that the user has, and the model that predicts it.
type Own struct {
	Path  string // of the folder or file; empty: it is not there
	Model string // name or path; empty: a model in the binary, if there is one for such data
}

// collection is one of the paper's five as a user has it.
type collection struct {
	name   string // of the flag, and in the paper's tables
	title  string
	what   string // DIR or FILE, for the help
	layout string // what lies there
	train  string // how a model of it is trained
	paper  []string
	open   func(ctx context.Context, o Own) (*models.Model, inputs.Input, error)
	person func(stream string) string
}

// collections are those of the paper, in its order.
func collections() []collection {
	return []collection{
		{
			name: "cct", title: "Caltech Camera Traps", what: "DIR",
			layout: "Caltech Camera Traps: pictures at any depth, and in DIR itself one COCO Camera Traps JSON with images (file_name, location, datetime), annotations and categories",
			train:  "oatta train images DIR --metadata FILE.json -o FOLDER --arch resnet50 --weights resnet50.pth --recipe image --test 15",
			paper:  []string{"resnet50/cct", "vit-base/cct", "convnext-tiny/cct"}, open: openPictures,
		},
		{
			name: "unsw", title: "UNSW Predators", what: "DIR",
			layout: "UNSW Predators: the same, or in the place of JSON one CSV with the columns file, stream (the camera), time and label",
			train:  "oatta train images DIR --metadata FILE -o FOLDER --arch resnet50 --weights resnet50.pth --recipe image --steps 5000 --test 15",
			paper:  []string{"resnet50/unsw", "vit-base/unsw", "convnext-tiny/unsw"}, open: openPictures,
		},
		{
			name: "harth", title: "HARTH", what: "DIR",
			layout: "HARTH: a CSV for each person, S006.csv, with timestamp, back_x, back_y, back_z, thigh_x, thigh_y, thigh_z and label; labels are read as the paper's six groups",
			train:  "oatta train motion DIR -o FOLDER --arch cnn1d --recipe sensor --test 5",
			paper:  []string{"cnn1d/harth", "tcn/harth", "resnet18-1d/harth"}, open: openRecordings,
		},
		{
			name: "sleep-edf", title: "Sleep-EDF", what: "DIR",
			layout: "Sleep-EDF: pairs SC4001E0-PSG.edf and SC4001EC-Hypnogram.edf; without a model, the classifier of YASA for the channels that all have",
			train:  "oatta train sleep DIR -o FOLDER --arch cnn1d --recipe sensor --test 10",
			paper:  []string{"cnn1d/sleep-edf", "tcn/sleep-edf", "resnet18-1d/sleep-edf"}, open: openNights, person: sleeper,
		},
		{
			name: "sent140", title: "Sentiment140", what: "FILE",
			layout: "Sentiment140: the CSV with polarity, id, date, query, user and text; neutral posts are left out",
			train:  "oatta train text FILE -o FOLDER --arch distilbert-base --weights model.safetensors --tokenizer DIR --recipe text --test 150",
			paper:  []string{"tinybert/sent140", "distilbert/sent140", "bert-base/sent140"}, open: openPosts,
		},
	}
}

// source is the collection with its test split: the identities with the most items, as the paper takes them and `oatta train` holds them out.
func (c collection) source(o Own) (source, error) {
	if o.Model == "" && c.name != "sleep-edf" {
		return source{}, fmt.Errorf("--%s needs --%s-model, a model that has not seen its test people; to train one: %s", c.name, c.name, c.train)
	}
	split := splitOf(c.name)
	out := source{
		id: c.name, title: c.title, own: c.name, test: split.Test, person: c.person,
		intro: []string{fmt.Sprintf("The paper's own collection, as it lies in the folder of the user: the %d identities with the most items, which is its test split. "+
			"The model is taken at its word that it has seen none of them: that of `oatta train` with --test %d has not.", split.Test, split.Test)},
		open: func(ctx context.Context) (*models.Model, inputs.Input, error) {
			if _, err := there(o.Path, fmt.Sprintf("%s (--%s)", c.title, c.name), ""); err != nil {
				return nil, nil, err
			}
			return c.open(ctx, o)
		},
	}
	if c.name == "sent140" {
		out.labelled, out.nameless, out.polarity = true, true, true
	}
	return out, nil
}

func splitOf(name string) datasets.PaperSplit {
	all := datasets.PaperSplits()
	return all[slices.IndexFunc(all, func(s datasets.PaperSplit) bool { return s.Dataset == name })]
}

// sleeper is the person of a recording of Sleep-EDF, SC4ssN: the last digit is the night.
func sleeper(stream string) string {
	name := filepath.Base(filepath.FromSlash(stream))
	return name[:min(5, len(name))]
}

func openRecordings(ctx context.Context, o Own) (*models.Model, inputs.Input, error) {
	return motion(ctx, o.Model, o.Path)
}

func openNights(ctx context.Context, o Own) (*models.Model, inputs.Input, error) {
	set := inputs.SleepOptions{Scored: true, Trim: 30}
	if o.Model == "" {
		name, _, err := inputs.SleepModel(ctx, []string{o.Path}, set)
		if err != nil {
			return nil, nil, err
		}
		o.Model = name
	}
	return sleep(ctx, o.Model, o.Path, set)
}

func openPosts(ctx context.Context, o Own) (*models.Model, inputs.Input, error) {
	return texts(ctx, o.Model, o.Path, posts.Options{})
}

func openPictures(ctx context.Context, o Own) (*models.Model, inputs.Input, error) {
	meta, err := metadataOf(o.Path)
	if err != nil {
		return nil, nil, err
	}
	m, err := models.Load(o.Model)
	if err != nil {
		return nil, nil, err
	}
	l, err := inputs.ListPictures(ctx, []string{o.Path}, datasets.Options{Streams: datasets.StreamByMetadata, Metadata: meta})
	if err != nil {
		return nil, nil, err
	}
	in, err := inputs.NewPictures(l, m.Manifest, inputs.PictureOptions{})
	return m, in, err
}

// metadataOf returns the one JSON of a folder, or else the one CSV.
func metadataOf(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, ending := range []string{".json", ".csv"} {
		var found []string
		for _, e := range entries {
			if strings.EqualFold(filepath.Ext(e.Name()), ending) && !e.IsDir() {
				found = append(found, filepath.Join(dir, e.Name()))
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return "", fmt.Errorf("%s: %d files that end in %s: want the one that names streams, times and labels", filepath.Base(dir), len(found), ending)
		}
	}
	return "", errors.New(filepath.Base(dir) + ": no JSON and no CSV that names streams, times and labels")
}

// declareOwn declares the flags of the collections.
func declareOwn(f report.Flags, own map[string]*Own) {
	for _, c := range collections() {
		one := &Own{}
		own[c.name] = one
		f.StringVar(&one.Path, c.name, "", fmt.Sprintf("`%s` of %s", c.what, c.layout))
		f.StringVar(&one.Model, c.name+"-model", "", fmt.Sprintf("`MODEL` for --%s, by name or path (%s)", c.name, cmp.Or(c.train, "-")))
	}
}
