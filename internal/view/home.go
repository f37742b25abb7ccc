package view

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"time"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/report/items"
)

type homePage struct {
	frame
	Items, Streams, Changed, Unsure, Failed int
	Unsurely                                string
	RunWarnings                             []string
	Facts                                   []items.Fact
	Filters                                 filters
	Rows                                    []streamRow
	Wanted                                  int
	Pager                                   pager
	Walk                                    template.URL
}

type streamRow struct {
	Number                                 int
	Name, Gate, From, Until                string
	Items, Wanted, Changed, Unsure, Failed int
	Labelled                               int
}

// home lists the streams, those first that the filter changed most.
func (s *Server) home(w http.ResponseWriter, r *http.Request) {
	v := s.snapshot()
	c := choiceOf(r.URL.Query())
	n := v.totals()
	p := homePage{
		frame: s.frameOf(v, v.Name), Items: len(v.records), Streams: len(v.streams), Changed: n.changed, Unsure: n.unsure, Failed: n.failed, Unsurely: fmt.Sprintf("%.2f", v.Collection.unsure),
		RunWarnings: v.Collection.Warnings, Filters: v.filters(c, "/"), Walk: c.query(), Facts: v.Facts,
	}
	p.Message = v.ended(r.URL.Query())
	var rows []streamRow
	for k := range v.streams {
		wanted := v.of(k, c)
		if len(wanted) == 0 {
			continue
		}
		p.Wanted += len(wanted)
		rows = append(rows, v.row(k, len(wanted)))
	}
	slices.SortStableFunc(rows, func(a, b streamRow) int {
		return cmp.Or(cmp.Compare(b.Changed, a.Changed), datasets.CompareNatural(a.Name, b.Name))
	})
	from, to, pager := paged(r, len(rows), streamsListed)
	p.Rows, p.Pager = rows[from:to], pager
	for i := range p.Rows {
		v.span(&p.Rows[i])
	}
	write(w, http.StatusOK, "home", p)
}

func (s *snapshot) row(k, wanted int) streamRow {
	st := &s.streams[k]
	row := streamRow{Number: k, Name: st.name, Items: len(st.items), Wanted: wanted, Changed: st.changed, Unsure: st.unsure, Failed: st.failed, Gate: "–"}
	if st.gates > 0 {
		row.Gate = fmt.Sprintf("%.2f", st.gate/float64(st.gates))
	}
	for _, i := range st.items {
		if s.given[i] != "" {
			row.Labelled++
		}
	}
	return row
}

// span tells from when to when a stream goes.
func (s *snapshot) span(row *streamRow) {
	var first, last time.Time
	for _, i := range s.streams[row.Number].items {
		t := s.records[i].time
		if t.IsZero() {
			continue
		}
		if first.IsZero() || t.Before(first) {
			first = t
		}
		if t.After(last) {
			last = t
		}
	}
	if !first.IsZero() {
		row.From, row.Until = first.Format("2006-01-02 15:04"), last.Format("2006-01-02 15:04")
	}
}
