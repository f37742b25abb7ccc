package backbone

// Recipe says how pictures were prepared for published weights: the shorter edge becomes Resize pixels, the middle is cut out, and each
// value of full scale 1 becomes (v-Mean)/Std of its colour.
type Recipe struct {
	Name          string // of the weights, as torchvision has it
	File          string // a part of the file's name that tells these weights from others; may be empty
	Resize        int    // pixels, for the default size of the network
	Interpolation string // Bilinear or Bicubic
	Mean, Std     [3]float64
}

// Filters of a Recipe, in the words of package models.
const (
	Bilinear = "bilinear"
	Bicubic  = "bicubic"
)

var (
	imagenetMean = [3]float64{0.485, 0.456, 0.406}
	imagenetStd  = [3]float64{0.229, 0.224, 0.225}
	liteMean     = [3]float64{127.0 / 255, 127.0 / 255, 127.0 / 255}
	liteStd      = [3]float64{128.0 / 255, 128.0 / 255, 128.0 / 255}
	cifarMean    = [3]float64{0.4914, 0.4822, 0.4465}
	cifarStd     = [3]float64{0.2470, 0.2435, 0.2616}
)
