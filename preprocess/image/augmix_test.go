package image

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oatta/oatta/preprocess/internal/draw"
)

// augmixGoldens is augmix_goldens.json; see make_augmix_goldens.py beside it.
type augmixGoldens struct {
	Operations []struct {
		Picture string
		operationGolden
		SHA256 string
	}
	Mixtures []struct {
		Picture string
		Weights [mixWidth]float32
		Keep    float32
		Chains  [mixWidth][]operationGolden
		SHA256  string
	}
	Crops []struct {
		Picture       string
		Rect          [4]int
		Interpolation string
		SHA256        string
	}
}

type operationGolden struct {
	Kind   string
	Amount float64
}

var kindNames = []string{"autocontrast", "equalize", "rotate", "solarize", "shear_x", "shear_y", "translate_x", "translate_y", "posterize"}

func (g operationGolden) operation() operation {
	return operation{kind(slices.Index(kindNames, g.Kind)), g.Amount}
}

func readAugmixGoldens(t *testing.T) (g augmixGoldens) {
	t.Helper()
	data, err := os.ReadFile("testdata/augmix_goldens.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

// goldenPicture is a picture by its name in the goldens, such as dull-32x32.
func goldenPicture(t *testing.T, name string) *raster {
	t.Helper()
	what, size, _ := strings.Cut(name, "-")
	ws, hs, _ := strings.Cut(size, "x")
	w, err1 := strconv.Atoi(ws)
	h, err2 := strconv.Atoi(hs)
	if err1 != nil || err2 != nil {
		t.Fatal(name)
	}
	m := new(raster)
	m.reset(w, h)
	for i := range m.pix {
		v := uint8(pseudoRandom(name, i) >> 16)
		m.pix[i] = map[string]uint8{"noise": v, "dull": 60 + v/4, "flat": 77}[what]
	}
	return m
}

// TestOperationsEqualPillow allows no difference: Pillow's tables are integers, its interpolation is in double precision.
func TestOperationsEqualPillow(t *testing.T) {
	g := readAugmixGoldens(t)
	tested := map[string]int{}
	for _, c := range g.Operations {
		var s mixer
		s.from = *goldenPicture(t, c.Picture)
		s.apply(c.operation(), darkRed)
		if got := sum(s.from.pix); got != c.SHA256 {
			t.Errorf("%s, %s %v: differs", c.Picture, c.Kind, c.Amount)
		}
		tested[c.Kind]++
	}
	for _, name := range kindNames {
		if tested[name] < 10 {
			t.Errorf("%s: %d cases", name, tested[name])
		}
	}
}

// TestMixturesEqualReference compares whole mixtures with the float32 operations of MEMO's code, bit for bit.
func TestMixturesEqualReference(t *testing.T) {
	g := readAugmixGoldens(t)
	if len(g.Mixtures) < 20 {
		t.Fatalf("%d mixtures", len(g.Mixtures))
	}
	for i, c := range g.Mixtures {
		m := mixture{weights: c.Weights, keep: c.Keep}
		for j, ops := range c.Chains {
			m.chains[j].n = len(ops)
			for k, o := range ops {
				m.chains[j].ops[k] = o.operation()
			}
		}
		p := goldenPicture(t, c.Picture)
		tr := must(New(Settings{Height: p.h, Width: p.w, Mean: imagenetMean, Std: imagenetStd}, Limits{}))
		x := make([]float32, tr.size())
		new(mixer).mix(tr, x, p.pix, &m, darkRed)
		b := make([]byte, 0, 4*len(x))
		for _, v := range x {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		h := sha256.Sum256(b)
		if got := hex.EncodeToString(h[:]); got != c.SHA256 {
			t.Errorf("mixture %d of %s differs", i, c.Picture)
		}
	}
}

// TestResizedCropsEqualPillow: cut, then resized, with nothing from beyond the cut.
func TestResizedCropsEqualPillow(t *testing.T) {
	for _, c := range readAugmixGoldens(t).Crops {
		by, err := ParseInterpolation(c.Interpolation)
		if err != nil {
			t.Fatal(err)
		}
		s := viewScratch{canvas: *goldenPicture(t, c.Picture), view: make([]uint8, 3*32*32)}
		x, y, w, h := c.Rect[0], c.Rect[1], c.Rect[2], c.Rect[3]
		s.zoom(s.cut.plan(by, w, h, 32, 32, 32, 32), x, y)
		if sum(s.view) != c.SHA256 {
			t.Errorf("%s, %v, %s: differs", c.Picture, c.Rect, c.Interpolation)
		}
	}
}

// TestMixturesAreDrawnAsPublished checks the distributions: every operation as often as another, depths 1 to 3 alike, both
// signs, amounts within the bounds of the severity.
func TestMixturesAreDrawnAsPublished(t *testing.T) {
	const n = 6000
	r := draw.New()
	var byKind [kinds]float64
	var depths [mixDepth + 1]float64
	var weight, keep, keep2, ops, negative, signed float64
	seen := map[operation]bool{}
	for i := range n {
		r.View(uint64(i), 1)
		m := drawMixture(r, 1, 32, 32)
		weight += float64(m.weights[0]) / n
		keep += float64(m.keep) / n
		keep2 += float64(m.keep) * float64(m.keep) / n
		for _, c := range m.chains {
			depths[c.n]++
			for _, o := range c.ops[:c.n] {
				byKind[o.kind]++
				ops++
				if o.kind != shearX && o.kind != shearY {
					seen[o] = true
				} else {
					signed++
					if o.amount < 0 {
						negative++
					}
					if k := math.Abs(o.amount); k < 0.003 || k > 0.03 {
						t.Fatalf("shear %v", o.amount)
					}
				}
			}
		}
	}
	near := func(what string, got, want, tolerance float64) {
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("weight", weight, 1.0/3, 0.015)
	near("keep", keep, 0.5, 0.02)
	near("variance of keep", keep2-keep*keep, 1.0/12, 0.005)
	near("negative", negative/signed, 0.5, 0.03)
	for d := 1; d <= mixDepth; d++ {
		near("depth", depths[d]/(n*mixWidth), 1.0/3, 0.02)
	}
	for k := range byKind {
		near(kindNames[k], byKind[k]/ops, 1.0/9, 0.008)
	}
	// At severity 1, of 32 x 32 pixels: int(3 * 0.1..1) degrees, int(25.6 * 0.1..1) below 256, int(1.07 * 0.1..1) pixels, 4 bits.
	want := map[operation]bool{{kind: autocontrast}: true, {kind: equalize}: true, {posterize, 4}: true}
	for a := range 3 {
		want[operation{rotate, float64(a)}], want[operation{rotate, -float64(a)}] = true, true
	}
	for a := 2; a <= 25; a++ {
		want[operation{solarize, 256 - float64(a)}] = true
	}
	for a := range 2 {
		for _, k := range []kind{translateX, translateY} {
			want[operation{k, float64(a)}], want[operation{k, -float64(a)}] = true, true
		}
	}
	for o := range seen {
		if !want[o] {
			t.Errorf("%s by %v", kindNames[o.kind], o.amount)
		}
	}
	for o := range want {
		if !seen[o] {
			t.Errorf("never %s by %v", kindNames[o.kind], o.amount)
		}
	}
}

// TestEverySeverity: the largest amounts are Pillow's to take, and posterize keeps a bit.
func TestEverySeverity(t *testing.T) {
	r, s := draw.New(), mixer{}
	for i := range 3000 {
		r.View(uint64(i), 0)
		o := drawOperation(r, 10, 9, 5)
		if o.kind == posterize && (o.amount < 1 || o.amount > 4) {
			t.Fatalf("%v bits", o.amount)
		}
		s.from = raster{pix: make([]uint8, 3*9*5), w: 9, h: 5}
		s.apply(o, darkRed)
	}
}
