package benchmarks

import (
	"errors"
	"io/fs"

	"github.com/oatta/oatta/benchmarks/report"
)

// NeedCIFARSets is [ReadCIFARSets] for a study that can do nothing without: where a file is absent, the error is a report.MissingError.
func NeedCIFARSets(shared string) (*CIFARSets, error) {
	sets, err := ReadCIFARSets(shared)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &report.MissingError{What: "predictions for CIFAR-10 (data/predictions and data/cifar10 of --shared)", Err: err}
	}
	return sets, err
}
