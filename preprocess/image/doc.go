// Package image turns one picture into a network's input tensor, equal to torchvision on PIL: decode, orient, resize with
// antialiasing, centre crop, scale, normalise. Inside it the standard package is imported as goimage; callers import this
// one as imageprep.
//
// # What is equal to what
//
// From equal pixels the crop has equal bytes: Pillow resamples 8-bit pictures in two passes, along the width first, each
// rounded to 8 bits, with coefficients in 22-bit fixed point; so does this package, for all six filters. (Pillow 13 takes
// the height first where that shrinks markedly more than the width, as Stretch does to upright pictures; this package
// keeps the one order of Pillow up to 12, in which the networks that exist were trained.) Sizes and crops are
// torchvision's, and the float32 operations that turn bytes into the tensor are its operations in its order.
//
// From PNG, GIF, BMP, TIFF and WebP the pixels are those of PIL's convert("RGB"), with two differences: a 16-bit grey
// picture keeps the high byte of each sample, where PIL clips every sample above 255 to white; and a fax-coded TIFF that
// says black is zero comes out inverted, as golang.org/x/image decodes it. From JPEG they differ by what two inverse
// cosine transforms differ, a level here and there: chroma is upsampled and colours are converted as libjpeg-turbo does
// it, not as Go's image/color does. On 534 camera-trap pictures the mean difference is 0.02 levels and the largest 3;
// with Go's own conversion it would be 0.35 and 66. EXIF orientation is applied, as PIL.ImageOps.exif_transpose does.
//
// # Work and memory
//
// A picture is read once, row by row, only where the crop needs it, and goes through both passes without being stored in
// between. A [Transform] keeps coefficient tables of recent picture sizes and scratch space for each concurrent caller, in
// which the JPEGs that cameras write are decoded, too: of these nothing is allocated per picture but some 25 KB for reading
// headers and, where EXIF asks for a turn, the turned part. Of other files there is what their decoder allocates.
//
// Those JPEGs go through a decoder of this package, which gives the bits of Go's own in a fraction of the time and leaves it
// all other files and all errors; it and the resizing have kernels for AVX2, which give the bits of their loops. So the same
// file has the same pixels on every machine.
//
// # Several views
//
// A [Viewer] writes several views of one picture, as test-time augmentation and MEMO ask for: the plain one first, then those
// of a [Set], each as the Transform would write it. A picture is decoded once. Each operation of AugMix gives Pillow's bytes,
// and their mixture the bits of MEMO's float32 arithmetic, the dark red included with which that code fills. What differs:
//
//   - Random numbers are this module's own, so that view i of an item depends on the item's seed and on i alone.
//   - MemoImageNet cuts its crops from at most twice the resolution of Resize, as does Scales, so that the work for a view does
//     not grow with the camera. Most of ImageNet's pictures have no more, and for them nothing differs; from a larger one, crops
//     of less than a quarter of the area would have more detail in the reference code.
//   - Crops are resized with the transform's interpolation; the reference code knows only bilinear, which is the default.
//
// imaging turns whole pictures (see orient.go) but is not used here: it works on four bytes a pixel, allocates each result, and
// rotates by an interpolation of its own.
//
//	viewer, err := t.NewViews(imageprep.Views{Set: imageprep.MemoCIFAR})
//	...
//	x := make([]float32, viewer.Len()) // [33, 3, 32, 32]
//	err = viewer.File(x, "heron.png", seed)
//
// # Who owns what
//
// The caller allocates the destination and passes exactly its length; a wrong length is the caller's mistake and panics.
// Nothing that is passed in is kept or changed. A picture that cannot be read is an error, whatever its bytes are: sizes
// are limited before decoding (see [Limits]), and a panic of a decoder comes back as an error.
//
//	t, err := imageprep.New(imageprep.Settings{
//		Resize: 256, Height: 224, Width: 224,
//		Mean: [3]float64{0.485, 0.456, 0.406}, Std: [3]float64{0.229, 0.224, 0.225},
//	}, imageprep.Limits{})
//	if err != nil {
//		return err
//	}
//	x := make([]float32, 3*224*224) // t.Shape() is [3 224 224]
//	if err := t.File(x, "heron.jpg"); err != nil {
//		return err
//	}
package image
