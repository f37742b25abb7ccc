package image

import (
	"errors"
	"fmt"
)

// Set is a way of making several views of one picture. The plain view, which is the Transform's, always comes first; a set
// says what the others are.
type Set uint8

// The sets of views. "The resized picture" is the whole picture after Resize or Stretch, before the crop; a random mirroring
// turns half of the views left to right.
const (
	// Plain is the plain view alone.
	Plain Set = iota

	// Flip adds the plain view, mirrored.
	Flip

	// Crops adds crops from random places of the resized picture, randomly mirrored: torchvision's RandomCrop and
	// RandomHorizontalFlip, see Padding. 9 unless asked for otherwise, so that there are ten views.
	Crops

	// Scales adds the plain view, mirrored, and then crops from the centre of the picture resized to growing sizes, up to Zoom,
	// each followed by its mirror image: the multi-scale testing of VGG and ResNet. Nothing is random. 9 unless asked for
	// otherwise: four sizes.
	Scales

	// TenCrop adds the crops from the four corners of the resized picture and all five mirrored: torchvision's TenCrop, with
	// the centre first.
	TenCrop

	// AugMix adds mixtures of randomly changed copies of the plain view (Hendrycks et al. 2020); what an operation moves away
	// leaves black. 9 unless asked for otherwise.
	AugMix

	// MemoCIFAR adds the views of MEMO's CIFAR-10 experiments (Zhang, Levine and Finn 2022): a random crop, randomly mirrored,
	// mixed by AugMix. 32 unless asked for otherwise.
	MemoCIFAR

	// MemoImageNet adds the views of MEMO's ImageNet experiments: a crop of random place, size and aspect (torchvision's
	// RandomResizedCrop, see Area), randomly mirrored, mixed by AugMix. 64 unless asked for otherwise.
	MemoImageNet
)

// recipe is how a set makes its views.
type recipe struct {
	name  string
	views int // beside the plain one, unless asked for otherwise
	fixed bool
	from  canvas
	crop  func(v *Viewer, s *viewScratch, view int) // writes the view's crop from s.canvas or s.crop to s.view
	mixed bool                                      // by AugMix
	fill  [3]uint8                                  // what AugMix leaves where it moves something away
}

// canvas is what views are cut from.
type canvas uint8

const (
	cropped  canvas = iota // the plain view is all that is needed
	resized                // the picture after Resize or Stretch
	detailed               // the picture in about twice that resolution, as far as it has it
)

// darkRed is what the reference code of MEMO fills with: it asks Pillow for the colour 128, meaning grey, and in RGB pictures
// that number is a dark red.
var darkRed = [3]uint8{128, 0, 0}

var recipes = [...]recipe{
	Plain:        {name: "plain", fixed: true},
	Flip:         {name: "flip", views: 1, fixed: true, crop: (*Viewer).flipped},
	Crops:        {name: "crops", views: 9, from: resized, crop: (*Viewer).randomCrop},
	Scales:       {name: "scales", views: 9, from: detailed, crop: (*Viewer).scaled},
	TenCrop:      {name: "ten-crop", views: 9, fixed: true, from: resized, crop: (*Viewer).corner},
	AugMix:       {name: "augmix", views: 9, crop: (*Viewer).same, mixed: true},
	MemoCIFAR:    {name: "memo-cifar", views: 32, from: resized, crop: (*Viewer).randomCrop, mixed: true, fill: darkRed},
	MemoImageNet: {name: "memo-imagenet", views: 64, from: detailed, crop: (*Viewer).randomResizedCrop, mixed: true, fill: darkRed},
}

func (s Set) known() bool { return int(s) < len(recipes) }

// Sets returns the names of all sets.
func Sets() []string {
	names := make([]string, len(recipes))
	for i, r := range recipes {
		names[i] = r.name
	}
	return names
}

// String returns the set's name, such as "memo-cifar".
func (s Set) String() string { return nameOf(Sets(), int(s)) }

// ParseSet returns the set of that name; the empty name is Plain.
func ParseSet(name string) (Set, error) {
	i, err := parse("set of views", Sets(), name)
	return Set(i), err
}

// Views are the settings of several views of one picture. The zero value is the plain view alone.
type Views struct {
	// Set is the way the views are made.
	Set Set

	// Augmented is the number of views beside the plain one, 1 to 4096; 0 is the number that the set has unless asked for
	// otherwise. Plain, Flip and TenCrop have no other.
	Augmented int

	// Padding is how many black pixels Crops and MemoCIFAR put around the resized picture. 0 is torchvision's usual for
	// CIFAR, 4 for 32 pixels, in proportion, if the settings leave a crop no room to move, and none otherwise; -1 is none.
	Padding int

	// Area bounds the share of the picture that a crop of MemoImageNet takes; the default is torchvision's 0.08 to 1. The
	// aspect is 3:4 to 4:3. Where what is to be recognised fills little of the picture, as an animal before a camera trap,
	// small crops show none of it: a lower bound of 0.5 is safer there.
	Area [2]float64

	// Zoom is the greatest enlargement of Scales, 1 to 8; the default is 1.375, the 352 pixels of ResNet's tests at 256.
	Zoom float64

	// Severity is how far the operations of AugMix go, 1 to 10; the default is MEMO's 1. (Training with AugMix uses 3.)
	Severity float64
}

const (
	maxViews = 4096
	maxZoom  = 8
)

// Validate reports the first setting that is out of its range.
func (v Views) Validate() error {
	switch {
	case !v.Set.known():
		return fmt.Errorf("set of views %d: unknown", v.Set)
	case v.Augmented < 0 || v.Augmented > maxViews:
		return fmt.Errorf("%d augmented views: want 0 (for the default) to %d", v.Augmented, maxViews)
	case v.Padding < -1 || v.Padding > maxSide:
		return fmt.Errorf("padding %d: want -1 (for none) to %d", v.Padding, maxSide)
	case v.Area != [2]float64{} && !(0 < v.Area[0] && v.Area[0] <= v.Area[1] && v.Area[1] <= 1):
		return fmt.Errorf("area %v to %v: want ascending shares from 0 to 1", v.Area[0], v.Area[1])
	case v.Zoom != 0 && !(1 <= v.Zoom && v.Zoom <= maxZoom):
		return fmt.Errorf("zoom %v: want 1 to %d", v.Zoom, maxZoom)
	case v.Severity != 0 && !(1 <= v.Severity && v.Severity <= 10):
		return fmt.Errorf("severity %v: want 1 to 10", v.Severity)
	}
	if r := recipes[v.Set]; r.fixed && v.Augmented != 0 && v.Augmented != r.views {
		return fmt.Errorf("%d augmented views: %v has %d", v.Augmented, v.Set, r.views)
	}
	return nil
}

// withDefaults fills in what the zero values mean for a transform.
func (v Views) withDefaults(s Settings) Views {
	if v.Augmented == 0 {
		v.Augmented = recipes[v.Set].views
	}
	switch {
	case v.Padding < 0 || v.Padding == 0 && s.slack():
		v.Padding = 0
	case v.Padding == 0:
		v.Padding = (min(s.Height, s.Width) + 4) / 8
	}
	if v.Area == [2]float64{} {
		v.Area = [2]float64{0.08, 1}
	}
	if v.Zoom == 0 {
		v.Zoom = 1.375
	}
	if v.Severity == 0 {
		v.Severity = 1
	}
	return v
}

// slack tells whether the resized picture is larger than the crop whatever the picture.
func (s Settings) slack() bool { return !s.Stretch && s.Resize > min(s.Height, s.Width) }

// suits reports a set that a transform cannot make.
func (v Views) suits(s Settings) error {
	if v.Set == TenCrop && !s.slack() && (s.Stretch || s.Resize > 0) {
		return errors.New("ten-crop: the settings leave no room around the crop, so that all corners are the same: use crops")
	}
	return nil
}
