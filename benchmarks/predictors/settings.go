package predictors

import (
	"context"
	"fmt"
	"io"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models/predict"
	imageprep "github.com/oatta/oatta/preprocess/image"
)

// The extent of a comparison of settings: streams of Tent, and the first clean picture that the study does not use.
const (
	settingSteps = 300
	settingFrom  = setSize
)

// compareSettings prints a table for each of TTAug, Tent and MEMO with ResNet-20.
func (s *study) compareSettings(ctx context.Context, w io.Writer, o Settings) error {
	sets, err := readSets(o, settingFrom, elsewhere)
	if err != nil {
		return err
	}
	net, err := networks.ResNet20()
	if err != nil {
		return err
	}
	some, few := make([]*networks.Set, len(sets)), make([]*networks.Set, len(sets))
	for i, set := range sets {
		some[i], few[i] = set.First(o.Views), set.First(o.MEMO)
	}
	for _, table := range []func() (*benchmarks.Table, error){
		func() (*benchmarks.Table, error) { return s.choose(ctx, "TTAug", net, some, augmentations()) },
		func() (*benchmarks.Table, error) { return s.chooseTent(ctx, net, sets) },
		func() (*benchmarks.Table, error) {
			list, err := memos(net)
			if err != nil {
				return nil, err
			}
			return s.choose(ctx, "MEMO", net, few, list)
		},
	} {
		t, err := table()
		if err == nil {
			err = t.WriteMarkdown(w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// augmentations are the sets of views of TTAug that fit pictures of this size, with the command line's numbers of views.
func augmentations() (list []networks.Candidate) {
	for _, v := range []imageprep.Views{
		{Set: imageprep.Flip, Augmented: 1},
		{Set: imageprep.Crops, Augmented: 9},
		{Set: imageprep.Crops, Augmented: 9, Padding: 2},
		{Set: imageprep.Scales, Augmented: 9},
		{Set: imageprep.AugMix, Augmented: 9},
		{Set: imageprep.MemoCIFAR, Augmented: 9},
	} {
		name := fmt.Sprintf("%v, %d views", v.Set, v.Augmented)
		if v.Padding != 0 {
			name += fmt.Sprintf(", padding %d", v.Padding)
		}
		s := method.Settings{Name: method.TTAug, Views: &method.Views{Set: v.Set.String(), Count: v.Augmented}, Merge: string(predict.MergeMean)}
		list = append(list, networks.Candidate{Name: name, Settings: s, Views: v})
	}
	return list
}

// memos are MEMO's official settings for CIFAR, and a smaller step.
func memos(net *networks.Network) (list []networks.Candidate, err error) {
	for _, rate := range []float64{5e-3, 1e-3} {
		s, err := method.Preset("cifar", net.Model.Manifest)
		if err != nil {
			return nil, err
		}
		s.Memo.Rate = rate
		views := imageprep.Views{Set: imageprep.MemoCIFAR, Augmented: s.Views.Count}
		list = append(list, networks.Candidate{Name: fmt.Sprintf("%v, %d views, SGD %g", views.Set, s.Views.Count, rate), Settings: s, Views: views})
	}
	return list, nil
}

// choose compares methods that do not mind the order on each picture once.
func (s *study) choose(ctx context.Context, title string, net *networks.Network, sets []*networks.Set, list []networks.Candidate) (*benchmarks.Table, error) {
	n := len(sets[0].Pictures)
	t := &benchmarks.Table{Title: fmt.Sprintf("%s, %s, settings on %d other pictures a set", net.Name, title, n), Columns: []string{"settings", "clean", "against base", "mean of corruptions", "against base"}}
	var base [][]float64
	for _, c := range append([]networks.Candidate{networks.Plain()}, list...) {
		q, err := s.predictAll(ctx, net, c, sets)
		if err != nil {
			return nil, err
		}
		var all [][]float64
		for i, set := range sets {
			all = append(all, hits(q[i], set.Labels))
		}
		row := []string{c.Name, fmt.Sprintf("%.1f", 100*mean(all[0])), "", fmt.Sprintf("%.1f", 100*mean(corrupted(all))), ""}
		if base == nil {
			base = all
		} else {
			row[2], row[4] = plusMinus(minus(all[0], base[0]), 100), plusMinus(minus(corrupted(all), corrupted(base)), 100)
		}
		t.Add(row...)
	}
	t.Notes = []string{settingsNote(sets) + " ± is the standard error of the change over pictures."}
	return t, nil
}

func settingsNote(sets []*networks.Set) string {
	note := "Sets:"
	for i, set := range sets {
		if i > 0 {
			note += ","
		}
		note += " " + set.Name
	}
	return note + "."
}

// tents are Tent's settings: learning rates under three kinds of statistics, other shares of the item's own, and Adam.
func tents() (list []networks.Candidate) {
	add := func(share, rate float64, optimizer string) {
		kind := fmt.Sprint(share)
		switch share {
		case 0:
			kind = "source"
		case 1:
			kind = "batch"
		}
		list = append(list, networks.Candidate{Name: fmt.Sprintf("statistics %s, %s %g", kind, optimizer, rate), Settings: method.Settings{
			Name: method.Tent, Tent: &method.TentSettings{Statistics: share, Optimizer: optimizer, Rate: rate, Reset: "every"},
		}})
	}
	for _, share := range []float64{0, 0.1, 1} {
		for _, rate := range []float64{1e-5, 1e-4, 1e-3, 5e-3} {
			add(share, rate, "sgd")
		}
	}
	for _, share := range []float64{0.05, 0.2, 0.3} {
		add(share, 1e-5, "sgd")
	}
	for _, rate := range []float64{1e-5, 1e-4, 1e-3} {
		add(0, rate, "adam")
	}
	return list
}

// chooseTent compares Tent's settings along one stream of each set and order.
func (s *study) chooseTent(ctx context.Context, net *networks.Network, sets []*networks.Set) (*benchmarks.Table, error) {
	t := &benchmarks.Table{Title: fmt.Sprintf("%s, Tent, settings on one other stream of %d items a set and order", net.Name, settingSteps), Columns: []string{"settings"}}
	for _, o := range orders() {
		t.Columns = append(t.Columns, "clean, "+o.name, "corruptions, "+o.name, "filtered, "+o.name)
	}
	fixed, err := s.predictAll(ctx, net, networks.Plain(), sets)
	if err != nil {
		return nil, err
	}
	for _, c := range append([]networks.Candidate{networks.Plain()}, tents()...) {
		row := []string{c.Name}
		for _, o := range orders() {
			streams, err := o.draw(sets, 0, settingSteps)
			if err != nil {
				return nil, err
			}
			cells, err := s.tentCells(ctx, net, c, fixed, streams)
			if err != nil {
				return nil, err
			}
			row = append(row, cells...)
		}
		t.Add(row...)
	}
	t.Notes = []string{settingsNote(sets) + " The prediction after the step, the source's parameters again after every 100 items. Raw accuracy in percent, and for the corruptions that behind the filter."}
	return t, nil
}

// tentCells are clean, and the mean of corruptions raw and filtered.
func (s *study) tentCells(ctx context.Context, net *networks.Network, c networks.Candidate, fixed [][][]float64, streams []*networks.Stream) ([]string, error) {
	q, err := s.along(ctx, net, c, fixed, streams)
	if err != nil {
		return nil, err
	}
	var raw, after [][]float64
	for i, rows := range q {
		p, err := filtered(rows, s.filter())
		if err != nil {
			return nil, err
		}
		truth := streams[i].Truth()
		raw, after = append(raw, []float64{accuracy(rows, truth)}), append(after, []float64{accuracy(p, truth)})
	}
	return []string{fmt.Sprintf("%.1f", mean(raw[0])), fmt.Sprintf("%.1f", mean(corrupted(raw))), fmt.Sprintf("%.1f", mean(corrupted(after)))}, nil
}
