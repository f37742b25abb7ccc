package image

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	goimage "image"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

var imagenetMean, imagenetStd = [3]float64{0.485, 0.456, 0.406}, [3]float64{0.229, 0.224, 0.225}

// reference is preprocess.json: torchvision on PIL, by picture and by "filter-size".
type reference struct {
	SampleIndex []int                       `json:"sample_index"`
	Images      map[string]referencePicture `json:"images"`
}

type referencePicture struct {
	Width, Height int
	Variants      map[string]referenceVariant
}

type referenceVariant struct {
	CropSHA256 string `json:"crop_sha256"`
	SamplesU8  []int  `json:"samples_u8"`
	Samples    []float64
}

func readReference(t *testing.T) reference {
	t.Helper()
	data, err := os.ReadFile(testdata.Shared(t, "reference", "backbones", "preprocess.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// transformOf builds the transform that a variant such as "bicubic-236" names.
func transformOf(t *testing.T, variant string) *Transform {
	t.Helper()
	name, size, _ := strings.Cut(variant, "-")
	by, err := ParseInterpolation(name)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(size)
	if err != nil {
		t.Fatal(err)
	}
	return must(New(Settings{
		Resize: n, Height: 224, Width: 224, Interpolation: by, Mean: imagenetMean, Std: imagenetStd,
	}, Limits{}))
}

func must(t *Transform, err error) *Transform {
	if err != nil {
		panic(err)
	}
	return t
}

// pseudoPixels is the picture that the reference calls by that name: byte i of its rows, without alpha, is k(name, i) >> 16.
func pseudoPixels(name string, w, h int) *goimage.NRGBA {
	m := goimage.NewNRGBA(goimage.Rect(0, 0, w, h))
	for i := range w * h {
		for c := range 3 {
			m.Pix[4*i+c] = uint8(pseudoRandom(name, 3*i+c) >> 16)
		}
		m.Pix[4*i+3] = 255
	}
	return m
}

// TestPixelsEqualTorchvision is the central promise: from equal pixels, equal bytes and equal tensors.
func TestPixelsEqualTorchvision(t *testing.T) {
	ref := readReference(t)
	tested := 0
	for name, picture := range ref.Images {
		if !strings.HasPrefix(name, "pixels.") {
			continue
		}
		img := pseudoPixels(name, picture.Width, picture.Height)
		for variant, want := range picture.Variants {
			tested++
			t.Run(name+"/"+variant, func(t *testing.T) {
				tr := transformOf(t, variant)
				crop := make([]uint8, 3*224*224)
				if err := tr.Pixels(crop, img, 1); err != nil {
					t.Fatal(err)
				}
				if got := sum(crop); got != want.CropSHA256 {
					t.Errorf("crop has sha256 %s, want %s", got, want.CropSHA256)
				}
				x := make([]float32, 3*224*224)
				if err := tr.Picture(x, img, 1); err != nil {
					t.Fatal(err)
				}
				for j, at := range ref.SampleIndex {
					// The reference is float64 written with 6 digits, of values up to 2.7.
					if math.Abs(float64(x[at])-want.Samples[j]) > 1e-5 {
						t.Fatalf("tensor element %d: got %v, want %v", at, x[at], want.Samples[j])
					}
				}
			})
		}
	}
	if tested < 30 {
		t.Errorf("only %d variants in the reference, want 30", tested)
	}
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// TestPicturesNearTorchvision goes from JPEG files, where the decoders' cosine transforms differ. Measured on these pictures:
// no sampled byte of a crop differs by more than 1 level, and their mean difference is at most 0.08.
func TestPicturesNearTorchvision(t *testing.T) {
	const most, mean = 2, 0.15
	ref := readReference(t)
	maps.DeleteFunc(ref.Images, func(name string, _ referencePicture) bool { return strings.HasPrefix(name, "pixels.") })
	var files []string
	for name := range ref.Images {
		folder, file := referenceFile(name)
		files = append(files, folder+"/"+file)
	}
	slices.Sort(files)
	files = testdata.Some(t, "", slices.Compact(files)...)
	for name, want := range ref.Images {
		if folder, file := referenceFile(name); !slices.Contains(files, folder+"/"+file) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			img, orientation := referenceImage(t, name)
			for variant, want := range want.Variants {
				crop := make([]uint8, 3*224*224)
				if err := transformOf(t, variant).Pixels(crop, img, orientation); err != nil {
					t.Fatal(err)
				}
				worst, total := 0, 0
				for j, at := range ref.SampleIndex {
					channel, pixel := at/(224*224), at%(224*224)
					d := int(crop[3*pixel+channel]) - want.SamplesU8[j]
					worst, total = max(worst, d, -d), total+max(d, -d)
				}
				if got := float64(total) / float64(len(ref.SampleIndex)); worst > most || got > mean {
					t.Errorf("%s: bytes differ by %d at most and %.3f in the mean, want %d and %v", variant, worst, got, most, mean)
				}
			}
		})
	}
}

// transposed ends the name of a picture that the reference turned as EXIF says.
const transposed = ":transposed"

// referenceFile returns the folder of shared data and the name there of a picture of the reference.
func referenceFile(name string) (folder, file string) {
	file = strings.TrimSuffix(name, transposed)
	if strings.HasPrefix(name, "exif6") {
		return "reference/backbones", file
	}
	return "data/cameratrap/images", file
}

// referenceImage decodes a picture of the reference. Those that it calls transposed follow EXIF, the others do not.
func referenceImage(t *testing.T, name string) (goimage.Image, int) {
	t.Helper()
	folder, file := referenceFile(name)
	data, err := os.ReadFile(testdata.Shared(t, folder, file))
	if err != nil {
		t.Fatal(err)
	}
	img, meta, err := Decode(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(name, transposed) {
		return img, 1
	}
	return img, meta.Orientation
}

// pseudoRandom is k of backbone_reference.py: FNV-1a of the name seeds a splitmix64, of which the upper 24 bits are taken.
func pseudoRandom(name string, i int) uint32 {
	x := fnv1a(name) + uint64(i+1)*0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return uint32((x ^ x>>31) >> 40)
}

func fnv1a(name string) uint64 {
	h := uint64(0xCBF29CE484222325)
	for _, b := range []byte(name) {
		h = (h ^ uint64(b)) * 0x100000001B3
	}
	return h
}
