package ortlib

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/oatta/oatta/runtime"
)

// Method names a way to fetch a library.
type Method string

// The methods, in the order in which they are tried. MethodFrom is the one of [Options.From].
const (
	MethodPip     Method = "pip"
	MethodNpm     Method = "npm"
	MethodRelease Method = "release"
	MethodFrom    Method = "from"
)

// The environment variables that the package reads.
const (
	EnvLibrary = "OATTA_ORT_LIB" // the library, or a folder that holds one
	EnvCache   = "OATTA_CACHE"   // the cache folder of oatta
)

// defaultReleases is where the release archives of ONNX Runtime's own project are.
const defaultReleases = "https://github.com/microsoft/onnxruntime/releases/download"

// Options say what to look for and how to fetch it. The zero value finds or fetches a CPU library for this machine.
type Options struct {
	Device     runtime.Device // cpu ("" too) takes any library, cuda one with the CUDA provider; auto prefers CUDA in Find
	Platform   string         // "linux/arm64"; "" is this machine's. For another machine only the cache is looked in
	CacheDir   string         // cache folder of oatta; "" is OATTA_CACHE, else the user's cache folder and oatta in it
	Method     Method         // the only method to try; "" is all of them
	From       string         // an https URL or a file: .whl .nupkg .zip .tgz .tar.gz, or the library itself
	SHA256     string         // hashes that are accepted beside the table's, comma-separated: of the package or of libraries
	Trust      bool           // accept libraries of From that are in no table and have no hash in SHA256
	ReleaseURL string         // where the release archives are; "" is the project's own page
	Timeout    time.Duration  // for one method; 0 is 15 minutes
	Log        func(string)   // gets a line for each step; nil drops them
	Client     *http.Client   // for downloads; nil is a client of our own

	system  []string // folders in place of the system's; tests only
	noCache error    // why CacheDir is empty in resolved options
}

var (
	hexHash       = regexp.MustCompile(`^[0-9a-f]{64}$`)
	platformRe    = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9]+$`)
	errNoCacheDir = errors.New("ortlib: no cache folder: set OATTA_CACHE")
)

// Validate reports a setting out of range.
func (o Options) Validate() error {
	switch o.Device {
	case "", runtime.DeviceCPU, runtime.DeviceCUDA, runtime.DeviceAuto:
	default:
		return fmt.Errorf("ortlib: device %q: want cpu, cuda or auto", o.Device)
	}
	if o.Platform != "" && !platformRe.MatchString(o.Platform) {
		return fmt.Errorf("ortlib: platform %q: want one as linux/amd64", o.Platform)
	}
	if o.Method != "" && !slices.Contains([]Method{MethodPip, MethodNpm, MethodRelease, MethodFrom}, o.Method) {
		return fmt.Errorf("ortlib: method %q: want pip, npm or release", o.Method)
	}
	if (o.Method == MethodFrom) != (o.From != "") && o.Method != "" {
		return fmt.Errorf("ortlib: method %q does not go with from %q", o.Method, o.From)
	}
	for _, h := range o.hashes() {
		if !hexHash.MatchString(h) {
			return fmt.Errorf("ortlib: sha256 %q: want 64 hexadecimal digits", h)
		}
	}
	if o.Timeout < 0 {
		return fmt.Errorf("ortlib: timeout %v: want 0 or more", o.Timeout)
	}
	return nil
}

// hashes returns the user's own hashes in lower case.
func (o Options) hashes() []string {
	var list []string
	for _, h := range strings.Split(o.SHA256, ",") {
		if h = strings.ToLower(strings.TrimSpace(h)); h != "" {
			list = append(list, h)
		}
	}
	return list
}

// resolved returns the options with their defaults in place. That there is no cache folder, as without a home, matters only
// to who wants to write there: libraries may be found elsewhere.
func (o Options) resolved() (Options, error) {
	if err := o.Validate(); err != nil {
		return o, err
	}
	if o.Platform == "" {
		o.Platform = hostPlatform()
	}
	if o.Device == "" {
		o.Device = runtime.DeviceCPU
	}
	if o.ReleaseURL == "" {
		o.ReleaseURL = defaultReleases
	}
	if o.Timeout == 0 {
		o.Timeout = 15 * time.Minute
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.Client == nil {
		o.Client = newClient()
	}
	if o.CacheDir == "" {
		o.CacheDir, o.noCache = CacheDir()
	}
	return o, nil
}

// CacheDir returns the cache folder of oatta: OATTA_CACHE, else oatta in the user's cache folder. It need not exist.
func CacheDir() (string, error) {
	if dir := os.Getenv(EnvCache); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNoCacheDir, err)
	}
	return filepath.Join(dir, "oatta"), nil
}

// store is the folder of libraries in the cache, which must be there to have one.
func (o Options) store() string { return filepath.Join(o.CacheDir, "ort") }

func (o Options) logf(format string, args ...any) { o.Log(fmt.Sprintf(format, args...)) }

func hostPlatform() string { return goruntime.GOOS + "/" + goruntime.GOARCH }

// archOf returns "amd64" for "linux/amd64".
func archOf(platform string) string {
	_, name, _ := strings.Cut(platform, "/")
	return name
}

// osOf returns "linux" for "linux/amd64".
func osOf(platform string) string {
	name, _, _ := strings.Cut(platform, "/")
	return name
}
