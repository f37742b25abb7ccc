package calibrate

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/population"
	"github.com/oatta/oatta/internal/calibration"
	"github.com/oatta/oatta/internal/charts"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/replace"
	"github.com/oatta/oatta/models"
)

// manifestTarget is the manifest that gets the result.
type manifestTarget struct {
	path   string
	labels []string
	had    models.Manifest // as it was
	order  []int           // class of the predictions that is each label of the manifest
}

// openManifest finds the manifest of a model, by its ONNX file, its folder or the manifest itself; nil for "".
func openManifest(model string) (*manifestTarget, error) {
	if model == "" {
		return nil, nil
	}
	path := model
	if !strings.EqualFold(filepath.Ext(model), ".json") {
		m, err := models.Load(model)
		switch {
		case err != nil:
			return nil, err
		case m.Path == "":
			return nil, fmt.Errorf("--model %s: is embedded, and its manifest is part of the program: write settings by -o, and give them to run by --temperature and --prior", model)
		case len(m.Guessed) > 0:
			return nil, fmt.Errorf("--model %s: has no manifest: `oatta models inspect --write %s` makes one", model, model)
		}
		path = models.ManifestPath(m.Path)
	}
	path, err := filepath.EvalSymlinks(path) // the file is replaced, not a link to it
	if err != nil {
		return nil, err
	}
	m, err := models.ReadManifestFile(path)
	if err != nil {
		return nil, err
	}
	return &manifestTarget{path: path, labels: m.Labels, had: m}, nil
}

// match finds the labels of the manifest among the classes of the predictions, which may be in another order. Other labels are an error.
func (m *manifestTarget) match(classes []string) error {
	if m == nil {
		return nil
	}
	var missing, unknown []string
	m.order = make([]int, len(m.labels))
	for i, label := range m.labels {
		if m.order[i] = slices.Index(classes, label); m.order[i] < 0 {
			missing = append(missing, fmt.Sprintf("%q", label))
		}
	}
	for _, class := range classes {
		if !slices.Contains(m.labels, class) {
			unknown = append(unknown, fmt.Sprintf("%q", class))
		}
	}
	if len(missing) == 0 && len(unknown) == 0 {
		return nil
	}
	return fmt.Errorf("the %d classes of the predictions are not the %d labels of %s: only there: %s; only here: %s",
		len(classes), len(m.labels), m.path, orNone(console.Some(missing, 8)), orNone(console.Some(unknown, 8)))
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// update writes temperature, prior and transitions into the manifest.
func (m *manifestTarget) update(report *calibrationReport) error {
	text, err := os.ReadFile(m.path)
	if err != nil {
		return err
	}
	c := models.Calibration{Temperature: report.Fit.Temperature}
	if report.PriorUsed {
		for _, k := range m.order {
			c.Prior = append(c.Prior, report.Prior[k])
		}
	}
	if report.Transitions != nil && report.Transitions.Used {
		c.Transitions = report.order
	}
	text, err = models.Calibrate(text, c)
	if err != nil {
		return fmt.Errorf("%s: %w", m.path, err)
	}
	return replace.Bytes(m.path, text)
}

// write writes what was asked for, and notes it in the report. One output that fails does not keep the others from being written.
func (r *job) write(report *calibrationReport) error {
	var errs []error
	wrote := func(file string, err error) {
		if errs = append(errs, err); err == nil {
			report.Wrote = append(report.Wrote, file)
		}
	}
	if report.Fit.Bound != "" && (r.target != nil || r.C.String("output") != "") {
		errs = append(errs, errors.New("the temperature ran to its bound, which is no calibration: neither settings nor manifest were written"))
	} else if r.target != nil {
		wrote(r.target.path, r.target.update(report))
	}
	if file := r.C.String("output"); file != "" && report.Fit.Bound == "" {
		wrote(file, writeSettings(file, report))
	}
	if file := r.C.String("transitions-out"); file != "" {
		wrote(file, writeTransitions(file, report.order))
	}
	if prefix := r.C.String("diagram"); prefix != "" {
		figure := report.diagram(filepath.Base(r.Name))
		for _, format := range []string{"svg", "png"} {
			data, err := figure.Encode(format)
			if err == nil {
				err = replace.Bytes(prefix+"."+format, data)
			}
			wrote(prefix+"."+format, err)
		}
	}
	return errors.Join(errs...)
}

// settings of the filter that hold temperature and prior, and leave the rest to its defaults.
func (report *calibrationReport) settings() adapt.Settings {
	s := adapt.Settings{Gate: report.gate}.Calibrated(report.Fit.Temperature)
	if report.PriorUsed {
		s.Prior = report.Prior
	}
	return s
}

func writeTransitions(file string, o *population.Order) error {
	if o == nil {
		return fmt.Errorf("%s: there are no transitions: want at most %d classes, each with a name of its own", file, population.MaxClasses)
	}
	var text bytes.Buffer
	if err := o.Write(&text); err != nil {
		return err
	}
	return replace.Bytes(file, text.Bytes())
}

func writeSettings(file string, report *calibrationReport) error {
	s := report.settings()
	if err := s.Validate(len(report.Classes)); err != nil {
		return err
	}
	return files.ReplaceJSON(file, s)
}

func (report *calibrationReport) diagram(title string) charts.Figure {
	f := report.Fit
	bins := func(m calibration.Metrics) (out []charts.ReliabilityBin) {
		for _, b := range m.Bins {
			out = append(out, charts.ReliabilityBin(b))
		}
		return out
	}
	return charts.Reliability("Reliability: "+title, []charts.ReliabilitySeries{
		{Name: "before", ECE: f.Before.ECE, Bins: bins(f.Before)},
		{Name: fmt.Sprintf("after, T = %.3g", f.Temperature), ECE: f.After.ECE, Bins: bins(f.After)},
	})
}
