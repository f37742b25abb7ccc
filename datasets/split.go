package datasets

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/oatta/oatta/datasets/internal/message"
)

// Identity is what streams belong to, a camera location, a person or a user, and how many samples there are of it: pictures, windows,
// epochs or posts.
type Identity struct {
	Name    string `json:"name"`
	Samples int    `json:"samples"`
}

// SplitSettings says how identities are split.
type SplitSettings struct {
	Test       int     // identities of the test split, at least 1 and not all of them; see PaperSplits
	Validation float64 // share of the other samples, 0 to below 1; 0: 0.1
	Seed       uint64  // of the draw of the validation samples; the test split has nothing random
}

// Split divides a collection as the paper does: the identities with the longest streams are the test split, so that streams are long
// enough to adapt on and nobody who was trained on is tested; of all other samples one in ten, at random, is for validation. That draw
// is by sample, so the same identity may be trained on and validated on, and where windows overlap so do the two parts.
//
// It is written as JSON and read back as it is: with the seed, it says which sample belongs where.
type Split struct {
	Seed       uint64           `json:"seed"`
	Test       []Identity       `json:"test"`       // longest first; of equal length in natural order of names
	Rest       []Identity       `json:"rest"`       // in natural order of names
	Validation map[string][]int `json:"validation"` // of each identity of Rest that has any, in rising order; all its other samples are for training
}

// Part is where a sample belongs.
type Part string

// The parts of a split.
const (
	PartTrain      Part = "train"
	PartValidation Part = "validation"
	PartTest       Part = "test"
)

// splitDraws keeps the draw apart from those of streams with the same seed.
const splitDraws = 0x6f617474612d7370

// SplitIdentities splits. The result depends on the names, the numbers and the settings alone, not on the order of the identities. A
// name that occurs twice, a negative number and settings out of range are errors.
func SplitIdentities(identities []Identity, s SplitSettings) (*Split, error) {
	s.Validation = cmp.Or(s.Validation, 0.1)
	if s.Test < 1 || s.Test >= len(identities) {
		return nil, fmt.Errorf("datasets: split of %d identities with %d for the test: want at least 1, and some left", len(identities), s.Test)
	}
	if !(s.Validation > 0 && s.Validation < 1) {
		return nil, fmt.Errorf("datasets: split with a share of %g for validation: want more than 0 and less than 1", s.Validation)
	}
	all := slices.Clone(identities)
	byName := func(a, b Identity) int { return CompareNatural(a.Name, b.Name) }
	slices.SortFunc(all, byName)
	for i, one := range all {
		if one.Samples < 0 || i > 0 && one.Name == all[i-1].Name {
			return nil, fmt.Errorf("datasets: split: identity %s with %d samples: want each once, with none or more", message.Show(one.Name), one.Samples)
		}
	}
	slices.SortStableFunc(all, func(a, b Identity) int { return cmp.Compare(b.Samples, a.Samples) })
	out := &Split{Seed: s.Seed, Test: slices.Clone(all[:s.Test]), Rest: all[s.Test:]}
	slices.SortFunc(out.Rest, byName)
	out.draw(s.Validation)
	return out, nil
}

// draw chooses exactly a share of the samples of Rest, rounded up as the paper's own numbers are, each set of so many as likely as any
// other: of the samples one after another, each is taken with the probability of those still wanted among those still to come (Knuth,
// The Art of Computer Programming, volume 2, 3.4.2, algorithm S).
func (s *Split) draw(share float64) {
	left := samples(s.Rest)
	want := int(math.Ceil(share*float64(left) - 1e-9)) // a tenth of thirty is not four
	rng := rand.New(rand.NewPCG(s.Seed, splitDraws))
	s.Validation = map[string][]int{}
	for _, one := range s.Rest {
		for i := range one.Samples {
			if rng.IntN(left) < want {
				s.Validation[one.Name] = append(s.Validation[one.Name], i)
				want--
			}
			left--
		}
	}
}

func samples(of []Identity) (n int) {
	for _, one := range of {
		n += one.Samples
	}
	return n
}

// Part returns where a sample belongs, counted from 0 in the order of its identity. What is in no list is for training.
func (s *Split) Part(identity string, sample int) Part {
	if slices.ContainsFunc(s.Test, func(one Identity) bool { return one.Name == identity }) {
		return PartTest
	}
	if _, drawn := slices.BinarySearch(s.Validation[identity], sample); drawn {
		return PartValidation
	}
	return PartTrain
}

// Counts returns the number of samples of each part.
func (s *Split) Counts() (train, validation, test int) {
	for _, drawn := range s.Validation {
		validation += len(drawn)
	}
	return samples(s.Rest) - validation, validation, samples(s.Test)
}

// PaperSplit is a row of the paper's table of splits, with its class count. Validation is a tenth of what is not for the test, but for
// HARTH (a sixth) and Sleep-EDF (an eighth), which the text does not explain.
type PaperSplit struct {
	Dataset               string
	Classes               int
	Identities, Test      int // Test are those with the longest streams
	TrainN, ValidN, TestN int // samples
}

// PaperSplits are the paper's five collections (Table "Dataset split summary"): SplitSettings.Test is their Test.
func PaperSplits() []PaperSplit {
	return []PaperSplit{
		{"cct", 14, 65, 15, 18328, 2037, 154749},
		{"unsw", 5, 82, 15, 5055, 562, 3318},
		{"harth", 6, 23, 5, 74504, 14713, 39997},
		{"sleep-edf", 5, 76, 10, 147802, 20777, 26900},
		{"sent140", 2, 618172, 150, 1278053, 142008, 22505},
	}
}
