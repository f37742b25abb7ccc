package adapt

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
)

func marshalled(t testing.TB, f *Filter) []byte {
	t.Helper()
	data, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// randomSettings draws settings of any gate over n classes, half of them with a prior.
func randomSettings(r *rand.Rand, n int) Settings {
	switch r.IntN(4) {
	case 0:
		return randomAuto(r, n)
	case 1:
		return randomLater(r, n)
	}
	return randomPaper(r, n)
}

// restored takes f through a snapshot, and shows that a second snapshot has the same bytes.
func restored(t testing.TB, f *Filter) *Filter {
	t.Helper()
	data := marshalled(t, f)
	g, err := Restore(data)
	if err != nil {
		t.Fatal(err)
	}
	if g.Steps() != f.Steps() || g.Classes() != f.Classes() || !reflect.DeepEqual(g.Settings(), f.Settings()) {
		t.Fatalf("restored %d steps, %d classes, %+v: want %d, %d, %+v", g.Steps(), g.Classes(), g.Settings(), f.Steps(), f.Classes(), f.Settings())
	}
	if !bytes.Equal(marshalled(t, g), data) {
		t.Fatal("the snapshot of the restored filter differs")
	}
	return g
}

// The promise: snapshot at any step, restore, and go on bit for bit.
func TestRestoreContinuesBitForBit(t *testing.T) {
	seen := map[Gate]int{}
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 21))
		n := 1 + r.IntN(9)
		f := newFilter(t, n, randomSettings(r, n))
		seen[f.Settings().Gate]++
		dst, want := make([]float64, n), make([]float64, n)
		if r.IntN(3) == 0 { // a used filter, reset
			for _, q := range randomStream(r, n, 50) {
				f.Step(dst, q)
			}
			f.Reset()
		}
		g := restored(t, f)
		for i, q := range randomStream(r, n, 300) {
			if r.IntN(20) == 0 {
				g = restored(t, g)
			}
			if a, b := g.Step(dst, q), f.Step(want, q); a != b || !slices.Equal(dst, want) {
				t.Fatalf("seed %d, step %d: restored %v %v, undisturbed %v %v", seed, i, a, dst, b, want)
			}
		}
		if !bytes.Equal(marshalled(t, g), marshalled(t, f)) {
			t.Fatalf("seed %d: the states differ at the end", seed)
		}
	}
	for _, gate := range Gates() {
		if seen[gate] < 5 {
			t.Errorf("gate %s was tried %d times only", gate, seen[gate])
		}
	}
}

// Reset leaves nothing of the stream in a snapshot.
func TestSnapshotAfterResetIsThatOfANewFilter(t *testing.T) {
	for _, gate := range Gates() {
		used, fresh := newFilter(t, 5, Settings{Gate: gate}), newFilter(t, 5, Settings{Gate: gate})
		dst := make([]float64, 5)
		for _, q := range randomStream(rand.New(rand.NewPCG(1, 22)), 5, 200) {
			used.Step(dst, q)
		}
		used.Reset()
		if !bytes.Equal(marshalled(t, used), marshalled(t, fresh)) {
			t.Errorf("gate %s: the snapshot of a filter that was reset differs from that of a new one", gate)
		}
	}
}

// Extreme states must be accepted: a snapshot refused is a stream lost.
func TestExtremeStatesCanBeRestored(t *testing.T) {
	for _, s := range []Settings{
		{Gate: GateOff},
		{},
		{Gate: GateEWMA, Paper: &Paper{Init: InitIdentity, Kappa: 1e12, Gamma: 0.99, Tau: 1e9, Eta: 1, Window: 1, GateTau: 1}},
		{Gate: GateWindow, Paper: &Paper{Init: InitUniform, Kappa: 1e-12, Gamma: below1, Tau: 1, Eta: 0, Window: 9, GateTau: 1e-9}},
	} {
		f := newFilter(t, 4, s)
		dst, r := make([]float64, 4), rand.New(rand.NewPCG(3, 23))
		for i := range 20_000 {
			q := []float64{0, 0, 0, 0}
			q[i/5000] = 1
			if i%100 > 90 {
				q = softmaxAround(r, 4, i%4)
				scale(q, 1+SumTolerance*(2*r.Float64()-1)) // as far from 1 as Step lets through
			}
			f.Step(dst, q)
			if i%97 == 0 {
				f = restored(t, f)
			}
		}
	}
}

// The walks must meet all that a filter carries. Whoever adds a field to the state says here what it is, and visits it.
func TestEveryFieldIsVisitedOrScratch(t *testing.T) {
	const kept = "kept"
	for _, tc := range []struct {
		of     any
		fields map[string]string
	}{
		{Filter{}, map[string]string{"classes": kept, "settings": kept, "steps": kept, "excluded": kept, "gap": kept, "mode": kept, "floored": "scratch"}},
		{paper{}, map[string]string{
			"Paper": "settings", "gate": "settings", "temperature": "settings", "inv": "settings",
			"c": kept, "rows": kept, "scale": kept, "p": kept, "q": kept, "prior": kept, "marginal": kept, "llr": kept, "ratios": kept,
			"like": "scratch", "logq": "scratch", "weight": "scratch", "few": "settings", "columns": "scratch", "before": "scratch", "belief": "scratch", "across": "scratch", "walk": "scratch",
		}},
		{window{}, map[string]string{"values": kept, "next": kept, "count": kept, "sum": kept}},
		{mixture{}, map[string]string{
			"Auto": "settings", "inv": "settings", "sticky": "settings", "doubt": "settings", "initial": "settings",
			"hypotheses": "settings", "temperatures": "settings", "weights": kept, "at": kept, "logq": "scratch", "out": "scratch", "columns": "scratch",
			"across": "scratch", "kept": "scratch", "inertia": "scratch", "walk": "scratch", "sharp": kept,
			"later": "settings", "uniform": "settings", "staticKeep": "settings", "sinceForgot": kept, "statics": "settings", "start": "settings", "fulls": "settings", "populations": "settings", "known": "settings", "nones": "settings",
			"raised": "scratch", "told": "scratch", "base": "scratch", "sure": "scratch",
		}},
		{static{}, map[string]string{"c": "settings", "s": kept}},
		{learned{}, map[string]string{"c": "settings", "p": kept, "prior": "scratch", "pairs": kept}},
		{follower{}, map[string]string{"c": "settings", "p": kept, "prior": "scratch"}},
		{marginal{}, map[string]string{"Marginal": "settings", "mass": kept, "total": "scratch", "evidence": "scratch"}},
		{sharpness{}, map[string]string{"target": "settings", "claimed": "settings", "exponent": kept, "age": kept}},
		{tempered{}, map[string]string{
			"m": "settings", "columns": "scratch", "sparse": "scratch", "like": "scratch", "most": "settings", "last": kept, "mass": kept, "mu": "scratch", "lift": "scratch", "chance": "scratch",
			"persist": kept, "sticky": kept, "overlap": "scratch", "met": "scratch", "fulls": kept, "others": kept, "marginals": kept, "home": "settings", "reads": "scratch", "beyond": "settings", "level": "settings", "statics": kept, "twins": kept,
		}},
		{activePairs{}, map[string]string{
			"gamma": "settings", "beta": "settings", "most": "settings", "slots": "settings", "used": kept, "classes": kept, "c": kept, "scale": kept, "rows": kept, "columns": kept, "started": kept,
			"outside": "settled", "u": "settled", "total": "settled", "uRest": "settled", "vRest": "settled", "carried": "settled", "ofColumn": "settled",
			"told": "scratch", "base": "scratch", "weight": "scratch",
		}},
		{pairs{}, map[string]string{
			"gamma": "settings", "beta": "settings", "n": "settings", "few": "settings",
			"c": kept, "scale": kept, "rows": kept, "u": kept, "columns": "scratch", "carried": kept, "total": kept, "started": kept,
		}},
	} {
		of := reflect.TypeOf(tc.of)
		for i := range of.NumField() {
			if name := of.Field(i).Name; tc.fields[name] == "" {
				t.Errorf("%s.%s: is it state? Then visit it in snapshot_state.go and count it in stateSize; list it here", of.Name(), name)
			}
		}
	}
}

// resum gives changed data the checksum that they need to be looked at.
func resum(data []byte) []byte {
	body := data[:len(data)-snapshotTail]
	return binary.LittleEndian.AppendUint32(slices.Clone(body), crc32.Checksum(body, castagnoli))
}

// snapshotAfter returns a snapshot of a filter over three classes after some steps.
func snapshotAfter(t testing.TB, s Settings, steps int) []byte {
	f := newFilter(t, 3, s)
	dst := make([]float64, 3)
	for _, q := range randomStream(rand.New(rand.NewPCG(4, 24)), 3, steps) {
		f.Step(dst, q)
	}
	return marshalled(t, f)
}

// refused asserts the error and that the receiver is as it was.
func refused(t *testing.T, data []byte, want string) {
	t.Helper()
	f := newFilter(t, 2, Settings{Gate: GateWindow})
	f.Step(make([]float64, 2), []float64{0.25, 0.75})
	before := marshalled(t, f)
	err := f.UnmarshalBinary(data)
	if err == nil || !strings.HasPrefix(err.Error(), "adapt: snapshot: ") || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
	if !bytes.Equal(marshalled(t, f), before) {
		t.Errorf("after %v the receiver has changed", err)
	}
}

func TestDamagedSnapshots(t *testing.T) {
	for _, gate := range Gates() {
		good := snapshotAfter(t, Settings{Gate: gate}, 20)
		for cut := range good {
			refused(t, good[:cut], "")
		}
		for i := range good {
			bad := slices.Clone(good)
			bad[i] ^= 1 << (i % 8)
			refused(t, bad, "")
		}
		refused(t, append(slices.Clone(good), 0), "checksum")
	}
}

func TestForgedSnapshots(t *testing.T) {
	good := snapshotAfter(t, Settings{Gate: GateWindow}, 20)
	settings := int(binary.LittleEndian.Uint32(good[24:]))
	state := snapshotHead + settings
	word := func(at int, v uint64) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint64(b[at:], v) }
	}
	half := func(at int, v uint32) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint32(b[at:], v) }
	}
	real := func(at int, v float64) func([]byte) { return word(state+8*at, math.Float64bits(v)) }
	const ring = 9 + 3 + 1 + 4*3 + 1 // counts, rows, scale, four vectors, llr
	for want, change := range map[string]func([]byte){
		"does not begin with OATTAFLT": func(b []byte) { b[0] = 'X' },
		"version 6: this program":      half(8, 6),
		"0 classes":                    half(12, 0),
		"4294967295 classes":           half(12, math.MaxUint32),
		"for 16384 classes under":      half(12, MaxClasses),
		"18446744073709551615 steps":   word(16, math.MaxUint64),
		"settings of 4294967295 bytes": half(24, math.MaxUint32),
		"21 steps of zero evidence":    word(28, 21),
		"1073741825 missed steps":      word(36, 1<<30+1),
		"a gap before the first item":  func(b []byte) { word(16, 0)(b); word(28, 0)(b); word(36, 1)(b) },
		"settings: ":                   func(b []byte) { b[snapshotHead+2] = 'x' },
		"counts[0] is NaN":             real(0, math.NaN()),
		"counts[4] is -1":              real(4, -1),
		"row sum 0 is":                 real(9, 1e9),
		"scale is 0":                   real(12, 0),
		"sum of p is 1":                real(13, 1),
		"p[2] is +Inf":                 real(15, math.Inf(1)),
		"llr is NaN":                   real(ring-1, math.NaN()),
		"window position is out of":    word(state+8*(ring+50), 50),
		"window position 3 after 20":   word(state+8*(ring+50), 3),
		"window count is out of":       word(state+8*(ring+51), math.MaxUint64),
		"window holds":                 real(ring+40, 1),
	} {
		bad := slices.Clone(good)
		change(bad)
		refused(t, resum(bad), want)
	}
	if _, err := (&Filter{}).MarshalBinary(); err == nil {
		t.Error("a filter not made by New was marshalled")
	}
}

// Whatever the data claim, Restore allocates in proportion to their length.
func TestRestoreAllocatesByTheInput(t *testing.T) {
	big := `{"gate":"window","paper":{"init":"uniform","kappa":1,"gamma":0,"tau":1,"eta":0,"window":1000000,"margin":0,"gate_tau":1,"eps":0}}`
	wide := `{"gate":"auto","auto":` + strings.Replace(mustJSON(t, DefaultAuto()), `"grid":[0.2`, `"grid":[`+strings.Repeat("0.1,", 57)+`0.2`, 1) + `}`
	for _, settings := range []string{big, wide, `{"prior":[` + strings.Repeat("1,", 1000) + `1]}`} {
		data := make([]byte, snapshotHead)
		copy(data, snapshotMagic)
		binary.LittleEndian.PutUint32(data[8:], snapshotVersion)
		binary.LittleEndian.PutUint32(data[12:], MaxClasses)
		binary.LittleEndian.PutUint32(data[24:], uint32(len(settings)))
		data = resum(append(append(data, settings...), make([]byte, 100)...))
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		if _, err := Restore(data); err == nil {
			t.Error("restored from nothing")
		}
		goruntime.ReadMemStats(&after)
		if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(64*len(data)+16384); got > limit {
			t.Errorf("%d bytes allocated for %d of input: want at most %d", got, len(data), limit)
		}
	}
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// FuzzRestore: no bytes make Restore panic, and what it accepts steps on as a filter does.
func FuzzRestore(f *testing.F) {
	for _, gate := range Gates() {
		for _, steps := range []int{0, 30} {
			f.Add(snapshotAfter(f, Settings{Gate: gate, Prior: []float64{0.2, 0.3, 0.5}}, steps), true)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, sum bool) {
		if sum && len(data) > snapshotTail {
			data = resum(data) // or the fuzzer would never come past the checksum
		}
		g, err := Restore(data)
		if err != nil || g.Classes() > 64 {
			return
		}
		g = restored(t, g)
		n := g.Classes()
		dst, r := make([]float64, n), rand.New(rand.NewPCG(5, 25))
		for i, q := range randomStream(r, n, 8) {
			if i%2 == 1 {
				clear(q)
				q[r.IntN(n)] = 1
			}
			g.Step(dst, q)
			if err := Check(dst, n); err != nil {
				t.Fatalf("step %d of a state that was accepted: %v: %v\n%s", i, err, dst, mustJSON(t, g.Settings()))
			}
		}
	})
}

var updateSnapshot = flag.Bool("update-snapshot", false, "write the testdata/snapshot_vN.json of the current version instead of comparing with it")

// snapshotGolden is a snapshot as its version wrote it, and what its filter answers next.
type snapshotGolden struct {
	Gate     Gate
	Snapshot string // base64
	Q, Out   []float64
}

// Snapshots live longer than programs: those of every version that are committed must be readable for ever. Run with -update-snapshot
// to write those of the current version anew, which is right only while no program that wrote the old ones is in use.
func TestSnapshotGolden(t *testing.T) {
	for version := 1; version <= snapshotVersion; version++ {
		path := fmt.Sprintf("testdata/snapshot_v%d.json", version)
		if *updateSnapshot && version == snapshotVersion {
			writeSnapshotGolden(t, path)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var cases []snapshotGolden
		want := len(Gates())
		if version >= 4 {
			want += 2
		}
		if version >= 5 {
			want++
		}
		if err := json.Unmarshal(text, &cases); err != nil || len(cases) != want {
			t.Fatalf("%s: %d cases, %v: want %d", path, len(cases), err, want)
		}
		for _, c := range cases {
			c.check(t, version)
		}
	}
}

func (c snapshotGolden) check(t *testing.T, version int) {
	data, err := base64.StdEncoding.DecodeString(c.Snapshot)
	if err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint32(data[8:]); int(got) != version {
		t.Errorf("gate %s: a snapshot of version %d among those of version %d", c.Gate, got, version)
	}
	f, err := Restore(data)
	if err != nil {
		t.Fatalf("version %d, gate %s: %v", version, c.Gate, err)
	}
	if f.Steps() != 25 || f.Settings().Gate != c.Gate {
		t.Errorf("version %d, gate %s: restored %d steps of gate %s, want 25", version, c.Gate, f.Steps(), f.Settings().Gate)
	}
	dst := make([]float64, 3)
	f.Step(dst, c.Q)
	for k, want := range c.Out {
		near(t, fmt.Sprintf("version %d, gate %s, class %d", version, c.Gate, k), dst[k], want)
	}
}

func writeSnapshotGolden(t *testing.T, path string) {
	var cases []snapshotGolden
	var settings []Settings
	for _, gate := range Gates() {
		settings = append(settings, Settings{Gate: gate})
	}
	first := FirstAuto()
	settings = append(settings, Settings{Auto: &first}, Settings{Population: &Population{[][]float64{{.8, .1, .1}, {0, .5, .5}, {.3, 0, .7}}, []float64{.4, .4, .2}}}, lumped(2))
	for _, s := range settings {
		s.Prior, s.Temperature = []float64{0.2, 0.3, 0.5}, 1.5
		data := snapshotAfter(t, s, 25)
		f, err := Restore(data)
		if err != nil {
			t.Fatal(err)
		}
		q, out := []float64{0.5, 0.125, 0.375}, make([]float64, 3)
		f.Step(out, q)
		cases = append(cases, snapshotGolden{f.Settings().Gate, base64.StdEncoding.EncodeToString(data), q, out})
	}
	text, err := json.MarshalIndent(cases, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every setting survives a snapshot, and so does what it does: a filter under another value of it goes on bit for bit.
func TestEverySettingSurvives(t *testing.T) {
	paper := func(change func(p *Paper)) Settings {
		p := DefaultPaper()
		change(&p)
		return Settings{Gate: GateWindow, Paper: &p}
	}
	auto := func(change func(a *Auto)) Settings {
		a := DefaultAuto()
		change(&a)
		return Settings{Auto: &a, Population: randomPopulation(rand.New(rand.NewPCG(1, 2)), 40)}
	}
	first := FirstAuto()
	changed := map[string]map[string]Settings{
		"Settings": {
			"Gate": {Gate: GateEWMA}, "Temperature": {Temperature: 1.5}, "Prior": {Prior: randomPopulation(rand.New(rand.NewPCG(1, 2)), 40).Frequencies},
			"Floor": {Floor: 1e-9}, "Paper": paper(func(*Paper) {}), "Auto": {Auto: &first}, "Population": auto(func(*Auto) {}),
		},
		"Paper": {
			"Init": paper(func(p *Paper) { p.Init = InitIdentity }), "Kappa": paper(func(p *Paper) { p.Kappa = 2 }), "Gamma": paper(func(p *Paper) { p.Gamma = 0.2 }),
			"Tau": paper(func(p *Paper) { p.Tau = 1 }), "Eta": paper(func(p *Paper) { p.Eta = 0.3 }), "Window": paper(func(p *Paper) { p.Window = 7 }),
			"Margin": paper(func(p *Paper) { p.Margin = 0 }), "GateTau": paper(func(p *Paper) { p.GateTau = 0.1 }), "Eps": paper(func(p *Paper) { p.Eps = 0 }),
		},
		"Auto": {
			"Edition": {Auto: &first}, "Grid": auto(func(a *Auto) { a.Grid = []float64{0.5} }), "Errors": auto(func(a *Auto) { a.Errors = []float64{0.1} }),
			"Flicker": auto(func(a *Auto) { a.Flicker = 0 }), "Confidence": auto(func(a *Auto) { a.Confidence = 0 }), "Temperatures": auto(func(a *Auto) { a.Temperatures = []float64{1} }),
			"None": auto(func(a *Auto) { a.None = 1 }), "Persist": auto(func(a *Auto) { a.Persist = 0.9 }), "Sticky": auto(func(a *Auto) { a.Sticky = 0 }), "Full": auto(func(a *Auto) { a.Full = 0 }),
			"Share": auto(func(a *Auto) { a.Share = 0 }), "Gamma": auto(func(a *Auto) { a.Gamma = 0 }), "Beta": auto(func(a *Auto) { a.Beta = 3 }), "Delta": auto(func(a *Auto) { a.Delta = 0 }),
			"Pseudo": auto(func(a *Auto) { a.Pseudo = 1 }), "Marginals": auto(func(a *Auto) { a.Marginals = nil }), "FullErrors": auto(func(a *Auto) { a.FullErrors = []float64{0.1} }),
			"LiftPseudo": auto(func(a *Auto) { a.LiftPseudo = 3 }), "Population": auto(func(a *Auto) { a.Population = 0 }), "PopulationErrors": auto(func(a *Auto) { a.PopulationErrors = []float64{0.3} }),
			"Static": auto(func(a *Auto) { a.Static = 0 }), "LiftMemory": auto(func(a *Auto) { a.LiftMemory = 0 }), "Last": auto(func(a *Auto) { a.Last = 2 }), "Trust": auto(func(a *Auto) { a.Trust = 0 }),
			"Margin": auto(func(a *Auto) { a.Margin = 0 }), "Frequencies": auto(func(a *Auto) { a.Frequencies = 0 }), "StaticFrequencies": auto(func(a *Auto) { a.StaticFrequencies = 0 }), "Active": auto(func(a *Auto) { a.Active = 9 }),
		},
	}
	for _, of := range []any{Settings{}, Paper{}, Auto{}} {
		kind := reflect.TypeOf(of)
		for i := range kind.NumField() {
			name := kind.Field(i).Name
			s, ok := changed[kind.Name()][name]
			if !ok {
				t.Errorf("%s.%s is in no case of this test: give it another value", kind.Name(), name)
				continue
			}
			f := newFilter(t, 40, s)
			dst, want, r := make([]float64, 40), make([]float64, 40), rand.New(rand.NewPCG(9, 9))
			for range 30 {
				f.Step(dst, sparseItem(r, 40))
			}
			g := restored(t, f)
			for range 30 {
				q := softmaxAround(r, 40, r.IntN(40)) // of which the floor leaves little out
				scale(q[20:], 1e-11)
				q = normalised(q)
				if a, b := g.Step(dst, q), f.Step(want, q); a != b || !slices.Equal(dst, want) {
					t.Fatalf("%s.%s: restored %v %v, undisturbed %v %v", kind.Name(), name, a, dst, b, want)
				}
			}
		}
	}
}
