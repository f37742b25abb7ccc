package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	client "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/oatta/oatta/internal/testdata"
)

// metrics are what a server exports, by name.
func (s *served) metrics(t *testing.T) map[string]*client.MetricFamily {
	t.Helper()
	r, err := http.Get("http://" + s.at + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// labelsOf are the labels of metrics, by name; of histograms by the names of their series.
func labelsOf(families map[string]*client.MetricFamily) map[string][]string {
	out := map[string][]string{}
	for name, f := range families {
		labels := []string{}
		for _, l := range f.Metric[0].Label {
			labels = append(labels, l.GetName())
		}
		out[name] = labels
		if f.Metric[0].Histogram != nil {
			out[name+"_sum"], out[name+"_count"], out[name+"_bucket"] = labels, labels, append(slices.Clone(labels), "le")
		}
	}
	return out
}

// What queries of Prometheus are made of, as far as those of the dashboard go.
var (
	promSeries = regexp.MustCompile(`\b([a-z_]+)\{([^}]*)\}|label_values\(([a-z_]+),`)
	promLabel  = regexp.MustCompile(`([a-z_]+)\s*!?=~?`)
	promBy     = regexp.MustCompile(`\bby \(([^)]*)\)`)
	promOf     = regexp.MustCompile(`label_values\(.*, ([a-z_]+)\)`)
	promName   = regexp.MustCompile(`\b(oatta|process|go)_[a-z_]+`)
	legend     = regexp.MustCompile(`\{\{(\w+)\}\}`)
)

// Every metric in the dashboard's queries is one that the server exports, with the labels by which it is asked for and told.
func TestGrafanaDashboard(t *testing.T) {
	var dashboard struct {
		Templating struct {
			List []struct{ Definition string }
		}
		Panels []struct {
			ID      int
			Targets []struct{ Expr, LegendFormat string }
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(testdata.Root(), "docs", "grafana.json"))), &dashboard); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, "--classes", "3", "--state", t.TempDir(), "--nats", "embedded") // which has the metrics of a group, too
	waitReady(t, s)
	if _, err := s.ask(http.DefaultClient, "a", nil, []float64{0.7, 0.2, 0.1}); err != nil {
		t.Fatal(err)
	}
	known := labelsOf(s.metrics(t))
	used := map[string]bool{}
	check := func(query, told string) {
		labels := []string{"job", "instance"} // of Prometheus itself
		for _, m := range promSeries.FindAllStringSubmatch(query, -1) {
			name := m[1] + m[3]
			if known[name] == nil {
				t.Errorf("%s: the server exports no %s", query, name)
			}
			used[name] = true
			has := append([]string{"job", "instance"}, known[name]...)
			for _, l := range promLabel.FindAllStringSubmatch(m[2], -1) {
				if !slices.Contains(has, l[1]) {
					t.Errorf("%s: %s has no label %s", query, name, l[1])
				}
			}
			labels = append(labels, known[name]...)
		}
		for _, name := range promName.FindAllString(query, -1) {
			if !used[name] {
				t.Errorf("%s: %s stands there without a choice of series", query, name)
			}
		}
		wanted := []string{}
		for _, m := range slices.Concat(promBy.FindAllStringSubmatch(query, -1), promOf.FindAllStringSubmatch(query, -1)) {
			wanted = append(wanted, strings.Split(m[1], ", ")...)
		}
		for _, l := range wanted {
			if !slices.Contains(labels, l) {
				t.Errorf("%s: nothing has a label %s", query, l)
			}
		}
		for _, m := range legend.FindAllStringSubmatch(told, -1) {
			if m[1] != "instance" && !slices.Contains(wanted, m[1]) {
				t.Errorf("%s: the legend tells of %s, which the query does not keep", query, m[1])
			}
		}
	}
	ids := map[int]bool{}
	for _, p := range dashboard.Panels {
		if ids[p.ID] {
			t.Errorf("panel %d is there twice", p.ID)
		}
		ids[p.ID] = true
		for _, q := range p.Targets {
			check(q.Expr, q.LegendFormat)
		}
	}
	for _, v := range dashboard.Templating.List {
		check(v.Definition, "")
	}
	for name := range known {
		base := strings.TrimSuffix(name, "_bucket")
		if base != name && strings.HasPrefix(name, "oatta_") && !used[name] && !used[base+"_sum"] && !used[base+"_count"] {
			t.Errorf("the dashboard does not show %s", base)
		}
		if strings.HasPrefix(name, "oatta_") && known[name+"_bucket"] == nil && !strings.HasSuffix(name, "_bucket") && !strings.HasSuffix(name, "_sum") && !strings.HasSuffix(name, "_count") && !used[name] {
			t.Errorf("the dashboard does not show %s", name)
		}
	}
}
