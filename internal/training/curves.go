package training

import (
	"fmt"

	"github.com/oatta/oatta/internal/charts"
)

// Curves draws loss and accuracy along the steps, a colour for each learning rate.
func Curves(title string, rows []Row) ([]byte, error) {
	loss, accuracy := charts.Panel{Name: "loss (nats)"}, charts.Panel{Name: "accuracy"}
	for from, colour := 0, 0; from < len(rows); colour++ {
		to := from
		var steps, train, held, right, heldRight []float64
		for ; to < len(rows) && rows[to].Rate == rows[from].Rate; to++ {
			r := rows[to]
			steps = append(steps, float64(r.Step))
			train, held = append(train, r.Loss), append(held, r.ValidationNLL)
			right, heldRight = append(right, r.Accuracy), append(heldRight, r.ValidationAccuracy)
		}
		name := fmt.Sprintf("rate %g, ", rows[from].Rate)
		curve := func(what string, y []float64, dashed bool) charts.Curve {
			return charts.Curve{Name: name + what, X: steps, Y: y, Colour: colour, Dashed: dashed}
		}
		loss.Curves = append(loss.Curves, curve("training", train, true), curve("validation", held, false))
		accuracy.Curves = append(accuracy.Curves, curve("training", right, true), curve("validation", heldRight, false))
		from = to
	}
	return charts.Curves(title, "step", []charts.Panel{loss, accuracy}).Encode("svg")
}
