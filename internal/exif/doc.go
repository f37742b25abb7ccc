// Package exif reads a few tags of the metadata that cameras write into JPEG, PNG, WebP and TIFF: what tells time, and how a picture is to
// be turned.
//
// The content decides which format it is, not the name. Bytes of any kind are safe: no panic, no loop, and no more is read than the
// limits in this package say. Facts are those of CIPA DC-008 (Exif 3.0), section 4.6, and TIFF 6.0.
//
// Why not a library: github.com/bep/imagemeta turns SubSecTimeOriginal into an integer, which makes "057" and "57" the same though they are
// 520 ms apart, gives up a file at the first tag of a type that it does not know, and loses its way in WebP after a chunk of odd length.
// It serves as the other opinion in the tests.
package exif
