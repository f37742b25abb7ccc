package method

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/tent"
)

// Default returns a predictor with the settings that a model gets where nobody asks for others.
func Default(name string, m models.Manifest) (Settings, error) {
	s := Settings{Name: name}
	switch name {
	case Base:
	case MCDropout:
		s.Dropout = &DropoutSettings{Passes: dropout.DefaultPasses}
	case TTAug:
		s.Views, s.Merge = DefaultViews(augmentSet(m), 9), string(predict.MergeMean)
	case Tent:
		s.Tent = &TentSettings{Optimizer: "sgd", Rate: tent.DefaultRate(tent.Settings{}.Optimizer), Steps: 1, Predict: "after", Reset: tent.Every.String(), Items: 100}
	case Memo:
		return Preset("", m)
	default:
		return s, fmt.Errorf("method: %q: want %s", name, strings.Join(Names(), ", "))
	}
	return s, nil
}

// Preset returns MEMO with settings by the name of a preset (memo.Presets), "" for that of the model's task and size.
func Preset(name string, m models.Manifest) (Settings, error) {
	name = cmp.Or(name, memoPreset(m))
	p, err := memo.Preset(name)
	if err != nil {
		return Settings{}, err
	}
	views := p.Views
	if Large(m) {
		views = min(views, largeViews)
	}
	return Settings{
		Name: Memo, Views: DefaultViews(memoSet(m), views),
		Memo: &MemoSettings{
			Preset: name, Optimizer: string(p.Method), Rate: p.Rate, Decay: p.Decay,
			Parameters: string(cmp.Or(p.Parameters, memo.All)), Prior: p.Prior,
		},
	}, nil
}

// DefaultViews are count views of a set, or as many as the set has where it has no other number.
func DefaultViews(set string, count int) *Views {
	switch set {
	case "flip":
		count = 1
	case "ten-crop":
		count = 9
	}
	return &Views{Set: set, Count: count}
}

// small is the side up to which pictures are taken for those of CIFAR: the whole of them is the object.
const small = 64

// largeViews is how many views an item of large pictures has, since the values of every layer are kept for all views at once (of
// EfficientNet-Lite0, 150 MB a view).
const largeViews = 16

// Large tells a network for pictures of which a run of many views takes gigabytes.
func Large(m models.Manifest) bool {
	return m.Signal == nil && m.Text == nil && max(m.Input.Height, m.Input.Width) > small
}

// augmentSet is the set of views of a model's task.
func augmentSet(m models.Manifest) string {
	if m.Signal != nil || m.Text != nil {
		return "usual"
	}
	return "crops"
}

// memoSet is the set of views of MEMO for a model's task. That of the official code for ImageNet takes crops down to 8 % of the picture,
// in which the animal of a camera trap is often not to be seen: large pictures are mixed without crops.
func memoSet(m models.Manifest) string {
	switch {
	case m.Signal != nil || m.Text != nil:
		return "usual"
	case Large(m):
		return "augmix"
	}
	return "memo-cifar"
}

// memoPreset is the preset of a model's task.
func memoPreset(m models.Manifest) string {
	switch {
	case m.Signal != nil:
		return "signal"
	case m.Text != nil:
		return "text"
	case Large(m):
		return "imagenet"
	}
	return "cifar"
}
