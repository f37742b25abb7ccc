package method_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// counter counts how models are opened.
type counter struct {
	runtime.Engine
	bytes, files int
	sessions     []*closing
}

// closing remembers that it was closed.
type closing struct {
	runtime.Session
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return c.Session.Close()
}

func (c *counter) Open(model []byte, cfg runtime.Config) (runtime.Session, error) {
	c.bytes++
	s, err := c.Engine.Open(model, cfg)
	c.sessions = append(c.sessions, &closing{Session: s})
	return struct {
		*closing
		runtime.Inspector
	}{c.sessions[len(c.sessions)-1], s.(runtime.Inspector)}, err
}

func (c *counter) OpenFile(path string, cfg runtime.Config) (runtime.Session, error) {
	c.files++
	return c.Engine.OpenFile(path, cfg)
}

// save writes a small untrained network with its manifest, and returns its path.
func save(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "net.onnx")
	net, err := backbone.New("cnn1d", backbone.Options{Classes: 4, Samples: 32, Seed: 1})
	if err == nil {
		err = onnx.New(net.Graph).Save(path, onnx.SaveSettings{})
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(models.ManifestPath(path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := models.Manifest{
		Version: models.ManifestVersion, Name: "small", Task: models.SignalClassification, Labels: []string{"a", "b", "c", "d"},
		Signal: &models.Signal{Name: "input", Modality: models.Motion, Channels: []string{"x", "y", "z"}, Rate: 50, Samples: 32},
		Output: models.Output{Name: "logits"},
	}
	if err := m.Write(f); err != nil {
		t.Fatal(err)
	}
	return path
}

// Every predictor opens and predicts from what [models.Load] read: the files are gone by then.
func TestPredictorsReadNoFile(t *testing.T) {
	engine := orttest.Engine(t)
	for _, name := range method.Names() {
		t.Run(name, func(t *testing.T) {
			path := save(t)
			m, err := models.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			s, err := method.Default(name, m.Manifest)
			if err != nil {
				t.Fatal(err)
			}
			c := &counter{Engine: engine}
			p, err := method.Open(c, m, s, method.Options{Config: runtime.Config{IntraThreads: 1}})
			if err != nil {
				t.Fatal(err)
			}
			if c.bytes != 1 || c.files != 0 {
				t.Errorf("opened %d times from bytes, %d from files, want once from bytes", c.bytes, c.files)
			}
			checkPrediction(t, p, s)
			if err := p.Close(); err != nil || !c.sessions[0].closed {
				t.Errorf("closed: %v, %v", c.sessions[0].closed, err)
			}
		})
	}
}

// checkPrediction runs one item.
func checkPrediction(t *testing.T, p *method.Predictor, s method.Settings) {
	t.Helper()
	one := 3 * 32
	if s.Views != nil {
		one *= 1 + s.Views.Count
	}
	if p.InputLen() != one || p.Classes() != 4 || (p.Any == nil) == (p.Streams == nil) || p.Device() != "cpu" || p.Batch(1) != 1 || p.Note != "" {
		t.Errorf("%d numbers, %d classes on %s, batches of %d, %q", p.InputLen(), p.Classes(), p.Device(), p.Batch(1), p.Note)
	}
	src, raw, q := make([]float32, one), make([]float32, 4), make([]float64, 4)
	for i := range src {
		src[i] = float32(math.Sin(float64(i)))
	}
	var err error
	if p.Streams != nil {
		p.Streams.Begin(0)
		err = p.Streams.Step(context.Background(), raw, src, []int{0})
	} else {
		err = p.Any.Predict(context.Background(), raw, src, []uint64{1})
	}
	if err == nil {
		err = p.Probabilities(q, raw)
	}
	if sum := q[0] + q[1] + q[2] + q[3]; err != nil || math.Abs(sum-1) > 1e-6 {
		t.Errorf("%v, %v", q, err)
	}
}

// odd are items that do not fit the network.
type odd struct{}

func (odd) Shape() []int64                                     { return []int64{1, 2, 3} }
func (odd) Session(s runtime.Session) (runtime.Session, error) { return s, nil }

// A predictor that cannot be made leaves no session open.
func TestFailureClosesTheSession(t *testing.T) {
	m, err := models.Load(save(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range method.Names() {
		s, err := method.Default(name, m.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		c := &counter{Engine: orttest.Engine(t)}
		if _, err := method.Open(c, m, s, method.Options{Items: odd{}}); err == nil || len(c.sessions) != 1 || !c.sessions[0].closed {
			t.Errorf("%s: %v, %d sessions", name, err, len(c.sessions))
		}
	}
	if _, err := method.Open(nil, m, method.Settings{Name: "magic"}, method.Options{}); err == nil {
		t.Error("a predictor that there is not was opened")
	}
}
