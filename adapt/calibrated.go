package adapt

import "slices"

// Calibrated returns the settings with the temperature for a predictor whose probabilities fit its labels best at the temperature
// fitted, which must be over 0. The paper's modes take it as it is. Auto tries several multiples of the temperature, and the fitted
// one shall be the hottest of them: beyond it every class is likely, and a predictor that prefers a few classes passes for a stream
// whose label stays. Between 1 and the hottest multiple, 1.8 by default, auto has what it needs without a temperature.
//
// Measured by `oatta bench detection --transfer`, in points against auto without a temperature. Noisy HAPT
// predictions, T = 6.35: +4.6 either way. Sleep, T = 1.56: 0, and -1.4 with T as the coldest. The T = 1.60 of clean CIFAR-10 on its
// corruptions: 0, as it lies within what auto tries; as the coldest up to +1.4 where labels stay long, and down to -30 on a short
// stream without order (-steps 300 -seeds 1).
func (s Settings) Calibrated(fitted float64) Settings {
	s.Temperature = fitted
	if s.Gate != GateAuto && s.Gate != "" || fitted <= 1 {
		return s
	}
	a := DefaultAuto()
	if s.Auto != nil {
		a = *s.Auto
	}
	if len(a.Temperatures) > 0 { // none is for Validate to refuse
		s.Temperature = max(fitted/max(slices.Max(a.Temperatures), 1), 1)
	}
	return s
}

// TopOnly returns the settings for predictions of which only the best class and its probability are known, so that the mass of all others is
// a guess: auto then learns no matrix of which class follows which, as it would learn the guess. Measured by `oatta bench
// truncation`: streams that cycle through the classes lose up to 2.1 points with learned matrices, and nothing without; streams whose classes stay
// gain the same. Settings of the caller's own for auto stay as they are.
func (s Settings) TopOnly() Settings {
	if s.Auto != nil || s.Gate != GateAuto && s.Gate != "" {
		return s
	}
	a := DefaultAuto()
	a.Full = 0
	s.Auto = &a
	return s
}
