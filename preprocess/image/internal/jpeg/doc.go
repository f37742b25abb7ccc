// Package jpeg decodes the JPEGs that image/jpeg refuses and libjpeg reads: any whole ratio of sampling factors, arithmetic coding, files
// that leave out the standard Huffman tables (as frames of Motion JPEG do), some progressive files with restart markers, and damaged
// ones, of which it makes what libjpeg makes.
//
// It stands in where the standard decoder has failed, so it is made to be plain, not fast: all coefficients are held, then transformed.
// Eight bits a sample, one, three or four components, sequential or progressive (ITU-T T.81, processes SOF0, 1, 2, 9 and 10). For whole files
// the planes are libjpeg-turbo's bit by bit: its slow integer transform, and its default ("fancy") upsampling. Lossless,
// hierarchical and 12-bit files are errors. Four planes are inks, whole or behind luma and chroma (CMYK, YCCK), inverted as PIL has them.
//
// # Damage
//
// A damaged file gives the picture that libjpeg gives, and [Picture] says in words what is wrong with it. After coded data that end too
// early the rest, up to the next restart marker that counts, is grey; lost and repeated restart markers are resolved by the rule of
// libjpeg's jpeg_resync_to_restart; a code that no table has is taken for 0. What differs: libjpeg
// smooths the blocks of a progressive file whose later scans are missing, and where damage makes values that no encoder writes, results
// depend on its vector instructions. Bits that changed and still make codes are not noticed, here and there.
package jpeg
