package adapt

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestZeroSettingsAreAuto(t *testing.T) {
	s, err := Settings{}.Resolved(3)
	if err != nil {
		t.Fatal(err)
	}
	if s.Gate != GateAuto || s.Temperature != 1 || s.Auto == nil || s.Paper != nil || s.Prior != nil {
		t.Errorf("resolved %+v", s)
	}
}

// Settings are copied in: a caller who changes a slice afterwards does not reach the filter.
func TestSettingsAreCopied(t *testing.T) {
	prior, auto := []float64{0.5, 0.5}, DefaultAuto()
	f := newFilter(t, 2, Settings{Prior: prior, Auto: &auto})
	prior[0], auto.Grid[0] = 7, 7
	if s := f.Settings(); s.Prior[0] != 0.5 || slices.Contains(s.Auto.Grid, 7) {
		t.Errorf("the filter's settings changed with the caller's: %+v", s)
	}
}

func TestSettingsOutOfRange(t *testing.T) {
	paper := func(change func(*Paper)) Settings {
		p := DefaultPaper()
		change(&p)
		return Settings{Gate: GateEWMA, Paper: &p}
	}
	auto := func(change func(*Auto)) Settings {
		a := DefaultAuto()
		change(&a)
		return Settings{Auto: &a}
	}
	nan := math.NaN()
	for want, s := range map[string]Settings{
		`gate "best": want one of`: {Gate: "best"},
		"temperature -1: want":     {Temperature: -1},
		"temperature NaN":          {Temperature: nan},
		"prior has 2 entries":      {Prior: []float64{0.5, 0.5}},
		"prior[1] is 0":            {Prior: []float64{0.5, 0, 0.5}},
		"prior[0] is NaN":          {Prior: []float64{nan, 0.5, 0.5}},
		"prior sums to 1.5":        {Prior: []float64{0.5, 0.5, 0.5}},
		`init "ones": want`:        paper(func(p *Paper) { p.Init = "ones" }),
		"kappa 0: want":            paper(func(p *Paper) { p.Kappa = 0 }),
		"gamma 1: want 0 to":       paper(func(p *Paper) { p.Gamma = 1 }),
		"tau NaN":                  paper(func(p *Paper) { p.Tau = nan }),
		"eta 1.5":                  paper(func(p *Paper) { p.Eta = 1.5 }),
		"window 0":                 paper(func(p *Paper) { p.Window = 0 }),
		"margin +Inf":              paper(func(p *Paper) { p.Margin = math.Inf(1) }),
		"gate-tau 0":               paper(func(p *Paper) { p.GateTau = 0 }),
		"eps -1":                   paper(func(p *Paper) { p.Eps = -1 }),
		"grid has 0 values":        auto(func(a *Auto) { a.Grid = nil }),
		"grid[0] 1: want":          auto(func(a *Auto) { a.Grid = []float64{1} }),
		"errors[1] NaN":            auto(func(a *Auto) { a.Errors = []float64{0, nan} }),
		"temperatures[0] 0":        auto(func(a *Auto) { a.Temperatures = []float64{0} }),
		"w_none 0":                 auto(func(a *Auto) { a.None = 0 }),
		"share 1":                  auto(func(a *Auto) { a.Share = 1 }),
		"beta 0":                   auto(func(a *Auto) { a.Beta = 0 }),
		"active -1":                auto(func(a *Auto) { a.Active = -1 }),
		"active 16385":             auto(func(a *Auto) { a.Active = MaxClasses + 1 }),
	} {
		if err := s.Validate(3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate: %v, want %q", err, want)
		}
	}
	many := DefaultAuto()
	many.Temperatures, many.Active = slices.Repeat([]float64{1}, 64), MaxClasses
	if err := (Settings{Auto: &many}).Validate(MaxClasses); err == nil || !strings.Contains(err.Error(), "bytes a stream") {
		t.Errorf("64 temperatures of %d classes: %v", MaxClasses, err)
	}
	for _, classes := range []int{-1, 0, MaxClasses + 1} {
		if _, err := New(classes, Settings{}); err == nil {
			t.Errorf("New(%d): no error", classes)
		}
	}
}

// Only the second edition, which keeps its numbers, has a learned matrix that admits errors unless it is asked for.
func TestLearnedMatricesByDefault(t *testing.T) {
	second, third := SecondAuto(), DefaultAuto()
	for _, c := range []struct {
		auto    *Auto
		classes int
		want    []float64
	}{
		{nil, 4, []float64{0}},
		{nil, 1000, []float64{0}},
		{&third, 4, []float64{0}},
		{&second, 4, []float64{0, 0.2}},
		{&second, 24, []float64{0, 0.2}},
		{&second, 25, []float64{0}},
	} {
		got := newFilter(t, c.classes, Settings{Auto: c.auto}).Settings().Auto
		if !slices.Equal(got.FullErrors, c.want) {
			t.Errorf("edition %d, %d classes: matrices that admit %v, want %v", got.Edition, c.classes, got.FullErrors, c.want)
		}
	}
}
