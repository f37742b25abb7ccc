package yasa

// What external tests need of the internal ones.
var (
	Night         = night
	NightFeatures = nightFeatures
	Golden        = golden
)
