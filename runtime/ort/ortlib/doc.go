// Package ortlib finds, fetches, verifies and caches the shared library of ONNX Runtime; it is pure Go and loads nothing.
//
//	lib, err := ortlib.Find(ctx, ortlib.Options{})  // what is there already
//	lib, err := ortlib.Setup(ctx, ortlib.Options{}) // the same, else fetched
//	engine, err := ort.Load(lib.Path)
//
// # Where a library is looked for
//
// In this order: the environment variable OATTA_ORT_LIB (a file, or a folder that holds one); the cache folder (OATTA_CACHE,
// else the user's cache folder and oatta in it) under ort/VERSION-OS-ARCH-cpu or -cuda; the library folders of the system.
// Libraries of a version before 1.24, by their names or, where these tell none, by the files, are passed over, and so are those
// of the system that could not be loaded.
// A variable that names nothing usable is an error, not a reason to look further. Without a cache folder, as where there is no
// home, only a fetch is an error.
//
// # Where a library comes from
//
// [Setup] tries the machine's own pip, then its npm, then the release archive of ONNX Runtime's project page, each at a pinned
// version; [Options.From] names a package or a library instead. Of a package only the library, its providers on CUDA, and the
// licence texts are taken, under plain names of ours.
//
// # What is verified
//
// Every library file must have the SHA-256 that a table in this package pins. For pip and npm the hashes were taken from the
// packages themselves, for every platform; that of the library inside a wheel is the same for all versions of Python (two
// were compared). The release archives could not be had when the table was made: their hashes are those that at least two
// independent public projects record for the same file. There is none for the CUDA release archives, so CUDA comes by
// pip, or by From. For macOS on Intel, Microsoft publishes no library from 1.24 on.
//
// A file of the user's whose library is not in the table is refused with its hash, unless [Options.SHA256] has that hash, or
// that of the whole package, or [Options.Trust] accepts it unseen. Trust is refused over plain http.
//
// Beside a library in the cache lies a record, origin.json, of where it came from and of each file's hash and size. [Find]
// compares the sizes, [Verify] and [Setup] the hashes as well; what differs is [ErrDamaged], and Setup replaces it. [CheckFile]
// is for every library right before it is loaded: it tells from the headers whether all of the file is there.
//
// # What is kept
//
// The cache is written under a lock, into a temporary folder that is renamed when it is complete and on disk: two programs may
// run at once, and an interrupted fetch leaves nothing that [Find] would take. The next fetch removes its remains.
package ortlib
