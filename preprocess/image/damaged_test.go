package image

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unusual are JPEGs that the standard decoder refuses or that are damaged; their pixels are tested where they lie.
func unusual(t *testing.T) (whole, damaged []string) {
	t.Helper()
	files, err := filepath.Glob("internal/jpeg/testdata/pictures/*.jpg")
	if err != nil || len(files) < 25 {
		t.Fatal(len(files), err)
	}
	for _, f := range files {
		if strings.HasPrefix(filepath.Base(f), "damaged_") {
			damaged = append(damaged, f)
		} else {
			whole = append(whole, f)
		}
	}
	return whole, damaged
}

func TestUnusualJPEGs(t *testing.T) {
	tr := must(New(Settings{Height: 8, Width: 8, Stretch: true}, Limits{}))
	x := make([]float32, 3*8*8)
	whole, _ := unusual(t)
	for _, f := range whole {
		if err := tr.File(x, f); err != nil {
			t.Error(err)
		}
	}
}

// Inks without Adobe's mark are those with it, as in PIL.
func TestUnmarkedInks(t *testing.T) {
	marked := picture(t, "jpeg_cmyk.jpg")
	want, _, err := Decode(marked, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := Decode(bytes.Replace(marked, []byte("Adobe"), []byte("Adobf"), 1), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if most, mean := difference(whole(t, got, 1), whole(t, want, 1)); most > usualTolerance.most || mean > usualTolerance.mean {
		t.Errorf("pixels differ by %v at most and %.4f in the mean", most, mean)
	}
}

// Damaged pictures are errors, unless somebody asks for what is left of them, in each of the three ways to read a file.
func TestDamagedJPEGs(t *testing.T) {
	_, files := unusual(t)
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		_, meta, err := Decode(data, Limits{})
		var damaged *DamagedError
		if !errors.As(err, &damaged) || damaged.Picture.Bounds().Dx() != meta.Width || damaged.Meta != meta {
			t.Fatalf("%s: %v", f, err)
		}
		if !strings.Contains(err.Error(), "JPEG") || damaged.Damage == "" {
			t.Errorf("%s: %v, %q", f, err, damaged.Damage)
		}
		salvage(t, f, data, damaged)
	}
}

func salvage(t *testing.T, path string, data []byte, damaged *DamagedError) {
	t.Helper()
	tr := must(New(Settings{Resize: 32, Height: 32, Width: 32}, Limits{}))
	want, got := make([]float32, 3*32*32), make([]float32, 3*32*32)
	if err := tr.Picture(want, damaged.Picture, damaged.Meta.Orientation); err != nil {
		t.Fatal(err)
	}
	viewer, err := tr.NewViews(Views{Set: MemoCIFAR, Augmented: 1})
	if err != nil {
		t.Fatal(err)
	}
	views := make([]float32, viewer.Len())
	use := false
	var asked []string
	tr.Salvage = func(path, damage string) bool {
		asked = append(asked, path+": "+damage)
		return use
	}
	read := func() (errs []error) {
		errs = append(errs, tr.File(got, path), tr.Bytes(got, data), viewer.File(views, path, 1))
		_, err := tr.Open(path)
		return append(errs, err)
	}
	for _, err := range read() {
		if err == nil || !strings.HasSuffix(err.Error(), damaged.Error()) {
			t.Errorf("not used: %v", err)
		}
	}
	use = true
	if err := errors.Join(read()...); err != nil {
		t.Error(err)
	}
	if !equal(got, want) || !equal(views[:len(want)], want) {
		t.Errorf("%s: another picture than that of the error", path)
	}
	if len(asked) != 8 || asked[0] != path+": "+damaged.Damage || asked[1] != ": "+damaged.Damage {
		t.Errorf("asked %q", asked)
	}
}

// What a file without its last bytes gives is a picture, and the part that is there is that of the whole file.
func TestHalfAPicture(t *testing.T) {
	data := picture(t, "jpeg_444.jpg")
	whole, _, err := Decode(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var damaged *DamagedError
	if _, _, err := Decode(data[:len(data)*2/3], Limits{}); !errors.As(err, &damaged) {
		t.Fatal(err)
	}
	for x := range 20 {
		a, b := whole.At(x, 3), damaged.Picture.At(x, 3)
		r1, _, _, _ := a.RGBA()
		r2, _, _, _ := b.RGBA()
		if d := int(r1>>8) - int(r2>>8); d < -8 || d > 8 {
			t.Errorf("pixel %d: %v and %v", x, a, b)
		}
	}
	if !strings.Contains(damaged.Damage, "the file ends in coded data") {
		t.Error(damaged.Damage)
	}
}
