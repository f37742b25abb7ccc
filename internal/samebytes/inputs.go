package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// prepareInputs writes the inputs of the commands into a new folder: the pictures of the repository, and what there is of the shared data
// and the fetched assets. What is absent is not written, and the commands that need it are left out.
func prepareInputs(in, shared, assets string) error {
	if err := os.MkdirAll(in, 0o755); err != nil {
		return err
	}
	samples := filepath.Join("datasets", "samples")
	predictions := filepath.Join(shared, "data", "predictions")
	steps := []struct {
		source string
		make   func(source, in string) error
	}{
		{samples, func(s, in string) error { return os.CopyFS(filepath.Join(in, "samples"), os.DirFS(s)) }},
		{samples, makeBoxes},
		{samples, makeLabels},
		{filepath.Join(shared, "cases"), func(s, in string) error { return os.CopyFS(filepath.Join(in, "cases"), os.DirFS(s)) }},
		{filepath.Join(shared, "data", "cameratrap", "camtrapdp_example"), func(s, in string) error { return os.CopyFS(filepath.Join(in, "camtrapdp"), os.DirFS(s)) }},
		{filepath.Join(shared, "data", "motion", "hapt_rawdata_acc.tar.gz"), makeHAPT},
		{filepath.Join(assets, "sleep-psg", "SC4001E0-PSG.edf"), makeNight},
		{filepath.Join(shared, "data", "edf", "SC4001EC-Hypnogram.edf"), copyTo("night/SC4001EC-Hypnogram.edf")},
		{filepath.Join(shared, "data", "text", "sentiment140_subset.csv.gz"), unzipTo("tweets/tweets.csv", 101)},
		{filepath.Join(shared, "data", "tokenizer", "bert-base-uncased-vocab.txt"), copyTo("vocab/vocab.txt")},
		{filepath.Join(shared, "models", "cifar10-resnet20", "resnet20.safetensors"), copyTo("resnet20.safetensors")},
		{predictions, func(_, in string) error {
			return write(filepath.Join(in, "hapt.txt"), []byte("walking\nwalking_upstairs\nwalking_downstairs\nsitting\nstanding\nlaying\n"))
		}},
		{filepath.Join(predictions, "hapt_lr.jsonl.gz"), unzipTo("hapt.jsonl", 2500)},
		{filepath.Join(predictions, "hapt_lr_noisy.jsonl.gz"), unzipTo("noisy.jsonl", 2500)},
		{filepath.Join(predictions, "hapt_lr_noisy.jsonl.gz"), unzipTo("noisier.jsonl", 3500)},
		{filepath.Join(predictions, "hapt_lr_noisy.jsonl.gz"), makeTable},
		{filepath.Join(shared, "data", "streams", "maptask_lr.jsonl.gz"), unzipTo("maptask.jsonl", 6000)},
	}
	for _, s := range steps {
		if _, err := os.Stat(s.source); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := s.make(s.source, in); err != nil {
			return err
		}
	}
	return oldFiles(in)
}

// oldFiles gives all files one time: the program records when its inputs were changed.
func oldFiles(dir string) error {
	when := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(p, when, when)
	})
}

func write(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

func copyTo(name string) func(source, in string) error {
	return func(source, in string) error {
		data, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		return write(filepath.Join(in, name), data)
	}
}

// unzipTo writes the first lines of a gzipped text.
func unzipTo(name string, lines int) func(source, in string) error {
	return func(source, in string) error {
		text, err := firstLines(source, lines)
		if err != nil {
			return err
		}
		return write(filepath.Join(in, name), text)
	}
}

func firstLines(source string, lines int) ([]byte, error) {
	f, err := os.Open(source)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for r := bufio.NewReader(z); lines > 0; lines-- {
		line, err := r.ReadBytes('\n')
		out.Write(line)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// herons lists the pictures of the sample burst.
func herons(samples string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(samples, "heron"))
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// makeBoxes writes the results of a detector for the sample burst: of each picture two boxes, of one a person.
func makeBoxes(source, in string) error {
	names, err := herons(source)
	if err != nil {
		return err
	}
	images := []string{}
	for i, name := range names {
		boxes := fmt.Sprintf(`{"category":"1","conf":%.2f,"bbox":[0.1,0.1,0.6,0.6]},{"category":"1","conf":0.8,"bbox":[0.%d,0.3,0.4,0.5]}`, 0.3+0.05*float64(i), i%5)
		if i == 3 {
			boxes = `{"category":"2","conf":0.9,"bbox":[0,0,1,1]}`
		}
		images = append(images, fmt.Sprintf(`{"file":%q,"detections":[%s]}`, name, boxes))
	}
	return write(filepath.Join(in, "boxes.json"), []byte(`{"info":{"format_version":"1.3","detector":"md_v5a"},"detection_categories":{"1":"animal","2":"person"},"images":[`+strings.Join(images, ",\n")+"]}\n"))
}

// makeLabels names every picture of the sample burst; one name is of no class.
func makeLabels(source, in string) error {
	names, err := herons(source)
	if err != nil {
		return err
	}
	text := "file,label\n"
	for i, name := range names {
		text += name + "," + []string{"pelican", "goose", "unicorn"}[min(2, i*i%5)] + "\n"
	}
	return write(filepath.Join(in, "labels.csv"), []byte(text))
}

// makeHAPT unpacks the first two recordings of HAPT and the lines of its labels that are theirs.
func makeHAPT(source, in string) error {
	f, err := os.Open(source)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		name := path.Base(h.Name)
		if name != "labels.txt" && !strings.HasPrefix(name, "acc_exp01_") && !strings.HasPrefix(name, "acc_exp02_") {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if name == "labels.txt" {
			kept := ""
			for line := range strings.Lines(string(data)) {
				if strings.HasPrefix(line, "1 ") || strings.HasPrefix(line, "2 ") {
					kept += line
				}
			}
			data = []byte(kept)
		}
		if err := write(filepath.Join(in, "hapt", name), data); err != nil {
			return err
		}
	}
}

// makeNight cuts 48 epochs, the first sleep, out of the night SC4001E0.
func makeNight(source, in string) error {
	const from, epochs, header, record = 1010, 48, 2048, 18240 // bytes; a record is 30 seconds
	f, err := os.Open(source)
	if err != nil {
		return err
	}
	defer f.Close()
	night := make([]byte, header+epochs*record)
	if _, err := io.ReadFull(f, night[:header]); err != nil {
		return err
	}
	if _, err := f.ReadAt(night[header:], header+from*record); err != nil {
		return err
	}
	copy(night[88:], fmt.Sprintf("%-80s", "Startdate 25-APR-1989 X X X"))
	copy(night[168:], "25.04.8900.38.00")
	copy(night[236:], fmt.Sprintf("%-8d", epochs))
	return write(filepath.Join(in, "night", "SC4001E0-PSG.edf"), night)
}

// makeTable writes predictions as CSV, with times, a gap of two hours, and one line that cannot be used.
func makeTable(source, in string) error {
	lines, err := firstLines(source, 1200)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	out.WriteString("id,stream,time,p:a,p:b,p:c,p:d,p:e,p:f,truth\n")
	start := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	for line := range bytes.Lines(lines) {
		var l struct {
			Stream, ID, Label string
			Probs             []float64
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		if start = start.Add(3 * time.Second); start.Minute() == 20 {
			start = start.Add(2 * time.Hour)
		}
		fmt.Fprintf(&out, "%s,%s,%s", l.ID, l.Stream, start.Format(time.RFC3339))
		for _, p := range l.Probs {
			fmt.Fprintf(&out, ",%g", p)
		}
		out.WriteString("," + string('a'+byte(len(l.Label)%6)) + "\n")
	}
	out.WriteString("bad,user01,,x,y,z,0,0,0,a\n")
	return write(filepath.Join(in, "predictions.csv"), out.Bytes())
}
