package inputs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/preprocess/image"
)

// Pictures is the pictures of a listing.
type Pictures struct {
	collection
	model     models.Manifest
	listing   *datasets.Listing
	transform *image.Transform
	options   PictureOptions
	damaged   damaged
}

// PictureOptions say how pictures are decoded.
type PictureOptions struct {
	IgnoreOrientation bool  // leave pictures as stored instead of turning them as EXIF says
	MaxPixels         int64 // refuse larger pictures; 0: the default of package image
	UseDamaged        bool  // make of damaged JPEGs what libjpeg makes of them, instead of refusing them
}

// NewPictures makes items of a listing, for a network of a manifest.
func NewPictures(l *datasets.Listing, m models.Manifest, o PictureOptions) (*Pictures, error) {
	if m.Signal != nil || m.Text != nil {
		return nil, fmt.Errorf("the model %s is not one for pictures: its task is %s", m.Name, m.Task)
	}
	set := m.Input.Settings()
	set.IgnoreOrientation = o.IgnoreOrientation
	t, err := image.New(set, image.Limits{MaxPixels: o.MaxPixels})
	if err != nil {
		return nil, err
	}
	p := &Pictures{model: m, listing: l, transform: t, options: o, damaged: damaged{use: o.UseDamaged}}
	t.Salvage = p.damaged.salvage
	p.collection = collection{noun: "picture", shape: t.Shape(), hash: listingHash(l), warnings: l.Warnings}
	for _, pic := range l.Pictures {
		p.items = append(p.items, pipeline.Item{Name: Readable(pic.Name), Stream: Readable(pic.Stream), Time: pic.Time, Zoned: pic.Zoned})
		p.labels = append(p.labels, pic.Label)
	}
	for _, f := range l.Failures {
		p.failures = append(p.failures, failure{Readable(f.Name), f.Reason})
	}
	p.close()
	return p, nil
}

// listingHash is over everything of a listing that reaches an output or decides its order, and over sizes and times of modification,
// which tell replaced files without reading them.
func listingHash(l *datasets.Listing) string {
	h := sha256.New()
	for _, p := range l.Pictures {
		fmt.Fprintf(h, "%q %q %s %t %d %d\n", p.Name, p.Stream, p.Time.Format(time.RFC3339Nano), p.Zoned, p.Bytes, p.ModTime.UnixNano())
	}
	for _, f := range l.Failures {
		fmt.Fprintf(h, "%q failed\n", f.Name)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Prepared implements [Input].
func (p *Pictures) Prepared() any {
	return struct {
		models.Input
		IgnoreOrientation bool  `json:"ignore_orientation"`
		MaxPixels         int64 `json:"max_pixels,omitempty"`
		UseDamaged        bool  `json:"use_damaged,omitempty"`
	}{p.model.Input, p.options.IgnoreOrientation, p.options.MaxPixels, p.options.UseDamaged}
}

// Loader implements [Input]. The views are sets of package image.
func (p *Pictures) Loader(v Views, _ int) (pipeline.Loader, error) {
	if v.none() {
		return p.loader(func(dst []float32, path string, _ uint64) error { return p.transform.File(dst, path) }), nil
	}
	viewer, err := p.viewer(v)
	if err != nil {
		return nil, err
	}
	return p.loader(viewer.File), nil
}

func (p *Pictures) viewer(v Views) (*image.Viewer, error) {
	set, err := image.ParseSet(v.Set)
	if err != nil {
		return nil, err
	}
	return p.transform.NewViews(image.Views{Set: set, Augmented: v.Count})
}

// loader decodes and transforms picture i.
func (p *Pictures) loader(read func(dst []float32, path string, seed uint64) error) pipeline.Loader {
	return func(dst []float32, i int, seed uint64) error {
		if err := p.failed(i); err != nil {
			return err
		}
		path := p.listing.Pictures[i].Path
		if err := read(dst, path, seed); err != nil {
			return withoutPath(err, path)
		}
		return nil
	}
}

// ListPictures lists the pictures of files and folders. Every picture failing is a result, too.
func ListPictures(ctx context.Context, args []string, o datasets.Options) (*datasets.Listing, error) {
	l, err := datasets.ListAll(ctx, args, o)
	if errors.Is(err, datasets.ErrNoPictures) && len(l.Failures) > 0 {
		err = nil
	}
	if err == nil {
		if note := l.IgnoredNote(); note != "" {
			l.Warnings = append(l.Warnings, "not read, as no pictures: "+note)
		}
	}
	return l, err
}
