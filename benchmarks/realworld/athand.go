package realworld

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/datasets/posts"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/models"
)

// atHand are the collections of shared data and of fetched assets that a network in the binary predicts.
func atHand(s Settings) []source { return []source{people(s), night(s), accounts(s), speakers(s)} }

func people(s Settings) source {
	unseen := regexp.MustCompile(`(user2[1-9]|user30)$`)
	return source{
		id: "people", title: "People who wear a phone (HAPT)",
		intro: []string{"The people of HAPT whom the network har-waist, a 1-D CNN, has not seen: users 21 to 30, two recordings each, in windows of 2.56 seconds, one every 1.28. " +
			"A window counts that has one of the six labels for half."},
		paper: "cnn1d/harth", paperSays: "the paper's 1-D CNN on HARTH, which is other data: back and thigh, other people, other classes",
		person: unseen.FindString,
		open: func(ctx context.Context) (*models.Model, inputs.Input, error) {
			path, err := there(filepath.Join(s.Shared, "data", "motion", "hapt_rawdata_acc.tar.gz"), "the recordings of HAPT (data/motion of --shared)", "")
			if err != nil {
				return nil, nil, err
			}
			return motion(ctx, models.DefaultMotion, path)
		},
	}
}

func night(s Settings) source {
	return source{
		id: "night", title: "One night, from the signal (Sleep-EDF SC4001)",
		intro: []string{"The one night of Sleep-EDF that can be fetched, staged by a classifier of YASA, trees on features of an EEG and an EOG, trained on other nights. " +
			"Epochs from 30 minutes before sleep to 30 minutes after; the features are of the whole recording."},
		open: func(ctx context.Context) (*models.Model, inputs.Input, error) {
			const how = "make assets"
			psg, err := there(filepath.Join(s.Night, "SC4001E0-PSG.edf"), "the night SC4001 (--night)", how)
			if err != nil {
				return nil, nil, err
			}
			hypnogram := filepath.Join(s.Shared, "data", "edf", "SC4001EC-Hypnogram.edf")
			if _, err := there(hypnogram, "its hypnogram (data/edf of --shared)", ""); err != nil {
				return nil, nil, err
			}
			return sleep(ctx, "yasa-eeg-eog", psg, inputs.SleepOptions{Scored: true, Trim: 30, Hypnogram: hypnogram})
		},
	}
}

func accounts(s Settings) source {
	return source{
		id: "accounts", title: "Timelines of accounts (Sentiment140)",
		intro: []string{"The accounts with six posts or more in a part of Sentiment140. The network tweet-sentiment, a small convolution over word pieces, was trained on other accounts of " +
			"that part. Labels are those of emoticons. Accounts are numbered by their posts; half of them have six or seven."},
		paper: "tinybert/sent140", paperSays: "the paper's TinyBERT, another network, on its 150 longest timelines of all of Sentiment140, which have 150 posts in the mean",
		least: 6, labelled: true, nameless: true, polarity: true,
		open: func(ctx context.Context) (*models.Model, inputs.Input, error) {
			path, err := there(filepath.Join(s.Shared, "data", "text", "sentiment140_subset.csv.gz"), "posts of Sentiment140 (data/text of --shared)", "")
			if err != nil {
				return nil, nil, err
			}
			return texts(ctx, models.DefaultText, path, posts.Options{})
		},
	}
}

func speakers(s Settings) source {
	return source{
		id: "speakers", title: "Speakers of a series (MELD)",
		intro: []string{"Lines of dialogue as long streams: the speakers of MELD with a hundred positive or negative lines or more; neutral lines are left out, as the paper does with SENT. " +
			"The network is that for tweets, which was made for something else, and is often wrong: so this asks for harm rather than for gain."},
		least: 100, labelled: true, polarity: true,
		open: func(ctx context.Context) (*models.Model, inputs.Input, error) {
			path, err := there(filepath.Join(s.Shared, "data", "text", "meld_speaker_streams.csv.gz"), "dialogue of MELD (data/text of --shared)", "")
			if err != nil {
				return nil, nil, err
			}
			return texts(ctx, models.DefaultText, path, posts.Options{Stream: "speaker", Text: "utterance", Label: "sentiment", Time: "-"})
		},
	}
}

// there returns a path, or an error that tells what is missing.
func there(path, what, how string) (string, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", &report.MissingError{What: what, How: how}
	} else if err != nil {
		return "", err
	}
	return path, nil
}

func motion(ctx context.Context, model, path string) (*models.Model, inputs.Input, error) {
	m, err := models.Load(model)
	if err != nil {
		return nil, nil, err
	}
	in, err := inputs.OpenMotion(ctx, []string{path}, m.Manifest, inputs.MotionOptions{Purity: 0.5})
	return m, in, err
}

func sleep(ctx context.Context, model, path string, o inputs.SleepOptions) (*models.Model, inputs.Input, error) {
	m, err := models.Load(model)
	if err != nil {
		return nil, nil, err
	}
	in, err := inputs.OpenSleep(ctx, []string{path}, m.Manifest, o)
	return m, in, err
}

func texts(ctx context.Context, model, path string, o posts.Options) (*models.Model, inputs.Input, error) {
	m, err := models.Load(model)
	if err != nil {
		return nil, nil, err
	}
	in, err := inputs.OpenTexts(ctx, []string{path}, m, o)
	return m, in, err
}
