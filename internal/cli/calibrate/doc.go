// Package calibrate is the command that fits temperature, class prior and transitions to labelled predictions.
package calibrate
