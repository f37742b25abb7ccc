package tent

// Row returns why row i could not adapt, or nil.
func (e RowErrors) Row(i int) error {
	for _, r := range e {
		if r.Row == i {
			return r.Err
		}
	}
	return nil
}

// Restart tells how many of a stream's first steps need not be repeated to bring a lane that begins behind them to the state that it had
// after so many: all up to the last time that it took the source's parameters, where the policy settles when that is. It returns -1
// under [Never], where what earlier streams left counts, too.
func (p *Predictor) Restart(steps int) (from int) {
	switch p.reset.When {
	case Every:
		return steps - steps%p.reset.Items
	case Item:
		return steps
	case Never:
		return -1
	}
	return 0
}
