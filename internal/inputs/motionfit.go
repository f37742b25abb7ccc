package inputs

import (
	"fmt"
	"math"
	"strings"

	"github.com/oatta/oatta/preprocess/motion"
)

// Bounds beyond which a recording is told to differ from what the network was trained on. They are wide: who lies all day, or runs, is within.
const (
	slowest  = 0.9 // of the network's rate
	shortest = 0.5 // of the root mean square length of the training's samples: gravity alone is most of it
	longest  = 2.0
	upright  = 0.5 // cosine of the angle between the means, for which both must be this part of the length
)

// unfit tells how a recording differs from what the network was trained on, as far as its rate and its moments tell; triples are the channels that are
// axes of one sensor.
func unfit(set motion.Settings, plan *motion.Plan, rate float64, triples [][3]int) (out []string) {
	if rate < slowest*set.Rate {
		out = append(out, fmt.Sprintf("%.4g Hz, the network takes %.4g: what is faster than %.4g Hz is missing", rate, set.Rate, rate/2))
	}
	if set.Mean == nil {
		return out
	}
	for _, t := range triples {
		names := strings.Join([]string{set.Channels[t[0]], set.Channels[t[1]], set.Channels[t[2]]}, ", ")
		here, there := momentsOf(plan.Mean, plan.Std, t), momentsOf(set.Mean, set.Std, t)
		switch ratio := here.length / there.length; {
		case ratio < shortest || ratio > longest:
			out = append(out, fmt.Sprintf("%s are %.3g %s long on average, those of the network's training %.3g: the unit is another (--unit), or gravity was taken out", names, here.length, set.Unit, there.length))
		case here.steady() && there.steady() && here.cosine(there) < upright:
			out = append(out, fmt.Sprintf("gravity lies along %s, in the network's training along %s: worn elsewhere, turned, or by somebody who lies", here.along(set.Channels, t), there.along(set.Channels, t)))
		}
	}
	return out
}

// moments are the mean of three axes, and the root mean square of their length.
type moments struct {
	mean   [3]float64
	length float64
}

func momentsOf(mean, std []float64, t [3]int) (m moments) {
	sum := 0.0
	for i, c := range t {
		m.mean[i] = mean[c]
		sum += mean[c]*mean[c] + std[c]*std[c]
	}
	m.length = math.Sqrt(sum)
	return m
}

func (m moments) size() float64 { return math.Hypot(math.Hypot(m.mean[0], m.mean[1]), m.mean[2]) }

// steady tells whether there is a direction that gravity has for most of the time.
func (m moments) steady() bool { return m.size() > upright*m.length }

func (m moments) cosine(o moments) float64 {
	return (m.mean[0]*o.mean[0] + m.mean[1]*o.mean[1] + m.mean[2]*o.mean[2]) / (m.size() * o.size())
}

// along names the axis that is nearest to the mean.
func (m moments) along(channels []string, t [3]int) string {
	most := 0
	for i := range m.mean {
		if math.Abs(m.mean[i]) > math.Abs(m.mean[most]) {
			most = i
		}
	}
	name := channels[t[most]]
	if m.mean[most] < 0 {
		return "-" + name
	}
	return name
}
