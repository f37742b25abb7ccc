package realworld

import (
	"fmt"
	"path/filepath"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/method"
)

// ready is a collection whose predictions lie at hand.
type ready struct {
	source
	labels  []string
	network string
	said    predicted
}

// sleepers are people whose nights were staged by a logistic regression on spectral features that was trained on others.
func sleepers(s Settings) (ready, error) {
	out := ready{
		source: source{
			id: "sleepers", title: "Sleepers, by features (Sleep-EDF)",
			intro: []string{"Five people of Sleep-EDF, two nights each: stages by a logistic regression on 72 spectral features of each epoch of 30 seconds, trained on other people. " +
				"These are ready predictions (data/predictions/sleep_lr.jsonl.gz), of which there is but one predictor; the filter knows nothing of a population."},
			person: func(stream string) string { return stream[:min(5, len(stream))] },
		},
		network: "logistic regression",
	}
	name := filepath.Join(s.Shared, "data", "predictions", "sleep_lr.jsonl.gz")
	if _, err := there(name, "predictions of sleep (data/predictions of --shared)", ""); err != nil {
		return out, err
	}
	all, err := benchmarks.ReadRealCollections(s.Shared)
	if err != nil {
		return out, err
	}
	for _, c := range all {
		if c.File == "sleep_lr" {
			out.labels, out.said = c.Labels, gathered(c.Streams, out.person, s)
		}
	}
	return out, nil
}

// gathered puts streams of one person together, and draws other orders of each stream.
func gathered(streams []*benchmarks.Stream, person func(stream string) string, s Settings) predicted {
	out := predicted{predictor: method.Base}
	at := map[string]int{}
	for _, one := range streams {
		name := person(one.Name)
		if _, known := at[name]; !known {
			if s.Quick && len(out.ordered) == quickIdentities {
				continue
			}
			at[name] = len(out.ordered)
			out.ordered = append(out.ordered, identity{name: name})
		}
		i := at[name]
		out.ordered[i].streams = append(out.ordered[i].streams, one)
	}
	for draw := range s.Shuffles {
		var ids []identity
		for _, one := range out.ordered {
			other := identity{name: one.name}
			for _, stream := range one.streams {
				other.streams = append(other.streams, stream.Shuffled(uint64(draw+1)))
			}
			ids = append(ids, other)
		}
		out.shuffled = append(out.shuffled, ids)
	}
	return out
}

// camera replays the labels of one camera, in their order, with predictions of pictures of something else: each corruption of CIFAR-10-C is a
// predictor that is wrong in its own way, and stands for an identity.
func camera(s Settings) (ready, error) {
	out := ready{
		source: source{
			id: "camera", title: "A camera trap, replayed (Caltech Camera Traps, location 46)",
			intro: []string{"6,145 labels of one camera over 13 months in their order; its pictures are not at hand. Each label is given a class of CIFAR-10, and each step a prediction of the project's ResNet-18 " +
				"for a picture of that class: of 15 corruptions at severity 5, each a predictor that is wrong in its own way. So the order is real, and the errors are not those of a camera trap: " +
				"they are independent given the label. What stands for an identity here is the camera seen through one corruption. (The paper has 15 cameras of this collection; its numbers are of other pictures.)"},
		},
		labels: make([]string, 10), network: "ResNet-18 on CIFAR-10-C",
	}
	for i := range out.labels {
		out.labels[i] = fmt.Sprint(i)
	}
	name := filepath.Join(s.Shared, "data", "cameratrap", "iwildcam2019_cct_loc46_labels.csv")
	if _, err := there(name, "labels of a camera (data/cameratrap of --shared)", ""); err != nil {
		return out, err
	}
	if _, err := there(filepath.Join(s.Shared, "data", "predictions", "cifar10c_first1000_resnet18_balanced_logits.npz"), "predictions of corrupted pictures (data/predictions of --shared)", ""); err != nil {
		return out, err
	}
	order, err := datasets.ReadCCTSequence(name)
	if err != nil {
		return out, err
	}
	sets, err := benchmarks.ReadCIFARSets(s.Shared)
	if err != nil {
		return out, err
	}
	through := sets.Corrupted
	if s.Quick {
		through = through[:min(quickIdentities, len(through))]
	}
	var streams []*benchmarks.Stream
	whose := map[string]string{}
	replayed := &benchmarks.Order{Name: "camera", Sequences: []datasets.Sequence{order}}
	for seed := range s.Seeds {
		for _, set := range through {
			c, err := replayed.Replay(set, uint64(seed+1))
			if err != nil {
				return out, err
			}
			one := c.Streams[0]
			one.Name = fmt.Sprintf("%s, draw %d", set.Name, seed+1)
			whose[one.Name], streams = set.Name, append(streams, one)
		}
	}
	out.said = gathered(streams, func(stream string) string { return whose[stream] }, s)
	return out, nil
}
