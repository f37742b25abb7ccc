package yasa

const (
	sampleRate   = 100 // Hz, that all features are computed at
	epochSeconds = 30
	epochSamples = sampleRate * epochSeconds
)

// kind is what a channel records.
type kind int

const (
	eeg kind = iota
	eog
	emg
)

func (k kind) String() string { return [...]string{"eeg", "eog", "emg"}[k] }

// feature is one measure of an epoch. They are in the order of their names, which is that of the columns.
type feature int

const (
	absPow feature = iota
	alpha
	alphaTheta
	beta
	deltaBeta
	deltaSigma
	deltaTheta
	fastDelta
	hjorthComplexity
	higuchi
	hjorthMobility
	iqr
	kurtosis
	zeroCrossings
	permutation
	petrosian
	slowDelta
	sigma
	skewness
	deviation
	theta
	featureCount
)

var featureNames = [featureCount]string{
	"abspow", "alpha", "at", "beta", "db", "ds", "dt", "fdelta", "hcomp", "higuchi", "hmob", "iqr", "kurt", "nzc", "perm", "petrosian",
	"sdelta", "sigma", "skew", "std", "theta",
}

// smoothings are the endings of the columns of one measure.
var smoothings = [...]string{"", "_c7min_norm", "_p2min_norm"}

// features returns what is measured of such a channel, in the order of the columns.
func (k kind) features() []feature {
	var out []feature
	for f := range featureCount {
		if k.has(f) {
			out = append(out, f)
		}
	}
	return out
}

func (k kind) has(f feature) bool {
	switch f {
	case alphaTheta, deltaBeta, deltaSigma, deltaTheta:
		return k == eeg
	case slowDelta, fastDelta, theta, alpha, sigma, beta:
		return k != emg
	}
	return true
}

// Names returns the columns of a table in order: those of the EEG, by name, the two of the time, those of the EOG and those of the EMG.
// There are 65 of the EEG and the time, 51 of an EOG and 33 of an EMG.
func Names(withEOG, withEMG bool) []string {
	out := append(eeg.names(), "time_hour", "time_norm")
	if withEOG {
		out = append(out, eog.names()...)
	}
	if withEMG {
		out = append(out, emg.names()...)
	}
	return out
}

func (k kind) names() []string {
	var out []string
	for _, f := range k.features() {
		for _, s := range smoothings {
			out = append(out, k.String()+"_"+featureNames[f]+s)
		}
	}
	return out
}
