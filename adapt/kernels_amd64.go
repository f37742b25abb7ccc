package adapt

// wide tells that the processor and the system have AVX2. The kernels in kernels_amd64.s do what the loops of kernels.go do, four numbers at a time and to
// the same bits.
var wide = hasAVX2()

func hasAVX2() bool {
	const osxsave, avx, avx2, ymm = 1 << 27, 1 << 28, 1 << 5, 6
	if most, _, _, _ := cpuid(0, 0); most < 7 {
		return false
	}
	if _, _, c, _ := cpuid(1, 0); c&osxsave == 0 || c&avx == 0 {
		return false
	}
	if a, _ := xgetbv(); a&ymm != ymm {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&avx2 != 0
}

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func xgetbv() (a, d uint32)

// sumWide adds up x.
//
//go:noescape
func sumWide(n int, x *float64, sums *float64)

// dotWide adds up x*y.
//
//go:noescape
func dotWide(n int, x, y *float64, sums *float64)

// dot4Wide adds up w*y, w*z, x*y and x*z.
//
//go:noescape
func dot4Wide(n int, w, x, y, z *float64, sums *float64)

// scaleWide sets dst to k[0] x.
//
//go:noescape
func scaleWide(n int, k *float64, dst, x *float64)

// addScaledWide adds k[0] x to dst.
//
//go:noescape
func addScaledWide(n int, k *float64, dst, x *float64)

// addScaled2Wide adds k[0] x + k[1] y to dst.
//
//go:noescape
func addScaled2Wide(n int, k *float64, dst, x, y *float64)

// followWide sets p to (k[0] p + k[1] home)(k[2] read + k[3]), q to the same with k[5] to k[8], and adds k[4] p + k[9] q to out.
//
//go:noescape
func followWide(n int, k *float64, p, q, home, read, out *float64)

// persistWide sets p to (k[0] p + k[1]) read and adds k[2] p to out.
//
//go:noescape
func persistWide(n int, k *float64, p, read, out *float64)

// liftWide sets lift to like/(mass + k[0] start + k[1]) and adds up mu lift.
//
//go:noescape
func liftWide(n int, k *float64, lift, like, mass, start, mu *float64, sums *float64)

// learnRowWide sets row to (1 + k[0] lift) row + k[1] like, with k[2] of 1, and adds it up.
//
//go:noescape
func learnRowWide(n int, k *float64, row, lift, like *float64, sums *float64)

// aimWide sets u to p/(rows + k[0]) and adds up u, u outside and u outside rows.
//
//go:noescape
func aimWide(n int, k *float64, u, p, rows, outside *float64, sums *float64)

// learnSumsWide sets rows to k[0] rows + u (k[1] rows + k[2]) and columns to columns (k[0] + k[3] lift) + k[4] outside like.
//
//go:noescape
func learnSumsWide(n int, k *float64, rows, columns, u, outside, lift, like *float64)

// massWide sets mass to k[0] mass + (mass + k[1] start) like k[2].
//
//go:noescape
func massWide(n int, k *float64, mass, start, like *float64)

// staticWide multiplies s by k[0] read + k[1], and adds it up.
//
//go:noescape
func staticWide(n int, k *float64, s, read *float64, sums *float64)

// raiseWide sets s to k[0] s, or k[1] where that is less.
//
//go:noescape
func raiseWide(n int, k *float64, s *float64)

// rootWide sets dst to x sqrt(x).
//
//go:noescape
func rootWide(n int, dst, x *float64)

// driftWide sets p to k[0] p + k[1] home and adds k[2] p to out.
//
//go:noescape
func driftWide(n int, k *float64, p, home, out *float64)

// driftUniformWide is driftWide with a home of 1 everywhere.
//
//go:noescape
func driftUniformWide(n int, k *float64, p, out *float64)

// maxWide sets most to the greatest of x in each of its four lanes. There is no NaN in x.
//
//go:noescape
func maxWide(n int, x *float64, most *float64)

// minWide is maxWide of the least.
//
//go:noescape
func minWide(n int, x *float64, least *float64)

// powersWide sets dst to the [exponential] of (logq - k[0])/k[1], which is no more than 0. Where that is from allGone up to leastWhole, or NaN, it sets dst
// to that itself, and missed is not 0.
//
//go:noescape
func powersWide(n int, k, dst, logq *float64, series *expLanes, table *float64) (missed int)

// logsWide sets dst to the [logarithm] of q. Where q is under leastNormal or NaN dst is nothing, and missed is not 0.
//
//go:noescape
func logsWide(n int, dst, q *float64, series *logLanes, table *logEntry) (missed int)
