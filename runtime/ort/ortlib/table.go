package ortlib

import (
	"fmt"
	"path"
	"slices"

	"github.com/oatta/oatta/runtime"
)

// The versions in the table. The npm package of 1.24.4 was never published.
const (
	version    = "1.24.4"
	npmVersion = "1.24.3"
)

// pin is one package of one method for one platform, and what must be in it.
type pin struct {
	method   Method
	device   runtime.Device
	platform string
	version  string
	pkg      string   // pip: project; npm: package; release: name of the archive
	tags     []string // pip: the platform tags of the wheel
	files    []pinned // the first is the library itself
}

// pinned is a file inside a package.
type pinned struct{ name, sha256 string }

// Where the packages keep the library.
const (
	wheelDir = "onnxruntime/capi/"
	nodeDir  = "package/bin/napi-v6/"
)

func wheel(platform string, tags []string, files ...pinned) pin {
	return pin{MethodPip, runtime.DeviceCPU, platform, version, "onnxruntime", tags, inside(wheelDir, files)}
}

func node(platform, dir string, files ...pinned) pin {
	return pin{MethodNpm, runtime.DeviceCPU, platform, npmVersion, "onnxruntime-node", nil, inside(nodeDir+dir, files)}
}

// release pins an archive, whose folder has its name without the ending.
func release(platform, name, ending string, files ...pinned) pin {
	return pin{MethodRelease, runtime.DeviceCPU, platform, version, name + ending, nil, inside(name+"/lib/", files)}
}

func inside(dir string, files []pinned) []pinned {
	for i := range files {
		files[i].name = dir + files[i].name
	}
	return files
}

// table pins what may be fetched; the package comment says where the hashes come from. On Windows the library of the npm
// package asks for DirectML.dll, so that comes along.
var table = []pin{
	wheel("linux/amd64", []string{"manylinux_2_27_x86_64", "manylinux_2_28_x86_64"},
		pinned{"libonnxruntime.so.1.24.4", "2d518e11c7767f9fdc4413bdbeb45acf30db504ff76a82fc19d9238a3f9f6c24"}),
	wheel("linux/arm64", []string{"manylinux_2_27_aarch64", "manylinux_2_28_aarch64"},
		pinned{"libonnxruntime.so.1.24.4", "f373ae5fd4d878ed17ebea26e5480bd3d0a15e3bd6bc94b878e6c1b73998d22a"}),
	wheel("darwin/arm64", []string{"macosx_14_0_arm64"},
		pinned{"libonnxruntime.1.24.4.dylib", "f958c8c8f50a787f64cd13aa5f07710b97075d9869c6983dc0001d2452100eaa"}),
	wheel("windows/amd64", []string{"win_amd64"},
		pinned{"onnxruntime.dll", "87da0279ab54add397fd518f7022efe8b9a89fd968669d0adff9f9f242344b6c"}),
	wheel("windows/arm64", []string{"win_arm64"},
		pinned{"onnxruntime.dll", "8074abb34bee85312d49c39f1cde276d97aa5c27f5fe370727c8a46192086a0f"}),
	{
		MethodPip, runtime.DeviceCUDA, "linux/amd64", version, "onnxruntime-gpu",
		[]string{"manylinux_2_27_x86_64", "manylinux_2_28_x86_64"},
		inside(wheelDir, []pinned{
			{"libonnxruntime.so.1.24.4", "b10825f4306b01a4951c528554f2495c4597080c63637b300669544d9c142e76"},
			{"libonnxruntime_providers_shared.so", "086ec1d5388f64153d9c63470d126693db9a182c8ce236d3a1119068471b8a0d"},
			{"libonnxruntime_providers_cuda.so", "43d2eb6ba2d1c2e796f495114420c0a1e1c6a8d987dd17c6e89a211dafdbb6c4"},
		}),
	},

	node("linux/amd64", "linux/x64/",
		pinned{"libonnxruntime.so.1", "92ba8e44d31b80a34f5e805076a044122c3be1fffe0d88ed790de7267b0b2682"}),
	node("linux/arm64", "linux/arm64/",
		pinned{"libonnxruntime.so.1", "33032cb5b91c12edbf028d7c69fa40a31848d66c0095448758af237d5e0b07db"}),
	node("darwin/arm64", "darwin/arm64/",
		pinned{"libonnxruntime.1.24.3.dylib", "76831409ce6eded92b4cb343cf422c458a60c1ea1d5f3cfa69692ab7fcc67f0f"}),
	node("windows/amd64", "win32/x64/",
		pinned{"onnxruntime.dll", "4bc168111012971ae1ffef36c1f29c06b026d17e9063bd17f6390359fbe32a84"},
		pinned{"DirectML.dll", "aba1999d6f7af246fc032105a6498722eb4af8a70f04c7441b7608e17deec72f"}),
	node("windows/arm64", "win32/arm64/",
		pinned{"onnxruntime.dll", "65dd5f706f8dd42ce96f6358ef3180c3c30f390022de00b75ada6f498ba4cce1"},
		pinned{"DirectML.dll", "0faa19e9cfa7cbbf2bb679ba5313d81ebbcd4c96d1c78200efd7752c7d01503e"}),

	// Hashes on record with others: see the package comment.
	release("linux/amd64", "onnxruntime-linux-x64-1.24.4", ".tgz",
		pinned{"libonnxruntime.so.1.24.4", "d132535d051344ff5c64c9c200004150559049a81ed330eb4422c1962fb6b7e4"}),
	release("linux/arm64", "onnxruntime-linux-aarch64-1.24.4", ".tgz",
		pinned{"libonnxruntime.so.1.24.4", "52b2a0e75e79468404284fec38ad5ee1a7a996232274f5e1b84f3e793fb07554"}),
	release("darwin/arm64", "onnxruntime-osx-arm64-1.24.4", ".tgz",
		pinned{"libonnxruntime.1.24.4.dylib", "872533f130f1839a5bc01788ddb4f75c83a189763441ba1178788ed965449289"}),
	release("windows/amd64", "onnxruntime-win-x64-1.24.4", ".zip",
		pinned{"onnxruntime.dll", "b95efb2113b603bbbf3f191061c5516a871ed546893c820e4f3b7b6c358dbf2a"}),
	release("windows/arm64", "onnxruntime-win-arm64-1.24.4", ".zip",
		pinned{"onnxruntime.dll", "724d81ac50b11bfaa01ab3ce01b99fb6734a4b762259a8be4395ca662ce99fe6"}),
}

// pinnedBy tells for which platforms and devices a method has something in the table, as "linux/amd64 cpu".
func pinnedBy(m Method) []string {
	var list []string
	for _, p := range table {
		if p.method == m {
			list = append(list, fmt.Sprintf("%s %s", p.platform, p.device))
		}
	}
	return list
}

// pinFor returns the entry of a method for a platform and a device.
func pinFor(m Method, platform string, device runtime.Device) (pin, error) {
	i := slices.IndexFunc(table, func(p pin) bool { return p.method == m && p.platform == platform && p.device == device })
	if i < 0 {
		return pin{}, fmt.Errorf("no package is pinned for %s, %s (there is one for %v)", platform, device, pinnedBy(m))
	}
	return table[i], nil
}

// knownAs finds the entry that pins a file of this hash on a platform, whatever method it is for.
func knownAs(sha256, platform string) (pin, bool) {
	for _, p := range table {
		if p.platform == platform && slices.ContainsFunc(p.files, func(f pinned) bool { return f.sha256 == sha256 }) {
			return p, true
		}
	}
	return pin{}, false
}

// String names the package as its own tool does.
func (p pin) String() string {
	switch p.method {
	case MethodPip:
		return p.pkg + "==" + p.version
	case MethodNpm:
		return p.pkg + "@" + p.version
	}
	return p.pkg
}

// picks maps the names inside the package to those in the cache.
func (p pin) picks() map[string]string {
	picks := map[string]string{}
	for _, f := range p.files {
		picks[f.name] = path.Base(f.name)
	}
	return picks
}
