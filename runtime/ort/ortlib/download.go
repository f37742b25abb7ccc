package ortlib

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// newClient returns a client that gives up on a server which does not answer. How long a whole download may take is the
// context's to say.
func newClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone() // with the proxies of the environment
	t.ResponseHeaderTimeout = 60 * time.Second
	t.TLSHandshakeTimeout = 30 * time.Second
	return &http.Client{Transport: t}
}

// download fetches url into the new file to, of at most limit bytes.
func download(ctx context.Context, client *http.Client, url, to string, limit int64) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", "oatta")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // what was wrong with it shows while it is read
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", url, resp.Status)
	}
	if resp.ContentLength > limit {
		return fmt.Errorf("GET %s: %d bytes, want at most %d", url, resp.ContentLength, limit)
	}
	if err := save(resp.Body, to, limit); err != nil {
		return fmt.Errorf("GET %s: %w", url, err)
	}
	return nil
}

func save(r io.Reader, to string, limit int64) (err error) {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	n, err := io.Copy(f, io.LimitReader(r, limit+1))
	if err == nil && n > limit {
		err = fmt.Errorf("more than %d bytes", limit)
	}
	return err
}
