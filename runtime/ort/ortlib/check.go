package ortlib

import (
	"context"

	"github.com/oatta/oatta/runtime"
)

// Report is what `oatta setup --check` tells about libraries, as far as it can be told without loading one: version and
// providers of a loaded library are runtime/ort's to say.
type Report struct {
	Platform string           `json:"platform"`
	CacheDir string           `json:"cache"`             // cache folder of oatta
	Found    bool             `json:"found"`             // whether Library is there
	Library  Library          `json:"library"`           // what Find finds
	SHA256   string           `json:"sha256,omitempty"`  // of the library's file
	Pinned   string           `json:"pinned,omitempty"`  // the package in whose name the table pins that hash, or ""
	Problem  string           `json:"problem,omitempty"` // why nothing was found, or what is wrong with it
	Cached   []Library        `json:"cached,omitempty"`  // all in the cache for this platform
	Devices  []runtime.Device `json:"devices,omitempty"` // what the library is built for: cpu, and cuda
}

// Check looks for a library as Verify does, hashes it and reports. What is wrong is in the report; the error is only for options
// out of range and for a context that ended.
func Check(ctx context.Context, o Options) (Report, error) {
	o, err := o.resolved()
	if err != nil {
		return Report{}, err
	}
	r := Report{Platform: o.Platform, CacheDir: o.CacheDir, Cached: cached(o)}
	if r.Library, err = verified(ctx, o); err != nil {
		r.Problem = err.Error()
		return r, ctx.Err()
	}
	r.Found, r.Devices = true, []runtime.Device{runtime.DeviceCPU}
	if r.Library.Device == runtime.DeviceCUDA {
		r.Devices = append(r.Devices, runtime.DeviceCUDA)
	}
	if err := checkLibrary(r.Library.Path, o.Platform); err != nil {
		r.Problem = r.Library.Path + ": " + err.Error()
	}
	if r.SHA256, err = hashFile(ctx, r.Library.Path); err != nil {
		r.Problem = err.Error()
		return r, ctx.Err()
	}
	if p, ok := knownAs(r.SHA256, o.Platform); ok {
		r.Pinned = p.String()
	}
	return r, nil
}
