package benchmarks

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// StudySettings says how the study is run. The zero value is the study of the documentation.
type StudySettings struct {
	Controlled  ControlledSettings
	ReplaySeeds int // 0: 5
}

// Study is the whole of the filter's study on ready predictions.
type Study struct {
	Controlled *ControlledResult
	Corrupted  []int             // sets of Controlled that are corruptions
	Flat       *FlatResult       // of the corruptions
	Unequal    *ControlledResult // of the corruptions: streams without order
	Real       []*StreamsResult
	Replay     *ReplayResult
	Paper      *PaperTables
}

// RunStudy reads what it needs below the folder of shared data and runs everything. The same settings give the same numbers,
// whatever the number of cores.
func RunStudy(shared string, s StudySettings) (*Study, error) {
	controlled, err := s.Controlled.resolved()
	if err != nil {
		return nil, err
	}
	if s.ReplaySeeds == 0 {
		s.ReplaySeeds = 5
	}
	paper, err := ReadPaperTables(filepath.Join(shared, "paper", "tables.json"))
	if err != nil {
		return nil, err
	}
	sets, err := ReadCIFARSets(shared)
	if err != nil {
		return nil, err
	}
	study := &Study{Paper: paper}
	for i := range sets.Corrupted {
		study.Corrupted = append(study.Corrupted, i)
	}
	study.Controlled, err = RunControlled(append(sets.Corrupted, sets.Test...), controlled)
	if err != nil {
		return nil, err
	}
	flat := controlled
	flat.Seeds = min(flat.Seeds, flatSeeds)
	if study.Flat, err = RunFlat(sets.Corrupted, flat); err != nil {
		return nil, err
	}
	if study.Unequal, err = RunUnequal(sets.Corrupted, controlled); err != nil {
		return nil, err
	}
	if study.Real, err = runReal(shared, controlled.Workers); err != nil {
		return nil, err
	}
	study.Replay, err = runReplay(shared, sets.Corrupted, s.ReplaySeeds, controlled.Workers)
	return study, err
}

// flatSeeds are enough for differences of whole points.
const flatSeeds = 3

func runReal(shared string, workers int) (out []*StreamsResult, err error) {
	collections, err := ReadRealCollections(shared)
	for _, c := range collections {
		out = append(out, RunStreams(c, workers))
	}
	return out, err
}

func runReplay(shared string, sets []*Predictions, seeds, workers int) (*ReplayResult, error) {
	orders, err := ReadOrders(shared)
	if err != nil {
		return nil, err
	}
	return RunReplay(orders, sets, seeds, workers)
}

// elastic is the set whose base accuracy is nearest to that of the paper's table.
const elastic = "elastic_transform"

// Tables returns all tables of the study.
func (s *Study) Tables() []Table {
	r := s.Controlled
	all := r.Table("Controlled streams: mean over the fifteen corruptions", s.Corrupted, s.Paper)
	tables := []Table{all}
	for i, set := range r.Sets {
		if set.Name == elastic || strings.HasPrefix(set.Name, "test set") {
			tables = append(tables, r.Table("Controlled streams: "+set.Name, []int{i}, s.Paper))
		}
		if set.Name == elastic {
			off, llr := r.Distance([]int{i}, s.Paper)
			note := fmt.Sprintf("Root mean squared difference to the paper's thirteen rows: off %.2f, ewma to its LLR %.2f points.", off, llr)
			tables[len(tables)-1].Notes = append(tables[len(tables)-1].Notes, note)
		}
	}
	return append(tables,
		r.Facts(s.Corrupted).Table("Controlled streams: claims, over the fifteen corruptions", s.Paper),
		r.AutoTable("Controlled streams: auto by corruption", s.Corrupted),
		s.Flat.Table("Controlled streams: predictions that claim less than they know"),
		UnequalTable("Controlled streams: unequal classes without order", s.Unequal),
		StreamsTable("Real predictions on real streams", s.Real),
		s.Replay.Table("Real orders of labels, replayed with CIFAR-10-C predictions"),
	)
}

// Write writes the study as text, Markdown (md) or JSON.
func (s *Study) Write(w io.Writer, format string) error {
	if format == "json" {
		return s.writeJSON(w)
	}
	return writeTables(w, format, s.Tables())
}

// The JSON has every cell by name, so that no reader depends on the order of columns.
type (
	jsonStudy struct {
		Steps   int             `json:"steps"`
		Seeds   int             `json:"seeds"`
		Mean    []jsonRow       `json:"mean_over_corruptions"`
		Facts   ControlledFacts `json:"facts"`
		Sets    []jsonSet       `json:"sets"`
		Flat    *FlatResult     `json:"flat"`
		Unequal []jsonRow       `json:"unequal"`
		Real    []jsonReal      `json:"real"`
		Replay  []jsonRow       `json:"replay"`
	}
	jsonSet struct {
		Name     string    `json:"name"`
		Accuracy float64   `json:"accuracy_percent"`
		Rows     []jsonRow `json:"streams"`
	}
	jsonRow struct {
		Stream string          `json:"stream"`
		Base   float64         `json:"base_percent"`
		Change map[string]Cell `json:"change"` // by method
		Paper  *PaperStream    `json:"paper,omitempty"`
	}
	jsonReal struct {
		Name    string                        `json:"name"`
		Base    map[string]float64            `json:"base_percent"` // by stream
		Change  map[string]map[string]float64 `json:"change"`       // by method and stream
		Methods []Summary                     `json:"methods"`
	}
)

func (s *Study) writeJSON(w io.Writer) error {
	out := jsonStudy{Flat: s.Flat, Steps: s.Controlled.Steps, Seeds: s.Controlled.Seeds, Facts: s.Controlled.Facts(s.Corrupted)}
	out.Mean = s.rows(s.Controlled, s.Corrupted)
	out.Unequal = s.rows(s.Unequal, s.Unequal.all())
	for i, set := range s.Controlled.Sets {
		out.Sets = append(out.Sets, jsonSet{set.Name, set.Accuracy, s.rows(s.Controlled, []int{i})})
	}
	for _, r := range s.Real {
		out.Real = append(out.Real, r.json())
	}
	for _, o := range s.Replay.Orders {
		row := jsonRow{Stream: o.Name, Base: o.Base, Change: map[string]Cell{}}
		for m, name := range o.Methods {
			row.Change[name] = o.Cell(m)
		}
		out.Replay = append(out.Replay, row)
	}
	return writeJSON(w, out)
}

func (s *Study) rows(r *ControlledResult, sets []int) (out []jsonRow) {
	for i, name := range r.Streams {
		row := jsonRow{Stream: name, Base: r.baseOver(sets, i), Change: map[string]Cell{}}
		for m, method := range r.Methods {
			row.Change[method] = r.Cell(sets, i, m)
		}
		if p, ok := s.Paper.Controlled.Streams[name]; ok {
			row.Paper = &p
		}
		out = append(out, row)
	}
	return out
}

func (r *StreamsResult) json() jsonReal {
	out := jsonReal{r.Name, map[string]float64{}, map[string]map[string]float64{}, r.Summaries()}
	for i, stream := range r.Streams {
		out.Base[stream] = r.Base[i]
		for m, method := range r.Methods {
			if out.Change[method] == nil {
				out.Change[method] = map[string]float64{}
			}
			out.Change[method][stream] = r.Change[m][i]
		}
	}
	return out
}
