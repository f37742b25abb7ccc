package hypnogram

// Summary is the usual numbers of a night, by the definitions of the AASM Manual (Iber et al. 2007, "Parameters to be reported"), in
// minutes unless stated. Time in bed is all epochs that were given: trim them first, or give those between lights out and lights on.
// Epochs that are Unscored count as time and as nothing else.
type Summary struct {
	Epochs     int                `json:"epochs"`
	TimeInBed  float64            `json:"time_in_bed"`
	SleepTime  float64            `json:"total_sleep_time"`    // N1, N2, N3 and R
	Efficiency float64            `json:"sleep_efficiency"`    // share of the time in bed, 0 to 1
	Latency    *float64           `json:"sleep_latency"`       // from the first epoch to the first of sleep; null: no sleep
	REMLatency *float64           `json:"rem_latency"`         // from the first epoch of sleep to the first of R; null: no R
	WASO       float64            `json:"wake_after_onset"`    // W between the first and the last epoch in bed, after the onset of sleep
	Awakenings int                `json:"awakenings"`          // times that W follows sleep
	Changes    int                `json:"stage_changes"`       // between neighbouring scored epochs
	Minutes    map[string]float64 `json:"minutes"`             // of W, N1, N2, N3, R and ?
	Share      map[string]float64 `json:"share_of_sleep_time"` // of N1, N2, N3 and R, 0 to 1
}

// Summarise computes the summary of stages in order, one for each epoch.
func Summarise(stages []Stage) Summary {
	const minutes = EpochSeconds / 60.0
	s := Summary{Epochs: len(stages), TimeInBed: float64(len(stages)) * minutes, Minutes: map[string]float64{}, Share: map[string]float64{}}
	onset, rem := -1, -1
	for i, stage := range stages {
		s.Minutes[stage.String()] += minutes
		if stage.Asleep() {
			s.SleepTime += minutes
			if onset < 0 {
				onset = i
			}
		}
		if stage == R && rem < 0 {
			rem = i
		}
		if stage == W && onset >= 0 {
			s.WASO += minutes
		}
		if i > 0 {
			s.change(stages[i-1], stage)
		}
	}
	s.Latency, s.REMLatency = between(0, onset, minutes), between(onset, rem, minutes)
	if s.SleepTime > 0 {
		s.Efficiency = s.SleepTime / s.TimeInBed
		for _, stage := range []Stage{N1, N2, N3, R} {
			s.Share[stage.String()] = s.Minutes[stage.String()] / s.SleepTime
		}
	}
	return s
}

// change counts what becomes of one epoch in the next.
func (s *Summary) change(from, to Stage) {
	if from != Unscored && to != Unscored && from != to {
		s.Changes++
	}
	if from.Asleep() && to == W {
		s.Awakenings++
	}
}

// between returns the time from one epoch to another, nil if the second never came.
func between(from, to int, minutes float64) *float64 {
	if to < 0 {
		return nil
	}
	m := float64(to-from) * minutes
	return &m
}
