package inputs

import (
	"slices"
	"sync"

	"github.com/oatta/oatta/preprocess/image"
)

// album holds pictures that several boxes are in, from the first that is asked for to the last, so that each is decoded once. The zero
// value is an empty one.
type album struct {
	mu    sync.Mutex
	held  []*page // oldest first
	bytes int64
}

// page is a picture in an album.
type page struct {
	picture int
	left    int // boxes that have not been asked for
	bytes   int64
	once    sync.Once
	opened  *image.Opened
	err     error
}

// albumMost bounds what decoded pictures may take. Beyond, the oldest is dropped, and decoded again if there are boxes left.
const albumMost = 256 << 20

// picture returns a picture of several boxes, which open opens. Whoever asks while another opens it waits.
func (a *album) picture(i, boxes int, open func() (*image.Opened, error)) (*image.Opened, error) {
	if boxes == 1 {
		return open()
	}
	p := a.page(i, boxes)
	p.once.Do(func() {
		if p.opened, p.err = open(); p.err == nil {
			a.weigh(p)
		}
	})
	return p.opened, p.err
}

// page returns the page of a picture, which the last box takes out of the album.
func (a *album) page(i, boxes int) *page {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := slices.IndexFunc(a.held, func(p *page) bool { return p.picture == i })
	if at < 0 {
		at = len(a.held)
		a.held = append(a.held, &page{picture: i, left: boxes})
	}
	p := a.held[at]
	if p.left--; p.left == 0 {
		a.drop(at)
	}
	return p
}

// weigh counts a picture that was opened, and drops others for it.
func (a *album) weigh(p *page) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.held, p) { // its last box was asked for meanwhile
		return
	}
	w, h := p.opened.Size()
	p.bytes = 4 * int64(w) * int64(h)
	a.bytes += p.bytes
	for a.bytes > albumMost && a.held[0] != p {
		a.drop(0)
	}
}

func (a *album) drop(at int) {
	a.bytes -= a.held[at].bytes
	a.held = slices.Delete(a.held, at, at+1)
}
