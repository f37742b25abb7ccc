package training

import (
	"fmt"
	"strings"
)

// Recipe is the settings by which the paper's networks were trained (appendix, Training Details). Batch sizes, but for CIFAR-10, warm-up and
// changes of examples are not told there; those here are usual ones.
type Recipe struct {
	Name     string
	About    string
	Settings Settings
	Pictures PictureChanges
}

// Recipes returns all of them.
func Recipes() []Recipe {
	constant := Schedule{Course: Constant}
	return []Recipe{
		{
			"cifar", "CIFAR-10 from scratch: SGD, 100 epochs, cut by ten after half and three quarters",
			Settings{
				Epochs: 100, Batch: 128, Rates: []float64{0.1}, Schedule: Schedule{Course: Steps, Drops: []float64{0.5, 0.75}, DropFactor: 0.1},
				Optimizer: "sgd", Momentum: 0.9, Nesterov: true, Decay: 5e-4,
			},
			PictureChanges{Pad: 4, Flip: true},
		},
		{
			"image", "camera traps from published weights: AdamW, 15000 steps (UNSW: 5000), the best of three rates",
			Settings{Steps: 15000, Every: 500, Batch: 32, Rates: []float64{1e-4, 5e-5, 1e-5}, Schedule: constant, Optimizer: "adamw", Decay: 1e-4},
			PictureChanges{Flip: true},
		},
		{
			"sensor", "movement and sleep from scratch: AdamW, 45000 steps, the best of three rates",
			Settings{Steps: 45000, Every: 1000, Batch: 64, Rates: []float64{1e-3, 5e-4, 1e-4}, Schedule: constant, Optimizer: "adamw", Decay: 1e-3},
			PictureChanges{},
		},
		{
			"text", "posts from published weights: AdamW, 30000 steps, the best of three rates",
			Settings{Steps: 30000, Every: 1000, Batch: 32, Rates: []float64{1e-5, 2e-5, 3e-5}, Schedule: constant, Optimizer: "adamw", Decay: 1e-2},
			PictureChanges{},
		},
	}
}

// RecipeOf returns a recipe by its name.
func RecipeOf(name string) (Recipe, error) {
	var names []string
	for _, r := range Recipes() {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Recipe{}, fmt.Errorf("training: no recipe %q; there are %s", name, strings.Join(names, ", "))
}
