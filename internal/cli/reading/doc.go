// Package reading is the flags of the commands that read collections, of pictures, recordings or posts, and what they say: run, eval and
// train read alike.
package reading
