package image

import (
	"bytes"
	goimage "image"
	"image/color"
	stdjpeg "image/jpeg"
	"image/png"
	"math/rand/v2"
	goruntime "runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/image/tiff"
)

// noisy is a picture that does not compress well.
func noisy(w, h int, deep bool) goimage.Image {
	r := rand.New(rand.NewPCG(1, 2))
	if deep {
		m := goimage.NewNRGBA64(goimage.Rect(0, 0, w, h))
		for i := range m.Pix {
			m.Pix[i] = uint8(r.Uint32())
		}
		return m
	}
	m := goimage.NewNRGBA(goimage.Rect(0, 0, w, h))
	for i := 0; i < len(m.Pix); i += 4 {
		v := uint8(r.Uint32())
		m.SetNRGBA(i/4%w, i/4/w, color.NRGBA{R: v, G: v, B: v, A: 255})
	}
	return m
}

// Decoding allocates no more in all than is counted for it, so that it never takes more. A deflated TIFF allocates half as much again:
// the data of its strip grow, and what they grow out of is free again.
func TestCostIsAnUpperBound(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates, too")
	}
	encode := func(write func(*bytes.Buffer) error) []byte {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	flat, deep := noisy(700, 500, false), noisy(700, 500, true)
	jpeg := encode(func(b *bytes.Buffer) error { return stdjpeg.Encode(b, flat, nil) })
	for name, data := range map[string][]byte{
		"JPEG":             jpeg,
		"half a JPEG":      jpeg[:len(jpeg)/2],
		"PNG":              encode(func(b *bytes.Buffer) error { return png.Encode(b, flat) }),
		"PNG of 16 bits":   encode(func(b *bytes.Buffer) error { return png.Encode(b, deep) }),
		"TIFF":             encode(func(b *bytes.Buffer) error { return tiff.Encode(b, flat, nil) }),
		"TIFF of 16 bits":  encode(func(b *bytes.Buffer) error { return tiff.Encode(b, deep, nil) }),
		"deflated TIFF 16": encode(func(b *bytes.Buffer) error { return tiff.Encode(b, deep, &tiff.Options{Compression: tiff.Deflate}) }),
	} {
		_, cost, err := header(data, Limits{}.withDefaults())
		if err != nil {
			t.Fatal(name, err)
		}
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		_, _, _ = decode(data, Limits{}.withDefaults())
		goruntime.ReadMemStats(&after)
		took := int64(after.TotalAlloc - before.TotalAlloc)
		t.Logf("%s: %.1f bytes a pixel, %.1f counted", name, float64(took)/700/500, float64(cost)/700/500)
		if name == "deflated TIFF 16" {
			took = took * 2 / 3
		}
		if took > cost+1<<20 {
			t.Errorf("%s: decoding took %d bytes, %d were counted", name, took, cost)
		}
	}
}

// Callers wait for each other where their pictures together would take more than the limit, and one that alone takes more goes alone.
func TestMemoryIsShared(t *testing.T) {
	m := newMemory(100)
	var now, most atomic.Int64
	done := make(chan bool)
	for range 20 {
		go func() {
			release := m.hold(40)
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			time.Sleep(time.Millisecond)
			now.Add(-1)
			release()
			done <- true
		}()
	}
	for range 20 {
		<-done
	}
	if most.Load() > 2 {
		t.Errorf("%d of 40 at once, within 100", most.Load())
	}
	m.hold(1000)()
	m.hold(1000)()
}

// Large files are read one after another.
func TestLargeFilesTakeTurns(t *testing.T) {
	m := newMemory(100)
	small := m.reading(1)
	large := m.reading(largeFile)
	second := make(chan bool)
	go func() {
		m.reading(largeFile)()
		close(second)
	}()
	select {
	case <-second:
		t.Error("two large files at once")
	case <-time.After(10 * time.Millisecond):
	}
	large()
	<-second
	small()
}
