package pipeline

import (
	"errors"
	"fmt"
)

// checkPredictor reports a job that does not say who predicts, or whose predictor does not fit its filter.
func (j *Job) checkPredictor() error {
	if (j.Predictor == nil) == (j.Streams == nil) {
		return errors.New("pipeline: want a predictor or a stream predictor, one of the two")
	}
	classes := 0
	if j.Predictor != nil {
		classes = j.Predictor.Classes()
	} else {
		classes = j.Streams.Classes()
	}
	if want := j.Filter.Classes; classes != want {
		return fmt.Errorf("pipeline: the predictor has %d classes, the filter %d", classes, want)
	}
	return nil
}
