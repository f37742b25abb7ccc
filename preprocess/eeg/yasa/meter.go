package yasa

import "gonum.org/v1/gonum/stat"

// meter measures epochs of one channel; it holds scratch space.
type meter struct {
	kind     kind
	welch    *welch
	arranged []float64
	d1, d2   []float64 // the differences of an epoch and theirs
}

func newMeter(k kind) *meter { return &meter{kind: k, welch: newWelch()} }

// measure returns all features of an epoch; those that the channel lacks are 0.
func (m *meter) measure(x []float64) (out [featureCount]float64) {
	m.d1 = differences(m.d1, x)
	m.d2 = differences(m.d2, m.d1)
	m.arranged = append(m.arranged[:0], x...)
	arrange(m.arranged, 0.25)
	low := quantile(m.arranged, 0.25)
	arrange(m.arranged, 0.75)

	out[deviation] = stat.StdDev(x, nil)
	out[iqr] = quantile(m.arranged, 0.75) - low
	out[skewness], out[kurtosis] = shape(x)
	out[zeroCrossings] = float64(signChanges(x))
	out[hjorthMobility], out[hjorthComplexity] = hjorth(x, m.d1, m.d2)
	out[permutation] = permutationEntropy(x)
	out[higuchi] = higuchiDimension(x)
	out[petrosian] = petrosianDimension(len(x), signChanges(m.d1))

	psd := m.welch.density(x)
	out[absPow] = m.welch.power(psd)
	if m.kind != emg {
		m.welch.shares(psd, &out)
	}
	if m.kind == eeg {
		ratios(&out)
	}
	return out
}

func ratios(v *[featureCount]float64) {
	delta := v[slowDelta] + v[fastDelta]
	v[deltaTheta] = delta / v[theta]
	v[deltaSigma] = delta / v[sigma]
	v[deltaBeta] = delta / v[beta]
	v[alphaTheta] = v[alpha] / v[theta]
}
