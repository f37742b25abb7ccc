package jpeg

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	goimage "image"
	stdjpeg "image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type golden struct {
	Width, Height int
	SHA256        string
}

func goldens(t testing.TB) map[string]golden {
	t.Helper()
	data, err := os.ReadFile("testdata/goldens.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct{ Decoded map[string]golden }
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Decoded) < 25 {
		t.Fatalf("%d goldens", len(g.Decoded))
	}
	return g.Decoded
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "pictures", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// samples returns all planes, sample by sample.
func samples(t *testing.T, img goimage.Image) (out []byte) {
	t.Helper()
	switch m := img.(type) {
	case *goimage.Gray:
		return m.Pix
	case *goimage.CMYK:
		return m.Pix
	case *goimage.YCbCr:
		for i := range m.Y {
			out = append(out, m.Y[i], m.Cb[i], m.Cr[i])
		}
		return out
	}
	t.Fatalf("a picture of type %T", img)
	return nil
}

// Whole and damaged files give the samples of libjpeg-turbo, and damage is told.
func TestEqualsLibjpeg(t *testing.T) {
	for name, want := range goldens(t) {
		p, err := Decode(read(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if b := p.Image.Bounds(); b.Dx() != want.Width || b.Dy() != want.Height {
			t.Errorf("%s: %v, want %d x %d", name, b, want.Width, want.Height)
		}
		if sum := sha256.Sum256(samples(t, p.Image)); hex.EncodeToString(sum[:]) != want.SHA256 {
			t.Errorf("%s: other samples than libjpeg's", name)
		}
		if damaged := strings.HasPrefix(name, "damaged_"); damaged != (p.Damage != "") {
			t.Errorf("%s: damage %q", name, p.Damage)
		}
		c, err := Config(read(t, name))
		if err != nil || c.Width != want.Width || c.Height != want.Height {
			t.Errorf("%s: header says %d x %d, %v", name, c.Width, c.Height, err)
		}
	}
}

// The words about damage say what was found first, and how much is lost.
func TestDamageInWords(t *testing.T) {
	for name, want := range map[string]string{
		"damaged_half_then_eoi.jpg": "coded data end too early, before byte 4359; 50 % of the data are missing",
		"damaged_short_by_10.jpg":   "coded data end too early, before byte 8098",
		"damaged_lostrst.jpg":       "restart marker 3 is not where it should be, near byte 2620; 6.3 % of the data are missing",
	} {
		p, err := Decode(read(t, name))
		if err != nil || p.Damage != want {
			t.Errorf("%s: %q, %v, want %q", name, p.Damage, err, want)
		}
	}
}

// What the standard decoder reads has the same size here, and nearly the same samples: the two transforms round differently.
func TestNearTheStandardDecoder(t *testing.T) {
	for _, name := range []string{"plain.jpg", "s_4x2_1x1_1x1.jpg"} {
		std, err := stdjpeg.Decode(bytes.NewReader(read(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Decode(read(t, name))
		if err != nil || p.Damage != "" {
			t.Fatal(p.Damage, err)
		}
		a, b := std.(*goimage.YCbCr), p.Image.(*goimage.YCbCr)
		for y := range b.Rect.Dy() {
			for x := range b.Rect.Dx() {
				if d := int(a.Y[a.YOffset(x, y)]) - int(b.Y[b.YOffset(x, y)]); d < -2 || d > 2 {
					t.Fatalf("%s: luma differs by %d at %d, %d", name, d, x, y)
				}
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	plain := read(t, "plain.jpg")
	frame := bytes.Index(plain, []byte{0xff, sof0})
	at := func(off int, b ...byte) []byte {
		out := bytes.Clone(plain)
		copy(out[frame+off:], b)
		return out
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":          {nil, "no picture"},
		"marks alone":      {[]byte{0xff, soi, 0xff, eoi}, "no picture"},
		"no scan":          {plain[:bytes.Index(plain, []byte{0xff, sos})], "no picture"},
		"lossless":         {at(1, 0xc3), "unsupported process 0xc3"},
		"12 bits":          {at(4, 12), "unsupported: 3 components of 12 bits"},
		"height to come":   {at(5, 0, 0), "unsupported: 83 x 0"},
		"fractions":        {at(11, 0x32, 0, 2, 0x21), "unsupported: fractions"},
		"sampling of 0":    {at(11, 0x02), "sampling 0 x 2"},
		"other components": {at(10, 9), "scan of component 1"},
		"two frames":       {append(bytes.Clone(plain[:frame+19]), plain[frame:]...), "two frames"},
	} {
		if _, err := Decode(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A file cut anywhere is an error or a picture that is told to be damaged, or one that lacks its end mark alone.
func TestEveryCut(t *testing.T) {
	for _, name := range []string{"plain.jpg", "prog_restart.jpg", "arith_prog.jpg", "inks_luma_both.jpg"} {
		data := read(t, name)
		for n := range len(data) - 2 {
			if p, err := Decode(data[:n]); err == nil && p.Damage == "" && !(name == "plain.jpg" && n > len(data)-4) {
				t.Errorf("%s: %d of %d bytes are taken for a whole file", name, n, len(data))
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for name := range goldens(f) {
		if data := read(f, name); len(data) < 6000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Config(data)
		if err != nil || c.Width*c.Height > 1<<18 || bytes.Count(data, []byte{0xff, sos}) > 20 {
			return
		}
		p, err := Decode(data)
		if err == nil && p.Image.Bounds() != goimage.Rect(0, 0, c.Width, c.Height) {
			t.Errorf("%v, and the header said %d x %d", p.Image.Bounds(), c.Width, c.Height)
		}
	})
}
