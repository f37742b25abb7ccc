package priors

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/datasets"
)

// DefaultCorruptions are one on which the imbalanced network is as good as the paper's, and one on which it is worse.
func DefaultCorruptions() []string { return []string{"elastic_transform", "glass_blur"} }

// pictures is how many of each corruption there are.
const pictures = 1000

// ready returns the test set as the imbalanced network has predicted it, with its source prior.
func ready(shared string) (*benchmarks.Predictions, error) {
	sets, err := benchmarks.NeedCIFARSets(shared)
	if err != nil {
		return nil, err
	}
	return sets.Test[slices.IndexFunc(sets.Test, func(p *benchmarks.Predictions) bool { return p.Prior != nil })], nil
}

// predicted lets the imbalanced network predict the corruptions. What cannot be had, for want of the network, its engine or the pictures, is
// left out, and told in missing.
func predicted(ctx context.Context, r *networks.Runner, shared string, corruptions []string) (out []*benchmarks.Predictions, missing []string, err error) {
	from := sync.OnceValues(func() (given, error) { return open(shared) })
	for _, name := range corruptions {
		p, err := predict(ctx, r, from, shared, name)
		var lacking *report.MissingError
		if errors.As(err, &lacking) || errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("priors: %s: %w", name, err)
		}
		out = append(out, p)
	}
	return out, missing, nil
}

// given is what all corruptions share: the network, and the classes of the pictures.
type given struct {
	net    *networks.Network
	labels []int
}

func open(shared string) (g given, err error) {
	if g.net, err = networks.ImbalancedResNet18(shared); err != nil {
		return g, err
	}
	g.labels, err = datasets.ReadCIFARLabels(filepath.Join(shared, "data", "cifar10", "test_labels.u8"))
	return g, err
}

func predict(ctx context.Context, r *networks.Runner, from func() (given, error), shared, corruption string) (*benchmarks.Predictions, error) {
	g, err := from()
	if err != nil {
		return nil, err
	}
	set, err := networks.ReadSet(corruption, filepath.Join(shared, "data", "cifar10c", corruption+".png"), 0, pictures, g.labels)
	if err != nil {
		return nil, err
	}
	q, err := r.Predict(ctx, g.net, networks.Plain(), set)
	if err != nil {
		return nil, err
	}
	p := &benchmarks.Predictions{Name: corruption, Q: q, Truth: set.Labels, Prior: benchmarks.ImbalancedPrior()}
	best := make([]int, len(q))
	benchmarks.Base().Label(best, q)
	p.Accuracy = benchmarks.Accuracy(best, set.Labels)
	return p, nil
}
