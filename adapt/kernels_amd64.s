#include "textflag.h"

// Kernels over n numbers, a multiple of 4 from 4 on, four at a time (AVX2): what each does is said in kernels_amd64.go. Products and sums are rounded one by one, as
// Go code rounds them, and sums run in the four lanes of the loops in Go, so that the bits are theirs.

// func sumWide(n int, x *float64, sums *float64)
TEXT ·sumWide(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), CX
	MOVQ x+8(FP), R8
	VXORPD Y0, Y0, Y0
	MOVQ sums+16(FP), DX
	XORQ AX, AX

loop:
	VMOVUPD (R8)(AX*8), Y1
	VADDPD Y1, Y0, Y0
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VMOVUPD Y0, 0(DX)
	VZEROUPPER
	RET

// func dotWide(n int, x, y *float64, sums *float64)
TEXT ·dotWide(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), CX
	MOVQ x+8(FP), R8
	MOVQ y+16(FP), R9
	VXORPD Y0, Y0, Y0
	MOVQ sums+24(FP), DX
	XORQ AX, AX

loop:
	VMOVUPD (R8)(AX*8), Y1
	VMOVUPD (R9)(AX*8), Y2
	VMULPD Y2, Y1, Y1
	VADDPD Y1, Y0, Y0
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VMOVUPD Y0, 0(DX)
	VZEROUPPER
	RET

// func dot4Wide(n int, w, x, y, z *float64, sums *float64)
TEXT ·dot4Wide(SB), NOSPLIT, $0-48
	MOVQ n+0(FP), CX
	MOVQ w+8(FP), R8
	MOVQ x+16(FP), R9
	MOVQ y+24(FP), R10
	MOVQ z+32(FP), R11
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	MOVQ sums+40(FP), DX
	XORQ AX, AX

loop:
	VMOVUPD (R8)(AX*8), Y4
	VMOVUPD (R9)(AX*8), Y5
	VMOVUPD (R10)(AX*8), Y6
	VMOVUPD (R11)(AX*8), Y7
	VMULPD Y6, Y4, Y8
	VADDPD Y8, Y0, Y0
	VMULPD Y7, Y4, Y8
	VADDPD Y8, Y1, Y1
	VMULPD Y6, Y5, Y8
	VADDPD Y8, Y2, Y2
	VMULPD Y7, Y5, Y8
	VADDPD Y8, Y3, Y3
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VMOVUPD Y0, 0(DX)
	VMOVUPD Y1, 32(DX)
	VMOVUPD Y2, 64(DX)
	VMOVUPD Y3, 96(DX)
	VZEROUPPER
	RET

// func scaleWide(n int, k *float64, dst, x *float64)
TEXT ·scaleWide(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), DX
	MOVQ dst+16(FP), R8
	MOVQ x+24(FP), R9
	VBROADCASTSD 0(DX), Y0 // by
	XORQ AX, AX

loop:
	VMOVUPD (R9)(AX*8), Y1
	VMULPD Y1, Y0, Y1
	VMOVUPD Y1, (R8)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func addScaledWide(n int, k *float64, dst, x *float64)
TEXT ·addScaledWide(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), DX
	MOVQ dst+16(FP), R8
	MOVQ x+24(FP), R9
	VBROADCASTSD 0(DX), Y0 // by
	XORQ AX, AX

loop:
	VMOVUPD (R9)(AX*8), Y1
	VMULPD Y1, Y0, Y1
	VMOVUPD (R8)(AX*8), Y2
	VADDPD Y1, Y2, Y2
	VMOVUPD Y2, (R8)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func addScaled2Wide(n int, k *float64, dst, x, y *float64)
TEXT ·addScaled2Wide(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), DX
	MOVQ dst+16(FP), R8
	MOVQ x+24(FP), R9
	MOVQ y+32(FP), R10
	VBROADCASTSD 0(DX), Y0 // v
	VBROADCASTSD 8(DX), Y1 // w
	XORQ AX, AX

loop:
	VMOVUPD (R9)(AX*8), Y2
	VMULPD Y2, Y0, Y2
	VMOVUPD (R10)(AX*8), Y3
	VMULPD Y3, Y1, Y3
	VADDPD Y3, Y2, Y2
	VMOVUPD (R8)(AX*8), Y3
	VADDPD Y2, Y3, Y3
	VMOVUPD Y3, (R8)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func followWide(n int, k *float64, p, q, home, read, out *float64)
TEXT ·followWide(SB), NOSPLIT, $0-56
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), DX
	MOVQ p+16(FP), R8
	MOVQ q+24(FP), R9
	MOVQ home+32(FP), R10
	MOVQ read+40(FP), R11
	MOVQ out+48(FP), R12
	VBROADCASTSD 0(DX), Y0 // keep
	VBROADCASTSD 8(DX), Y1 // rest
	VBROADCASTSD 16(DX), Y2 // trust
	VBROADCASTSD 24(DX), Y3 // floor
	VBROADCASTSD 32(DX), Y4 // weight
	VBROADCASTSD 40(DX), Y5 // keep2
	VBROADCASTSD 48(DX), Y6 // rest2
	VBROADCASTSD 56(DX), Y7 // trust2
	VBROADCASTSD 64(DX), Y8 // floor2
	VBROADCASTSD 72(DX), Y9 // weight2
	XORQ AX, AX

loop:
	VMOVUPD (R10)(AX*8), Y10
	VMOVUPD (R11)(AX*8), Y11
	VMOVUPD (R8)(AX*8), Y12
	VMULPD Y12, Y0, Y12
	VMULPD Y10, Y1, Y13
	VADDPD Y13, Y12, Y12
	VMULPD Y11, Y2, Y13
	VADDPD Y3, Y13, Y13
	VMULPD Y13, Y12, Y12
	VMOVUPD Y12, (R8)(AX*8)
	VMOVUPD (R9)(AX*8), Y14
	VMULPD Y14, Y5, Y14
	VMULPD Y10, Y6, Y13
	VADDPD Y13, Y14, Y14
	VMULPD Y11, Y7, Y13
	VADDPD Y8, Y13, Y13
	VMULPD Y13, Y14, Y14
	VMOVUPD Y14, (R9)(AX*8)
	VMULPD Y12, Y4, Y12
	VMULPD Y14, Y9, Y14
	VADDPD Y14, Y12, Y12
	VMOVUPD (R12)(AX*8), Y13
	VADDPD Y12, Y13, Y13
	VMOVUPD Y13, (R12)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func persistWide(n int, k *float64, p, read, out *float64)
TEXT ·persistWide(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), DX
	MOVQ p+16(FP), R8
	MOVQ read+24(FP), R9
	MOVQ out+32(FP), R10
	VBROADCASTSD 0(DX), Y0 // keep
	VBROADCASTSD 8(DX), Y1 // rest
	VBROADCASTSD 16(DX), Y2 // weight
	XORQ AX, AX

loop:
	VMOVUPD (R8)(AX*8), Y3
	VMULPD Y3, Y0, Y3
	VADDPD Y1, Y3, Y3
	VMOVUPD (R9)(AX*8), Y4
	VMULPD Y4, Y3, Y3
	VMOVUPD Y3, (R8)(AX*8)
	VMULPD Y3, Y2, Y3
	VMOVUPD (R10)(AX*8), Y5
	VADDPD Y3, Y5, Y5
	VMOVUPD Y5, (R10)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func liftWide(n int, k *float64, lift, like, mass, start, mu *float64, sums *float64)
TEXT ·liftWide(SB), NOSPLIT, $0-64
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), DX
	MOVQ lift+16(FP), R8
	MOVQ like+24(FP), R9
	MOVQ mass+32(FP), R10
	MOVQ start+40(FP), R11
	MOVQ mu+48(FP), R12
	VBROADCASTSD 0(DX), Y0 // more
	VBROADCASTSD 8(DX), Y1 // beyond
	VXORPD Y2, Y2, Y2
	MOVQ sums+56(FP), DX
	XORQ AX, AX

loop:
	VMOVUPD (R11)(AX*8), Y3
	VMULPD Y3, Y0, Y3
	VMOVUPD (R10)(AX*8), Y4
	VADDPD Y3, Y4, Y3
	VADDPD Y1, Y3, Y3
	VMOVUPD (R9)(AX*8), Y4
	VDIVPD Y3, Y4, Y3
	VMOVUPD Y3, (R8)(AX*8)
	VMOVUPD (R12)(AX*8), Y4
	VMULPD Y3, Y4, Y3
	VADDPD Y3, Y2, Y2
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VMOVUPD Y2, 0(DX)
	VZEROUPPER
	RET

// func learnRowWide(n int, k *float64, row, lift, like *float64, sums *float64)
TEXT ·learnRowWide(SB), NOSPLIT, $0-48
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), DX
	MOVQ row+16(FP), R8
	MOVQ lift+24(FP), R9
	MOVQ like+32(FP), R10
	VBROADCASTSD 0(DX), Y0 // k
	VBROADCASTSD 8(DX), Y1 // bias
	VBROADCASTSD 16(DX), Y2 // one
	VXORPD Y3, Y3, Y3
	MOVQ sums+40(FP), DX
	XORQ AX, AX

loop:
	VMOVUPD (R9)(AX*8), Y4
	VMULPD Y4, Y0, Y4
	VADDPD Y4, Y2, Y4
	VMOVUPD (R8)(AX*8), Y5
	VMULPD Y5, Y4, Y4
	VMOVUPD (R10)(AX*8), Y5
	VMULPD Y5, Y1, Y5
	VADDPD Y5, Y4, Y4
	VMOVUPD Y4, (R8)(AX*8)
	VADDPD Y4, Y3, Y3
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VMOVUPD Y3, 0(DX)
	VZEROUPPER
	RET

// func aimWide(n int, k *float64, u, p, rows, outside *float64, sums *float64)
TEXT ·aimWide(SB), NOSPLIT, $0-56
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), DX
	MOVQ u+16(FP), R8
	MOVQ p+24(FP), R9
	MOVQ rows+32(FP), R10
	MOVQ outside+40(FP), R11
	VBROADCASTSD 0(DX), Y0 // beta
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	MOVQ sums+48(FP), DX
	XORQ AX, AX

loop:
	VMOVUPD (R10)(AX*8), Y4
	VADDPD Y0, Y4, Y5
	VMOVUPD (R9)(AX*8), Y6
	VDIVPD Y5, Y6, Y5
	VMOVUPD Y5, (R8)(AX*8)
	VADDPD Y5, Y1, Y1
	VMOVUPD (R11)(AX*8), Y6
	VMULPD Y6, Y5, Y5
	VADDPD Y5, Y2, Y2
	VMULPD Y4, Y5, Y5
	VADDPD Y5, Y3, Y3
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VMOVUPD Y1, 0(DX)
	VMOVUPD Y2, 32(DX)
	VMOVUPD Y3, 64(DX)
	VZEROUPPER
	RET

// func learnSumsWide(n int, k *float64, rows, columns, u, outside, lift, like *float64)
TEXT ·learnSumsWide(SB), NOSPLIT, $0-64
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), DX
	MOVQ rows+16(FP), R8
	MOVQ columns+24(FP), R9
	MOVQ u+32(FP), R10
	MOVQ outside+40(FP), R11
	MOVQ lift+48(FP), R12
	MOVQ like+56(FP), R13
	VBROADCASTSD 0(DX), Y0 // keep
	VBROADCASTSD 8(DX), Y1 // growth
	VBROADCASTSD 16(DX), Y2 // bias
	VBROADCASTSD 24(DX), Y3 // share
	VBROADCASTSD 32(DX), Y4 // base
	XORQ AX, AX

loop:
	VMOVUPD (R8)(AX*8), Y5
	VMULPD Y5, Y1, Y6
	VADDPD Y2, Y6, Y6
	VMOVUPD (R10)(AX*8), Y7
	VMULPD Y6, Y7, Y6
	VMULPD Y5, Y0, Y5
	VADDPD Y6, Y5, Y5
	VMOVUPD Y5, (R8)(AX*8)
	VMOVUPD (R12)(AX*8), Y6
	VMULPD Y6, Y3, Y6
	VADDPD Y6, Y0, Y6
	VMOVUPD (R9)(AX*8), Y8
	VMULPD Y6, Y8, Y8
	VMOVUPD (R11)(AX*8), Y6
	VMULPD Y4, Y6, Y6
	VMOVUPD (R13)(AX*8), Y7
	VMULPD Y7, Y6, Y6
	VADDPD Y6, Y8, Y8
	VMOVUPD Y8, (R9)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func massWide(n int, k *float64, mass, start, like *float64)
TEXT ·massWide(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), DX
	MOVQ mass+16(FP), R8
	MOVQ start+24(FP), R9
	MOVQ like+32(FP), R10
	VBROADCASTSD 0(DX), Y0 // keep
	VBROADCASTSD 8(DX), Y1 // pseudo
	VBROADCASTSD 16(DX), Y2 // norm
	XORQ AX, AX

loop:
	VMOVUPD (R8)(AX*8), Y3
	VMOVUPD (R9)(AX*8), Y4
	VMULPD Y4, Y1, Y4
	VADDPD Y4, Y3, Y4
	VMOVUPD (R10)(AX*8), Y5
	VMULPD Y5, Y4, Y4
	VMULPD Y2, Y4, Y4
	VMULPD Y3, Y0, Y3
	VADDPD Y4, Y3, Y3
	VMOVUPD Y3, (R8)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func staticWide(n int, k *float64, s, read *float64, sums *float64)
TEXT ·staticWide(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), DX
	MOVQ s+16(FP), R8
	MOVQ read+24(FP), R9
	VBROADCASTSD 0(DX), Y0 // trust
	VBROADCASTSD 8(DX), Y1 // c
	VXORPD Y2, Y2, Y2
	MOVQ sums+32(FP), DX
	XORQ AX, AX

loop:
	VMOVUPD (R9)(AX*8), Y3
	VMULPD Y3, Y0, Y3
	VADDPD Y1, Y3, Y3
	VMOVUPD (R8)(AX*8), Y4
	VMULPD Y3, Y4, Y4
	VMOVUPD Y4, (R8)(AX*8)
	VADDPD Y4, Y2, Y2
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VMOVUPD Y2, 0(DX)
	VZEROUPPER
	RET

// func raiseWide(n int, k *float64, s *float64)
TEXT ·raiseWide(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), DX
	MOVQ s+16(FP), R8
	VBROADCASTSD 0(DX), Y0 // norm
	VBROADCASTSD 8(DX), Y1 // least
	XORQ AX, AX

loop:
	VMOVUPD (R8)(AX*8), Y2
	VMULPD Y0, Y2, Y2
	VMAXPD Y1, Y2, Y2
	VMOVUPD Y2, (R8)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func rootWide(n int, dst, x *float64)
TEXT ·rootWide(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), CX
	MOVQ dst+8(FP), R8
	MOVQ x+16(FP), R9
	XORQ AX, AX

loop:
	VMOVUPD (R9)(AX*8), Y0
	VSQRTPD Y0, Y1
	VMULPD Y1, Y0, Y0
	VMOVUPD Y0, (R8)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func cpuid(leaf, sub uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL sub+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv() (a, d uint32)
TEXT ·xgetbv(SB), NOSPLIT, $0-8
	XORL CX, CX
	XGETBV
	MOVL AX, a+0(FP)
	MOVL DX, d+4(FP)
	RET

// func driftWide(n int, k *float64, p, home, out *float64)
TEXT ·driftWide(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), DX
	MOVQ p+16(FP), R8
	MOVQ home+24(FP), R9
	MOVQ out+32(FP), R10
	VBROADCASTSD 0(DX), Y10
	VBROADCASTSD 8(DX), Y11
	VBROADCASTSD 16(DX), Y12
	XORQ AX, AX

loop:
	VMULPD (R8)(AX*8), Y10, Y0
	VMULPD (R9)(AX*8), Y11, Y1
	VADDPD Y1, Y0, Y0
	VMOVUPD Y0, (R8)(AX*8)
	VMULPD Y0, Y12, Y1
	VADDPD (R10)(AX*8), Y1, Y1
	VMOVUPD Y1, (R10)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func driftUniformWide(n int, k *float64, p, out *float64)
TEXT ·driftUniformWide(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), DX
	MOVQ p+16(FP), R8
	MOVQ out+24(FP), R10
	VBROADCASTSD 0(DX), Y10
	VBROADCASTSD 8(DX), Y11
	VBROADCASTSD 16(DX), Y12
	XORQ AX, AX

loop:
	VMULPD (R8)(AX*8), Y10, Y0
	VADDPD Y11, Y0, Y0
	VMOVUPD Y0, (R8)(AX*8)
	VMULPD Y0, Y12, Y1
	VADDPD (R10)(AX*8), Y1, Y1
	VMOVUPD Y1, (R10)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func maxWide(n int, x *float64, most *float64)
TEXT ·maxWide(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), CX
	MOVQ x+8(FP), R8
	MOVQ most+16(FP), DX
	VMOVUPD (R8), Y0
	MOVQ $4, AX
	JMP  test

loop:
	VMAXPD (R8)(AX*8), Y0, Y0
	ADDQ $4, AX

test:
	CMPQ AX, CX
	JLT  loop
	VMOVUPD Y0, 0(DX)
	VZEROUPPER
	RET

// func minWide(n int, x *float64, least *float64)
TEXT ·minWide(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), CX
	MOVQ x+8(FP), R8
	MOVQ least+16(FP), DX
	VMOVUPD (R8), Y0
	MOVQ $4, AX
	JMP  test

loop:
	VMINPD (R8)(AX*8), Y0, Y0
	ADDQ $4, AX

test:
	CMPQ AX, CX
	JLT  loop
	VMOVUPD Y0, 0(DX)
	VZEROUPPER
	RET

// LOOK_UP sets the four numbers of dst to those of a table at the indices BX, DX, SI and DI, with high as scratch.
#define LOOK_UP(table, low, high, dst) \
	VMOVSD table(BX*8), low; \
	VMOVHPD table(DX*8), low, low; \
	VMOVSD table(SI*8), high; \
	VMOVHPD table(DI*8), high, high; \
	VINSERTF128 $1, high, dst, dst

// INDICES puts the four integers of a register into BX, DX, SI and DI; its lower half is low, and high is scratch.
#define INDICES(all, low, high) \
	VEXTRACTI128 $1, all, high; \
	VMOVQ low, BX; \
	VPEXTRQ $1, low, DX; \
	VMOVQ high, SI; \
	VPEXTRQ $1, high, DI

// func powersWide(n int, k, dst, logq *float64, series *expLanes, table *float64) (missed int)
TEXT ·powersWide(SB), NOSPLIT, $0-56
	MOVQ n+0(FP), CX
	MOVQ k+8(FP), R8
	MOVQ dst+16(FP), R9
	MOVQ logq+24(FP), R10
	MOVQ series+32(FP), R11
	MOVQ table+40(FP), R12
	VBROADCASTSD 0(R8), Y14
	VBROADCASTSD 8(R8), Y15
	VXORPD Y13, Y13, Y13
	XORQ AX, AX

loop:
	VMOVUPD (R10)(AX*8), Y0
	VSUBPD Y14, Y0, Y0
	VDIVPD Y15, Y0, Y0     // x
	VMULPD 0(R11), Y0, Y1
	VADDPD 32(R11), Y1, Y1 // shifted
	VSUBPD 32(R11), Y1, Y2 // k
	VMULPD 64(R11), Y2, Y3
	VSUBPD Y3, Y0, Y3
	VMULPD 96(R11), Y2, Y2
	VSUBPD Y2, Y3, Y2      // r
	VPAND 320(R11), Y1, Y3
	INDICES(Y3, X3, X4)
	LOOK_UP((R12), X5, X6, Y5)
	VPSRLQ $7, Y1, Y1
	VPSLLQ $52, Y1, Y1
	VPADDQ Y1, Y5, Y5      // scaled
	VMULPD Y2, Y2, Y3      // s
	VMULPD 128(R11), Y2, Y4
	VADDPD 160(R11), Y4, Y4
	VMULPD Y3, Y4, Y4
	VADDPD Y4, Y2, Y4      // r + s (1/2 + r/6)
	VMULPD Y3, Y3, Y3
	VMULPD 192(R11), Y2, Y2
	VADDPD 224(R11), Y2, Y2
	VMULPD Y2, Y3, Y3      // s s (1/24 + r/120)
	VADDPD Y3, Y4, Y4
	VMULPD Y5, Y4, Y4
	VADDPD Y4, Y5, Y5
	VCMPPD $9, 256(R11), Y0, Y6 // not from leastWhole on
	VPTEST Y6, Y6
	JZ   store
	VCMPPD $1, 288(R11), Y0, Y7 // under allGone
	VBLENDVPD Y6, Y0, Y5, Y5
	VANDNPD Y5, Y7, Y5
	VANDNPD Y6, Y7, Y6
	VORPD Y6, Y13, Y13

store:
	VMOVUPD Y5, (R9)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VMOVMSKPD Y13, AX
	MOVQ AX, missed+48(FP)
	VZEROUPPER
	RET

// func logsWide(n int, dst, q *float64, series *logLanes, table *logEntry) (missed int)
TEXT ·logsWide(SB), NOSPLIT, $0-48
	MOVQ n+0(FP), CX
	MOVQ dst+8(FP), R9
	MOVQ q+16(FP), R10
	MOVQ series+24(FP), R11
	MOVQ table+32(FP), R12
	VXORPD Y13, Y13, Y13
	XORQ AX, AX

loop:
	VMOVUPD (R10)(AX*8), Y0
	VPSUBQ 0(R11), Y0, Y1   // offset
	VPADDQ 64(R11), Y1, Y2
	VPSRLQ $52, Y2, Y2
	VPOR 96(R11), Y2, Y2
	VSUBPD 128(R11), Y2, Y2 // k
	VPAND 32(R11), Y1, Y3
	VPSUBQ Y3, Y0, Y3       // z
	VPSRLQ $44, Y1, Y1
	VPAND 160(R11), Y1, Y1  // two numbers an entry
	INDICES(Y1, X1, X4)
	LOOK_UP((R12), X5, X4, Y5)
	LOOK_UP(8(R12), X9, X4, Y9)
	VMULPD Y5, Y3, Y3
	VSUBPD 192(R11), Y3, Y3 // r
	VMULPD Y3, Y3, Y4       // s
	VMULPD 224(R11), Y3, Y5
	VMOVUPD 256(R11), Y6
	VSUBPD Y5, Y6, Y5
	VMULPD Y4, Y5, Y5
	VSUBPD Y5, Y3, Y5       // r - s (1/2 - r/3)
	VMULPD 288(R11), Y3, Y6
	VMOVUPD 320(R11), Y7
	VSUBPD Y6, Y7, Y6       // 1/4 - r/5
	VMULPD 352(R11), Y3, Y7
	VMOVUPD 384(R11), Y8
	VSUBPD Y7, Y8, Y7
	VMULPD Y4, Y7, Y7       // s (1/6 - r/7)
	VADDPD Y7, Y6, Y6
	VMULPD Y4, Y4, Y4
	VMULPD Y6, Y4, Y4
	VSUBPD Y4, Y5, Y5
	VADDPD Y5, Y9, Y5
	VMULPD 416(R11), Y2, Y2
	VADDPD Y5, Y2, Y5
	VMOVUPD Y5, (R9)(AX*8)
	VCMPPD $9, 448(R11), Y0, Y6 // not from leastNormal on
	VORPD Y6, Y13, Y13
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VMOVMSKPD Y13, AX
	MOVQ AX, missed+40(FP)
	VZEROUPPER
	RET
