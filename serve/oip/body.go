package oip

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"

	"github.com/oatta/oatta/serve"
)

// maxSmall bounds bodies that hold no tensors, in bytes.
const maxSmall = 64 << 10

// readBody returns a request's body, decompressed, of at most limit bytes as sent. What it allocates follows what came.
func (c *call) readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	data, err := c.readWithin(w, r, limit)
	if err == nil {
		c.received() // else the deadline stays, for the server reads on
	}
	return data, err
}

func (c *call) readWithin(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	if a, ok := w.(*answer); ok {
		w = a.ResponseWriter // it tells the server to close the connection
	}
	sent := http.MaxBytesReader(w, r.Body, limit)
	plain, err := decompressed(sent, r.Header.Values("Content-Encoding"))
	if err != nil {
		return nil, err
	}
	if plain == sent {
		var all bytes.Buffer
		all.Grow(int(min(max(r.ContentLength, 0), 64<<10)) + bytes.MinRead)
		_, err := all.ReadFrom(sent)
		return all.Bytes(), err
	}
	return c.decode(plain)
}

// decompressed reads through what a body was compressed with.
func decompressed(sent io.ReadCloser, encodings []string) (io.Reader, error) {
	encoding := strings.ToLower(strings.TrimSpace(strings.Join(encodings, ",")))
	var plain io.Reader = sent
	var err error
	switch encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		plain, err = gzip.NewReader(sent)
	case "deflate":
		plain, err = zlib.NewReader(sent)
	default:
		return nil, invalid("content encoding %.40q: want gzip, deflate or none", encoding)
	}
	return plain, badCompression(err)
}

// decode reads what was compressed, within the limits of the decompressed.
func (c *call) decode(plain io.Reader) ([]byte, error) {
	limit := c.h.o.MaxDecoded
	var all bytes.Buffer
	for {
		n, err := io.CopyN(&all, plain, 64<<10)
		if full := c.hold(int(n)); full != nil {
			return nil, full
		}
		if int64(all.Len()) > limit {
			return nil, serve.Errorf(serve.TooLarge, "more than %d bytes when decompressed", limit)
		}
		if err == io.EOF {
			return all.Bytes(), nil
		}
		if err != nil {
			return nil, badCompression(err)
		}
	}
}

// badCompression makes an error of compressed data one of the request; others stay.
func badCompression(err error) error {
	if err == nil {
		return nil
	}
	if v, hidden := judge(err); !hidden && v.text != "" {
		return err
	}
	return invalid("the body cannot be decompressed: %v", err)
}
