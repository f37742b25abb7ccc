// Package auth knows callers of the server by keys: 256 random bits, of which a file holds the hash and what each may touch.
//
// The file has a line of JSON for each key; empty lines and lines that begin with # are passed over:
//
//	{"name": "clinic", "sha256": "9f86…", "namespace": "clinic", "models": ["sleep"]}
//	{"name": "operator", "sha256": "60303…", "models": ["*"], "admin": true}
//
// A key is as good as unguessable, so that its plain SHA-256 tells nothing of it, and no slow hash is needed. Who reads the file cannot use it;
// who writes it can.
package auth
