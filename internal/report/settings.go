package report

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/oatta/oatta/internal/report/items"
	"github.com/oatta/oatta/internal/scores"
)

// Kind is what the items are.
type Kind string

// The kinds.
const (
	Pictures Kind = "pictures"
	Sleep    Kind = "sleep"
	Movement Kind = "movement"
	Posts    Kind = "posts"
	Other    Kind = "other"
)

// Kinds lists them.
func Kinds() []Kind { return []Kind{Pictures, Sleep, Movement, Posts, Other} }

// ParseKind reads a name; "" is none.
func ParseKind(name string) (Kind, error) {
	if k := Kind(name); name == "" || slices.Contains(Kinds(), k) {
		return k, nil
	}
	return "", fmt.Errorf("kind %q: want one of pictures, sleep, movement, posts, other", name)
}

// Settings says what to make of the results. The zero value is a page without pictures, texts, truth and transitions.
type Settings struct {
	Title       string
	Program     string                               // that makes the report, with its version
	Kind        Kind                                 // "": as the results say
	Inputs      *os.Root                             // folder of the pictures or posts; nil: none are shown
	Texts       func(wanted map[string]string) error // fills in the texts of posts by their names in the results; nil: none are shown
	Labelled    bool                                 // Truth has labels of its own
	Truth       Truth                                // nil: that of the items alone
	Scores      *scores.Evaluation                   // of an eval, in place of those of the items; or nil
	Intervals   *scores.Bootstrap                    // beside Scores
	Transitions bool                                 // show which label follows which
	Thumbnails  int                                  // at most so many pictures; 0: 500
	Streams     int                                  // streams with figures of their own; 0: 12
}

// Truth finds true classes.
type Truth interface {
	// Decide is told the classes, and the true labels that the items hold, before Of.
	Decide(classes, labels []string) error
	// Of returns the class of an item; -1 for a label that is none of the classes, [NoLabel] where there is none.
	Of(it *items.Item) (int, error)
	// Notes say what was taken for what, and what labels are no classes.
	Notes() []string
}

// limits of what is shown, and kept.
const (
	mostThumbnails = 500
	mostFigures    = 12
	mostStreams    = 1000   // streams with a series
	mostRecords    = 2048   // of a series
	mostEpochs     = 20_000 // of a night
	mostDays       = 31     // of a recording
	mostListed     = 200    // rows of a table
	mostMessages   = 50
	mostClasses    = 20 // in a matrix
)

func (s Settings) thumbnails() int {
	if s.Thumbnails > 0 {
		return s.Thumbnails
	}
	return mostThumbnails
}

func (s Settings) figures() int {
	if s.Streams > 0 {
		return s.Streams
	}
	return mostFigures
}

// Noun is what an item is called.
func (k Kind) Noun() string {
	switch k {
	case Pictures:
		return "picture"
	case Sleep:
		return "epoch"
	case Movement:
		return "window"
	case Posts:
		return "post"
	}
	return "item"
}

// KindOf goes by what the manifest calls an item, else by the format, the classes, and the names.
func KindOf(f *items.File, labels []string, file string) Kind {
	if m := f.Manifest; m != nil {
		switch m.What {
		case "picture", "crop":
			return Pictures
		case "epoch":
			return Sleep
		case "window":
			return Movement
		case "post":
			return Posts
		}
	}
	if f.Format == "megadetector" || f.Format == "speciesnet" {
		return Pictures
	}
	if stagesOf(labels) != nil {
		return Sleep
	}
	name := strings.ToLower(file)
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		ending, _, _ := strings.Cut(name[at:], "#")
		if slices.Contains([]string{".jpg", ".jpeg", ".png", ".tif", ".tiff", ".webp", ".bmp", ".gif"}, ending) {
			return Pictures
		}
	}
	return Other
}
