package bench

import (
	"maps"
	"slices"
	"strings"

	"github.com/oatta/oatta/benchmarks/report"
)

// difference is something that the paper did otherwise, and why it is not done so here.
type difference struct {
	of                        []string // studies that it is about; nil: all
	what, paper, here, reason string
}

// differenceTable was written with the paper's experimental setup and appendices beside it.
var differenceTable = []difference{
	{
		[]string{"controlled"},
		"Network of the controlled streams", "ResNet-18 trained on CIFAR-10 for 100 epochs, dropout 0.2 before its last layer",
		"the one that the section names: by default a public ResNet-20 with a fortieth of the weights, to which dropout was added after training; or a ResNet-18 trained after the paper's recipe, on JPEG-coded pictures",
		"the paper's weights are not published; the small one runs on two cores in the time that the report may take",
	},
	{
		[]string{"controlled"},
		"Pictures of the controlled streams", "CIFAR-10.1 v6: 2,000 pictures, on which the base is right in 77 %",
		"the lossless CIFAR-10 test set, on which the base is right in 91 to 92 %",
		"the pictures of CIFAR-10.1 could not be had, its labels alone; a better base leaves fewer errors to correct",
	},
	{
		[]string{"controlled"},
		"MEMO", "on all pictures", "on the part of them that the section states, with the base predictor on the same items beside it",
		"a gradient step on 32 views of every picture takes a fifth of a second with the small network and a second with the large one",
	},
	{
		[]string{"corruption"},
		"Pictures of the corruptions", "10,000 of each at severity 5, by the paper's ResNet-18", "the first 1,000 of each at severity 5, by the ResNet-18 trained here: logits that are kept",
		"the archive of CIFAR-10-C is 3 GB; its first thousand pictures of each corruption are at hand",
	},
	{
		[]string{"priors"},
		"Imbalanced network", "ResNet-18 with five classes at a tenth of their pictures", "the same recipe, trained here on JPEG-coded pictures; 81.1 % on the lossless test set", "the paper's weights are not published",
	},
	{
		[]string{"realworld"},
		"Cameras", "Caltech Camera Traps and UNSW Predators: 15 cameras each, three networks fine-tuned from ImageNet",
		"the true order of labels of real cameras, replayed with predictions of a network for other pictures; the paper's sets when --cct and --unsw name them",
		"the pictures (of CCT 105 GB) and the fine-tuned networks are not at hand; an order that is replayed has real dynamics and errors of another network",
	},
	{
		[]string{"realworld"},
		"Movement", "HARTH: 5 of 23 people, back and thigh sensors, three networks", "HAPT: 10 people of 30 whom the embedded network has not seen, a phone at the waist; HARTH when --harth names it", "the files of HARTH could not be had",
	},
	{
		[]string{"realworld"},
		"Sleep", "Sleep-EDF: 10 of 76 people, one channel of EEG, three networks", "recordings of the same collection as spectral features with a linear model, and one whole night with YASA; whole recordings when --sleep-edf names them",
		"the recordings are 8 GB; the features are those of 20 nights",
	},
	{
		[]string{"realworld"},
		"Posts", "Sentiment140: the 150 accounts with the longest timelines of 618,172, three fine-tuned BERTs",
		"accounts of at least 6 posts in 82,775 rows of the same collection, a small convolutional network that is embedded; the whole file when --sent140 names it",
		"a fine-tuned BERT is not at hand; timelines in a part of the collection are short, so that there is less to learn from their order",
	},
	{
		[]string{"flops"},
		"Operations", "formulas", "operations counted in the graphs that run, and the share of time that they take", "counts hold for the graphs here, whose networks are others",
	},
	{
		nil,
		"Filter", "without and with its likelihood-ratio gate", "the same two, off and ewma, and auto, which the paper does not have", "auto is the default of the program: it protects streams without order",
	},
	{
		nil,
		"Randomness", "ten seeds, drawn by NumPy or PyTorch", "as many seeds, of Go's PCG: other streams of the same laws", "the paper's draws are not published",
	},
}

// differences is the section of what is not as in the paper, of the studies that the report has.
func differences(sections []report.Section) report.Section {
	t := report.Table{ID: "differences", Title: "What differs, and why", Columns: []string{"what", "paper", "here", "why"}}
	for _, d := range differenceTable {
		if d.of == nil || slices.ContainsFunc(sections, func(s report.Section) bool { return concerns(d, s) }) {
			t.Add(d.what, d.paper, d.here, d.reason)
		}
	}
	out := report.Section{
		ID: "differences", Title: "What differs from the paper", Tables: []report.Table{t},
		Intro: []string{"No number here is a repetition of the paper's on the same bits: its networks are not published, and of its data sets some could not be had. " +
			"What stands beside the paper's numbers shows whether the pattern holds, not whether the digits do."},
	}
	if seen := modelsOf(sections); len(seen) > 0 {
		used := report.Table{ID: "models", Title: "Networks that were run", Columns: []string{"network", "SHA-256"}}
		for _, name := range slices.Sorted(maps.Keys(seen)) {
			used.Add(name, seen[name])
		}
		out.Tables = append(out.Tables, used)
	}
	if names := lackingNames(sections); names != "" {
		out.Missing = []string{"Not measured, or not in full: " + names + ". Their sections say what is missing."}
	}
	return out
}

func concerns(d difference, s report.Section) bool {
	return len(s.Tables) > 0 && slices.ContainsFunc(d.of, func(name string) bool { return s.ID == name || strings.HasPrefix(s.ID, name+"-") })
}

func modelsOf(sections []report.Section) map[string]string {
	out := map[string]string{}
	for _, s := range sections {
		maps.Copy(out, s.Made.Models)
	}
	return out
}

func lackingNames(sections []report.Section) string {
	var out []string
	for _, s := range sections {
		if len(s.Missing) > 0 {
			out = append(out, s.Title)
		}
	}
	return strings.Join(out, "; ")
}
