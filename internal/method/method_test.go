package method

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
)

// signals is a small untrained network, in memory.
func signals(t *testing.T) *models.Model {
	t.Helper()
	net, err := backbone.New("cnn1d", backbone.Options{Classes: 4, Samples: 32, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := models.New(onnx.New(net.Graph), models.Manifest{
		Name: "small", Task: models.SignalClassification, Labels: []string{"a", "b", "c", "d"},
		Signal: &models.Signal{Name: "input", Modality: models.Motion, Channels: []string{"x", "y", "z"}, Rate: 50, Samples: 32},
		Output: models.Output{Name: "logits"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// picture is a manifest of pictures of a side.
func picture(side int) models.Manifest {
	return models.Manifest{Input: models.Input{Height: side, Width: side}}
}

// What a manifest records is read back as it was, and these are its words.
func TestSettingsAreTheirJSON(t *testing.T) {
	for name, want := range map[string]string{
		Base:      `{"name":"base","seed":0}`,
		MCDropout: `{"name":"mc-dropout","seed":0,"mc_dropout":{"passes":30}}`,
		TTAug:     `{"name":"ttaug","seed":0,"views":{"set":"crops","count":9},"merge":"mean"}`,
		Tent:      `{"name":"tent","seed":0,"tent":{"batch_statistics":0,"optimizer":"sgd","rate":0.00001,"steps":1,"predict":"after","reset":"every","reset_items":100}}`,
		Memo:      `{"name":"memo","seed":0,"views":{"set":"memo-cifar","count":32},"memo":{"preset":"cifar","optimizer":"sgd","rate":0.005,"decay":0,"parameters":"all","statistics_prior":0}}`,
	} {
		s, err := Default(name, picture(32))
		if err == nil {
			err = s.Validate()
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, err := json.Marshal(s)
		if err != nil || string(text) != want {
			t.Errorf("%s: %s, %v\nwant %s", name, text, err, want)
		}
		var again Settings
		if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%s: read back as %+v, %v", name, again, err)
		}
	}
}

func TestDefaultsGoByTheModel(t *testing.T) {
	sleep, text := models.Manifest{Signal: &models.Signal{}}, models.Manifest{Text: &models.Text{}}
	for _, c := range []struct {
		name  string
		m     models.Manifest
		views Views
	}{
		{TTAug, picture(224), Views{"crops", 9}},
		{TTAug, sleep, Views{"usual", 9}},
		{Memo, picture(64), Views{"memo-cifar", 32}},
		{Memo, picture(224), Views{"augmix", 16}},
		{Memo, sleep, Views{"usual", 16}},
		{Memo, text, Views{"usual", 16}},
	} {
		if s, err := Default(c.name, c.m); err != nil || *s.Views != c.views {
			t.Errorf("%s: %+v, %v, want %+v", c.name, s.Views, err, c.views)
		}
	}
	if s, err := Preset("transformer", picture(224)); err != nil || s.Memo.Optimizer != "adamw" || s.Memo.Prior != 16 {
		t.Errorf("%+v, %v", s.Memo, err)
	}
	if v := DefaultViews("flip", 9); v.Count != 1 {
		t.Errorf("a picture has %d mirror images", v.Count)
	}
}

// What runs mostly have is of Tent alone, on a CPU alone, and one where streams go one after another.
func TestForRows(t *testing.T) {
	of := func(name, reset string) Settings {
		s, err := Default(name, picture(32))
		if err != nil {
			t.Fatal(err)
		}
		if s.Tent != nil {
			s.Tent.Reset = reset
		}
		return s
	}
	for _, c := range []struct {
		s      Settings
		device runtime.Device
		want   int
	}{
		{of(Tent, "every"), runtime.DeviceCPU, 8},
		{of(Tent, "every"), "", 8},
		{of(Tent, "never"), runtime.DeviceCPU, 1},
		{of(Tent, "every"), runtime.DeviceCUDA, 0},
		{of(Tent, "every"), runtime.DeviceAuto, 0},
	} {
		if got := c.s.ForRows(8, c.device); got.Tent.Rows != c.want || c.s.Tent.Rows != 0 {
			t.Errorf("%s on %q: %d rows, want %d; the settings before have %d", c.s.Tent.Reset, c.device, got.Tent.Rows, c.want, c.s.Tent.Rows)
		}
	}
	for _, s := range []Settings{of(Base, ""), of(Memo, ""), {Name: Tent}} {
		if got := s.ForRows(8, runtime.DeviceCPU); !reflect.DeepEqual(got, s) {
			t.Errorf("%+v became %+v", s, got)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, s := range map[string]Settings{
		`"magic": want base`:         {Name: "magic"},
		"settings of tent":           {Name: Tent},
		"settings of memo":           {Name: Base, Memo: &MemoSettings{}},
		"settings of mc-dropout":     {Name: MCDropout},
		"views are those of":         {Name: Base, Views: &Views{}},
		"0 views":                    {Name: TTAug, Views: &Views{}},
		"1024 views":                 {Name: TTAug, Views: &Views{Count: 1024}},
		`merge "median"`:             {Name: TTAug, Views: &Views{Count: 1}, Merge: "median"},
		`optimizer "lbfgs"`:          {Name: Tent, Tent: &TentSettings{Optimizer: "lbfgs"}},
		`predict "now"`:              {Name: Tent, Tent: &TentSettings{Predict: "now"}},
		`reset "often"`:              {Name: Tent, Tent: &TentSettings{Reset: "often"}},
		"weight 2 of the item's":     {Name: Tent, Tent: &TentSettings{Statistics: 2}},
		"memo: Rate 0":               {Name: Memo, Views: &Views{Count: 1}, Memo: &MemoSettings{}},
		`memo: Parameters "biases"`:  {Name: Memo, Views: &Views{Count: 1}, Memo: &MemoSettings{Rate: 1, Parameters: "biases"}},
		"predictor tent: views are ": {Name: Tent, Tent: &TentSettings{}, Views: &Views{Count: 1}},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
	if _, err := Default("magic", picture(32)); err == nil || !strings.Contains(err.Error(), `"magic"`) {
		t.Error(err)
	}
	if _, err := Preset("magic", picture(32)); err == nil || !strings.Contains(err.Error(), `"magic"`) {
		t.Error(err)
	}
}

// A graph that was made says for whom, and has its settings.
func TestMadeGraphs(t *testing.T) {
	m := signals(t)
	if MadeFor(m) != "" {
		t.Errorf("a plain network is for %s", MadeFor(m))
	}
	for _, name := range []string{MCDropout, Tent, Memo} {
		s, err := Default(name, m.Manifest)
		if err != nil || !s.HasGraph() {
			t.Fatal(name, err)
		}
		g, err := s.Graph(m)
		if err != nil {
			t.Fatal(name, err)
		}
		made, err := models.New(g, m.Manifest)
		if err != nil {
			t.Fatal(name, err)
		}
		of, err := Of(made, "jitter")
		if MadeFor(made) != name || err != nil || of.Name != name || of.Tent != nil || of.Memo != nil || of.Dropout != nil {
			t.Errorf("%s: %+v, %v", name, of, err)
		}
		if name == Memo && *of.Views != (Views{"jitter", 16}) {
			t.Errorf("views %+v", of.Views)
		}
	}
}

// Decision trees have nothing that most predictors change: the error says so, and what can be done.
func TestTrees(t *testing.T) {
	m, err := models.Load("yasa-eeg")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		s, err := Default(name, m.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		refused := name != Base && name != TTAug
		if _, err = s.Graph(m); (err != nil) != refused || refused && !strings.Contains(err.Error(), name+": yasa-eeg is of decision trees, which have no ") {
			t.Errorf("%s: %v", name, err)
		}
		if !refused {
			continue
		}
		if _, err := Open(nil, m, s, Options{}); err == nil || !strings.HasSuffix(err.Error(), ": base takes it as it is, ttaug merges views") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
