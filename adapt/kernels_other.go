//go:build !amd64

package adapt

// wide: there are kernels for amd64 alone.
const wide = false

func sumWide(_ int, _, _ *float64)                      {}
func dotWide(_ int, _, _, _ *float64)                   {}
func dot4Wide(_ int, _, _, _, _, _ *float64)            {}
func scaleWide(_ int, _, _, _ *float64)                 {}
func addScaledWide(_ int, _, _, _ *float64)             {}
func addScaled2Wide(_ int, _, _, _, _ *float64)         {}
func followWide(_ int, _, _, _, _, _, _ *float64)       {}
func persistWide(_ int, _, _, _, _ *float64)            {}
func liftWide(_ int, _, _, _, _, _, _, _ *float64)      {}
func learnRowWide(_ int, _, _, _, _, _ *float64)        {}
func aimWide(_ int, _, _, _, _, _, _ *float64)          {}
func learnSumsWide(_ int, _, _, _, _, _, _, _ *float64) {}
func massWide(_ int, _, _, _, _ *float64)               {}
func staticWide(_ int, _, _, _, _ *float64)             {}
func raiseWide(_ int, _, _ *float64)                    {}
func rootWide(_ int, _, _ *float64)                     {}
func driftWide(_ int, _, _, _, _ *float64)              {}
func driftUniformWide(_ int, _, _, _ *float64)          {}
func maxWide(_ int, _, _ *float64)                      {}
func minWide(_ int, _, _ *float64)                      {}

func powersWide(_ int, _, _, _ *float64, _ *expLanes, _ *float64) int { return 0 }
func logsWide(_ int, _, _ *float64, _ *logLanes, _ *logEntry) int     { return 0 }
