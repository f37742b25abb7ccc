package realworld

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// The paper's collections in small, in the layouts that they are published in.

func write(t *testing.T, content []byte, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func picture(t *testing.T, i int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 48, 36))
	for p := range 48 * 36 {
		m.Set(p%48, p/48, color.RGBA{uint8(p * i), uint8(40 * i), uint8(p), 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// cct is three cameras with pictures of cats, dogs and nothing, and their COCO Camera Traps JSON.
func cct(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var images, annotations []string
	n := 0
	for camera, pictures := range []int{6, 4, 2} {
		for i := range pictures {
			name := fmt.Sprintf("images/%d/%d.png", camera, i)
			write(t, picture(t, n), dir, filepath.FromSlash(name))
			images = append(images, fmt.Sprintf(`{"id": "i%d", "file_name": %q, "location": "%d", "datetime": "2013-10-%02d 12:00:00"}`, n, name, 30+camera, 1+i))
			annotations = append(annotations, fmt.Sprintf(`{"id": "a%d", "image_id": "i%d", "category_id": %d}`, n, n, []int{3, 5, 30}[n%3]))
			n++
		}
	}
	write(t, []byte(fmt.Sprintf(`{"info": {}, "images": [%s], "annotations": [%s], "categories": [{"id": 3, "name": "cat"}, {"id": 5, "name": "dog"}, {"id": 30, "name": "empty"}]}`,
		strings.Join(images, ","), strings.Join(annotations, ","))), dir, "caltech_images_20210113.json")
	return dir
}

// unsw is two cameras with a table.
func unsw(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	table := "file,stream,time,label\n"
	for i := range 5 {
		write(t, picture(t, i), dir, "photos", fmt.Sprintf("Q%d", i%2), fmt.Sprintf("IMG_%d.png", i))
		table += fmt.Sprintf("photos/Q%d/IMG_%d.png,Q%d,2023-01-0%d 03:04:05,%s\n", i%2, i, i%2, i+1, []string{"cat", "dog"}[i/2%2])
	}
	write(t, []byte(table), dir, "labels.csv")
	return dir
}

// harth is two people with two sensors each.
func harth(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for person, seconds := range []int{40, 60} {
		var b strings.Builder
		b.WriteString("timestamp,back_x,back_y,back_z,thigh_x,thigh_y,thigh_z,label\n")
		for i := range seconds * 50 {
			x := math.Sin(float64(i) / 5)
			fmt.Fprintf(&b, "2021-03-24 14:%02d:%02d.%03d,%.4f,0.1,-0.9,%.4f,-0.2,0.8,%s\n", i/3000, i/50%60, i%50*20, x, -x, []string{"1", "13", "6"}[i/500%3])
		}
		write(t, []byte(b.String()), dir, fmt.Sprintf("S%03d.csv", 6+2*person))
	}
	return dir
}

// sleepEDF is three nights of two people, all of the same samples, with hypnograms of their own.
func sleepEDF(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	night, err := os.ReadFile(filepath.Join(testdata.Root(), "datasets", "samples", "night.edf"))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(1989, 4, 25, 4, 23, 0, 0, time.UTC)
	for i, name := range []string{"SC4001", "SC4002", "SC4011"} {
		write(t, night, dir, name+"E0-PSG.edf")
		stages := make([]hypnogram.Stage, 80)
		for k := range stages {
			stages[k] = []hypnogram.Stage{hypnogram.W, hypnogram.N2, hypnogram.N3, hypnogram.R}[(k/10+i)%4]
		}
		var b bytes.Buffer
		if err := hypnogram.WriteEDF(&b, "", start, 0, stages); err != nil {
			t.Fatal(err)
		}
		write(t, b.Bytes(), dir, name+"EC-Hypnogram.edf")
	}
	return dir
}

// sent140 is two users' posts, newest last, a neutral one among them.
func sent140(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	for i := range 9 {
		user, polarity := []string{"ann", "ben", "ann"}[i%3], []string{"0", "4", "4"}[i%3]
		if i == 8 {
			polarity = "2"
		}
		fmt.Fprintf(&b, "%q,%q,%q,%q,%q,%q\n", polarity, fmt.Sprint(1000+i), fmt.Sprintf("Mon Apr 06 22:%02d:45 PDT 2009", i), "NO_QUERY", user, []string{"so sad today", "what a great day", "love it"}[i%3])
	}
	write(t, []byte(b.String()), dir, "training.1600000.processed.noemoticon.csv")
	return filepath.Join(dir, "training.1600000.processed.noemoticon.csv")
}

// harthModel is a network for HARTH that has learned nothing.
func harthModel(t *testing.T) string {
	t.Helper()
	channels := []string{"back_x", "back_y", "back_z", "thigh_x", "thigh_y", "thigh_z"}
	net, err := backbone.New("cnn1d", backbone.Options{Classes: 6, Channels: len(channels), Samples: 128, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	p, err := onnx.New(net.Graph).Proto()
	if err != nil {
		t.Fatal(err)
	}
	data, err := onnx.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, data, dir, "harth.onnx")
	m := models.Manifest{
		Version: models.ManifestVersion, Name: "harth", Task: models.SignalClassification, Labels: []string{"Walking", "Running", "Static", "Lying", "Stairs", "Cycling"},
		Signal: &models.Signal{Name: "input", Modality: models.Motion, Channels: channels, Rate: 50, Samples: 128}, Output: models.Output{Name: "logits", Kind: models.Logits},
	}
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	write(t, b.Bytes(), dir, "harth.json")
	return filepath.Join(dir, "harth.onnx")
}

func withEngine(t *testing.T) report.Host {
	engine := orttest.Engine(t)
	return report.Host{Engine: func(context.Context) (runtime.Engine, error) { return engine, nil }}
}

// Each collection is read as it is published: identities with the most items first, their labels, and every predictor that the model can have.
func TestOwn(t *testing.T) {
	shared := testdata.Tree(t, "paper/tables.json")
	for _, c := range []struct {
		name       string
		own        Own
		identities []string
		items      []int
		predictors []string
	}{
		{"cct", Own{cct(t), "resnet20-cifar10"}, []string{"30", "31", "32"}, []int{4, 3, 1}, nil},
		{"unsw", Own{unsw(t), "resnet20-cifar10"}, []string{"Q0", "Q1"}, []int{3, 2}, []string{"base", "tent"}},
		{"harth", Own{harth(t), harthModel(t)}, []string{"S008.csv", "S006.csv"}, []int{23, 15}, []string{"base", "mc-dropout", "tent"}},
		{"sleep-edf", Own{sleepEDF(t), ""}, []string{"SC400", "SC401"}, []int{160, 80}, []string{"base", "memo"}},
		{"sent140", Own{sent140(t), models.DefaultText}, []string{"1", "2"}, []int{5, 3}, []string{"base", "tent"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Settings{Shared: shared, Sets: []string{c.name}, Predictors: c.predictors, Shuffles: 1, Resamples: 20, Own: map[string]*Own{c.name: &c.own}}
			sections, err := Run(t.Context(), withEngine(t), s)
			if err != nil {
				t.Fatal(err)
			}
			section := sections[1]
			var identities []string
			var items []int
			for _, table := range section.Tables {
				whole(t, section.ID, table)
				if table.ID != "identities" {
					continue
				}
				for _, row := range table.Rows {
					identities, items = append(identities, row[0].Text), append(items, int(*row[1].Value))
				}
			}
			if !slices.Equal(identities, c.identities) || !slices.Equal(items, c.items) {
				t.Errorf("%q with %v items, want %q with %v", identities, items, c.identities, c.items)
			}
			want := c.predictors
			switch c.name {
			case "cct":
				want = []string{"base", "mc-dropout", "ttaug", "tent", "memo"}
			case "sleep-edf":
				want = []string{"base"}
			}
			var got []string
			for _, row := range section.Tables[0].Rows {
				got = append(got, row[0].Text)
			}
			if !slices.Equal(got, want) {
				t.Errorf("predictors %q, want %q", got, want)
			}
			last := section.Tables[len(section.Tables)-1]
			if last.ID != "paper" || len(last.Rows) != 3*len(want) {
				t.Errorf("%d rows of the paper's in %s", len(last.Rows), last.ID)
			}
			if c.name == "sent140" && (len(section.Figures) != 2 || bytes.Contains(section.Figures[0].SVG, []byte("ann"))) {
				t.Errorf("%d figures", len(section.Figures))
			}
		})
	}
}

// A model of trees, which have no gradients, is missing a predictor where Tent alone is wanted, and the overview does not call Tent plain.
func TestNoPredictor(t *testing.T) {
	own := Own{sleepEDF(t), ""}
	s := Settings{Shared: testdata.Tree(t, "paper/tables.json"), Sets: []string{"sleep-edf"}, Predictors: []string{"tent"}, Own: map[string]*Own{"sleep-edf": &own}}
	var missing *report.MissingError
	if _, err := Run(t.Context(), withEngine(t), s); !errors.As(err, &missing) {
		t.Errorf("%v", err)
	}
	if of := (&study{Settings: s}).first(); !strings.Contains(of, "tent") {
		t.Error(of)
	}
}

// Of more identities than the paper's test split has, those with the most items are it.
func TestTestSplit(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	for user := range 153 {
		for post := range 2 + min(user, 3) {
			fmt.Fprintf(&b, "%q,%q,%q,%q,%q,%q\n", []string{"0", "4"}[post%2], fmt.Sprint(user*100+post), "Mon Apr 06 22:19:45 PDT 2009", "NO_QUERY", fmt.Sprintf("user%03d", user), "a day")
		}
	}
	write(t, []byte(b.String()), dir, "posts.csv")
	c := collections()[4]
	src, err := c.source(Own{filepath.Join(dir, "posts.csv"), models.DefaultText})
	if err != nil {
		t.Fatal(err)
	}
	o, err := src.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer o.input.Close()
	if len(o.names) != 150 || len(o.order) != 150*5 {
		t.Errorf("%d identities with %d posts: want the 150 with five", len(o.names), len(o.order))
	}
}

// Folders in which it is not clear what names the labels, and labels of something else, are refused.
func TestOwnRefused(t *testing.T) {
	two := cct(t)
	write(t, []byte("{}"), two, "more.json")
	for name, own := range map[string]Own{"two tables": {two, "resnet20-cifar10"}, "no table": {t.TempDir(), "resnet20-cifar10"}, "no model": {cct(t), "nothing-of-the-kind"}, "other classes": {cct(t), models.DefaultText}} {
		if _, err := Run(t.Context(), withEngine(t), Settings{Sets: []string{"cct"}, Own: map[string]*Own{"cct": &own}}); err == nil {
			t.Errorf("%s passed", name)
		}
	}
	own := Own{filepath.Join(t.TempDir(), "gone"), "resnet20-cifar10"}
	if _, err := Run(t.Context(), withEngine(t), Settings{Sets: []string{"cct"}, Own: map[string]*Own{"cct": &own}}); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("no folder: %v", err)
	}
}
