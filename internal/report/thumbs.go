package report

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	goimage "image"
	"image/color"
	"image/jpeg"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	goruntime "runtime"
	"slices"
	"strings"

	"golang.org/x/image/draw"
	"golang.org/x/sync/errgroup"

	imageprep "github.com/oatta/oatta/preprocess/image"
)

// Sizes of the pictures in a page.
const (
	thumbSide    = 168
	thumbQuality = 62
	mostBytes    = 4_300_000 // of all of them; encoded, a third more
	mostPicture  = 64 << 20  // bytes of a file
	mostPixels   = 64 << 20
)

// show reads the pictures or texts that were chosen. One that cannot be read says why in its place.
func (c *Collected) show() error {
	s := c.second
	if c.kind == Posts {
		return c.texts()
	}
	if c.kind != Pictures || c.settings.Inputs == nil {
		return nil
	}
	g := errgroup.Group{}
	g.SetLimit(min(goruntime.GOMAXPROCS(0), 2))
	for i := range s.bursts {
		for k := range s.bursts[i].items {
			l := &s.bursts[i].items[k]
			g.Go(func() error {
				data, err := Picture(c.settings.Inputs, l.file, l.box, thumbSide, thumbQuality)
				if err != nil {
					l.problem = Reason(err)
					return nil
				}
				l.picture = string(data)
				return nil
			})
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	room := mostBytes
	for i := range s.bursts {
		for k := range s.bursts[i].items {
			l := &s.bursts[i].items[k]
			if room -= len(l.picture); l.picture != "" && room < 0 {
				l.picture, l.problem = "", "left out, to keep the page small"
			}
			if l.picture != "" {
				l.picture = "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString([]byte(l.picture))
			}
		}
	}
	return nil
}

// Reason is an error without the place, which the page says.
func Reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "not in the folder of inputs"
	case errors.Is(err, fs.ErrPermission):
		return "may not be read"
	}
	text := err.Error()
	if at := strings.LastIndex(text, ": "); at >= 0 {
		text = text[at+2:]
	}
	return text
}

// local is the name of a file below the folder of inputs: results may hold anything, and the root refuses what leads out of it.
func local(name string) string { return path.Clean(strings.ReplaceAll(name, `\`, "/")) }

// Picture reads a picture below the root and makes an upright JPEG of it, or of the box that was classified, of at most side pixels, of a
// quality from 1 to 100. Names may be anything: the root refuses what leads out of it. A damaged picture is what is left of it.
func Picture(root *os.Root, name string, box *[4]float64, side, quality int) (_ []byte, err error) {
	file := local(name)
	if at := strings.LastIndexByte(file, '#'); at >= 0 && box != nil {
		file = file[:at]
	}
	if info, err := root.Stat(file); err != nil { // before it is opened, for which a pipe would wait
		return nil, err
	} else if !info.Mode().IsRegular() || info.Size() > mostPicture {
		return nil, errors.New("no picture file, or too large a one")
	}
	f, err := root.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostPicture))
	if err != nil {
		return nil, err
	}
	m, meta, err := imageprep.Decode(data, imageprep.Limits{MaxPixels: mostPixels})
	if damaged := (*imageprep.DamagedError)(nil); errors.As(err, &damaged) {
		m, meta, err = damaged.Picture, damaged.Meta, nil
	}
	if err != nil {
		return nil, err
	}
	small := scaled(imageprep.Turn(reduced(m, box, meta.Orientation, max(side, 4*thumbSide)), meta.Orientation), side)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	return out.Bytes(), nil
}

// reduced cuts the box out and shrinks it to a few times the size of what is shown, still as it is stored.
func reduced(m goimage.Image, box *[4]float64, orientation, side int) *goimage.NRGBA {
	from := m.Bounds()
	if box != nil && orientation <= 1 {
		x, y, w, h := float64(from.Dx()), float64(from.Dy()), box[2], box[3]
		cut := goimage.Rect(int(x*(box[0]-0.1*w)), int(y*(box[1]-0.1*h)), int(x*(box[0]+1.1*w))+1, int(y*(box[1]+1.1*h))+1).Add(from.Min).Intersect(from)
		if !cut.Empty() {
			from = cut
		}
	}
	w, h := within(from.Dx(), from.Dy(), side)
	out := goimage.NewNRGBA(goimage.Rect(0, 0, w, h))
	draw.Draw(out, out.Bounds(), goimage.NewUniform(color.White), goimage.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(out, out.Bounds(), m, from, draw.Over, nil)
	return out
}

func scaled(m *goimage.NRGBA, side int) *goimage.NRGBA {
	w, h := within(m.Bounds().Dx(), m.Bounds().Dy(), side)
	out := goimage.NewNRGBA(goimage.Rect(0, 0, w, h))
	draw.BiLinear.Scale(out, out.Bounds(), m, m.Bounds(), draw.Src, nil)
	return out
}

// within fits a size into a square, at least a pixel wide and high.
func within(w, h, side int) (int, int) {
	if longest := max(w, h); longest > side {
		return max(1, w*side/longest), max(1, h*side/longest)
	}
	return max(w, 1), max(h, 1)
}

// texts reads those of the posts that are shown.
func (c *Collected) texts() error {
	if c.settings.Texts == nil {
		return nil
	}
	var shown []*listed
	for _, name := range slices.Sorted(maps.Keys(c.second.accounts)) {
		for k := range c.second.accounts[name].items {
			shown = append(shown, &c.second.accounts[name].items[k])
		}
	}
	for i := range c.second.listed {
		shown = append(shown, &c.second.listed[i])
	}
	wanted := map[string]string{}
	for _, l := range shown {
		wanted[l.file] = ""
	}
	if err := c.settings.Texts(wanted); err != nil {
		return err
	}
	for _, l := range shown {
		if l.text = wanted[l.file]; l.text == "" {
			l.problem = "not in the folder of inputs"
		}
		if r := []rune(l.text); len(r) > mostLetters {
			l.text = string(r[:mostLetters]) + "…"
		}
	}
	return nil
}

// mostLetters of a post are shown.
const mostLetters = 280
