package movement

import (
	"context"
	"fmt"

	"github.com/oatta/oatta/internal/method"
)

// predict returns the probabilities of the windows, by their number in the input, as predicted in an order.
func (s *study) predict(ctx context.Context, set method.Settings, order []int) (map[int][]float64, error) {
	out, err := s.runs.Predict(ctx, set, order)
	if err == nil && len(out) < len(order) {
		err = fmt.Errorf("%d of %d windows could not be predicted", len(order)-len(out), len(order))
	}
	return out, err
}
