package inputs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/oatta/oatta/models"
)

// upright3 is the manifest of a network that was trained on recordings with gravity along x.
func upright3() models.Manifest {
	return models.Manifest{
		Name: "test", Task: models.SignalClassification, Labels: []string{"Walking", "Static"},
		Signal: &models.Signal{
			Name: "x", Modality: models.Motion, Channels: []string{"x", "y", "z"}, Rate: 50, Samples: 100, Unit: "g",
			Standardise: models.ByNumbers, Mean: []float64{0.8, 0, 0.1}, Std: []float64{0.4, 0.4, 0.3},
		},
	}
}

// steps is a recording of somebody who walks with gravity along an axis.
func steps(rate float64, along [3]float64, unit float64) string {
	var b strings.Builder
	b.WriteString("time,x [g],y [g],z [g]\n")
	for i := range int(20 * rate) {
		s := 0.3 * math.Sin(2*math.Pi*1.8*float64(i)/rate)
		fmt.Fprintf(&b, "%.3f,%.4f,%.4f,%.4f\n", float64(i)/rate, unit*(along[0]+s), unit*(along[1]+s/2), unit*(along[2]-s/2))
	}
	return b.String()
}

func TestMotionThatDoesNotFit(t *testing.T) {
	for name, test := range map[string]struct {
		table, want string
	}{
		"as in the training":      {steps(50, [3]float64{1, 0, 0}, 1), ""},
		"faster":                  {steps(100, [3]float64{1, 0, 0}, 1), ""},
		"askew":                   {steps(50, [3]float64{0.8, 0.4, 0.4}, 1), ""},
		"slow":                    {steps(20, [3]float64{1, 0, 0}, 1), "20 Hz, the network takes 50: what is faster than 10 Hz is missing"},
		"another axis":            {steps(50, [3]float64{0, -1, 0}, 1), "gravity lies along -y, in the network's training along x: worn elsewhere, turned, or by somebody who lies"},
		"upside down":             {steps(50, [3]float64{-1, 0, 0}, 1), "gravity lies along -x"},
		"without gravity":         {steps(50, [3]float64{}, 1), "x, y, z are 0.26 g long on average, those of the network's training 1.03: the unit is another (--unit), or gravity was taken out"},
		"metres per second twice": {steps(50, [3]float64{1, 0, 0}, 9.81), "x, y, z are 10.1 g long on average"},
	} {
		in, err := OpenMotion(t.Context(), []string{put(t, t.TempDir(), "a.csv", test.table)}, upright3(), MotionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		told := strings.Join(in.Warnings(), "\n")
		if test.want == "" && told != "" || !strings.Contains(told, test.want) {
			t.Errorf("%s: %q, want %q", name, told, test.want)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
	own := upright3() // standardised by the recording: nothing is known of the training
	own.Signal.Standardise, own.Signal.Mean, own.Signal.Std = models.PerRecording, nil, nil
	in, err := OpenMotion(t.Context(), []string{put(t, t.TempDir(), "a.csv", steps(50, [3]float64{}, 1))}, own, MotionOptions{})
	if err != nil || len(in.Warnings()) > 0 {
		t.Errorf("%v, %q", err, in.Warnings())
	}
}
