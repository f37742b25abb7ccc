#include "textflag.h"

// Kernels with AVX2: what each does is said in kernels_amd64.go. Those that take several at a time end with as many as that, some of them for
// the second time.

DATA first<>+0(SB)/8, $0
DATA first<>+8(SB)/8, $0
DATA first<>+16(SB)/8, $0x0000000100000001
DATA first<>+24(SB)/8, $0x0000000100000001
GLOBL first<>(SB), RODATA|NOPTR, $32

// func acrossPairs(dst *uint8, row *pixel, spans *span, n int, coeff *int32)
TEXT ·acrossPairs(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ row+8(FP), SI
	MOVQ spans+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ coeff+32(FP), R8
	VMOVDQU first<>(SB), Y15
	MOVL $0x200000, AX // half
	VMOVD AX, X14
	VPBROADCASTD X14, X14

span:
	MOVQ 0(DX), R9  // first
	MOVQ 8(DX), R10 // n
	MOVQ 16(DX), R11
	LEAQ (SI)(R9*4), R9
	LEAQ (R8)(R11*4), R11
	VMOVDQA Y14, Y0
	INCQ R10
	SHRQ $1, R10
	JZ   done
	LEAQ (R9)(R10*8), R9 // the ends, from which R10 counts up to 0
	LEAQ (R11)(R10*8), R11
	NEGQ R10

pair:
	VPMOVZXBD (R9)(R10*8), Y1
	VPBROADCASTQ (R11)(R10*8), Y2
	VPERMILPS Y15, Y2, Y2
	VPMULLD Y2, Y1, Y1
	VPADDD Y1, Y0, Y0
	INCQ R10
	JNZ  pair

done:
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSRAD $22, X0, X0
	VPACKSSDW X0, X0, X0
	VPACKUSWB X0, X0, X0
	VMOVD X0, AX
	MOVW AX, (DI)
	SHRL $16, AX
	MOVB AX, 2(DI)
	ADDQ $3, DI
	ADDQ $24, DX
	DECQ CX
	JNZ  span
	VZEROUPPER
	RET

// Factors of chroma, blue difference in the lower half: what the units leave of them (see convertJFIF), in units of 2^-16.
DATA red<>+0(SB)/4, $0x66e90000   // 91881 - 65536, 0
DATA green<>+0(SB)/4, $0x492ea7e6 // 65536 - 46802, -22554
DATA blue<>+0(SB)/4, $0x0000c5a2  // 0, 116130 - 2*65536
DATA middle<>+0(SB)/4, $0x00800080
GLOBL red<>(SB), RODATA|NOPTR, $4
GLOBL green<>(SB), RODATA|NOPTR, $4
GLOBL blue<>(SB), RODATA|NOPTR, $4
GLOBL middle<>(SB), RODATA|NOPTR, $4

DATA together<>+0(SB)/8, $0x0d0905010c080400
DATA together<>+8(SB)/8, $0x0f0b07030e0a0602
GLOBL together<>(SB), RODATA|NOPTR, $16

// func convertEights(dst *pixel, luma *uint8, cc *uint32, n int)
TEXT ·convertEights(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ luma+8(FP), SI
	MOVQ cc+16(FP), DX
	MOVQ n+24(FP), CX
	VPBROADCASTD red<>(SB), Y10
	VPBROADCASTD green<>(SB), Y11
	VPBROADCASTD blue<>(SB), Y12
	VPBROADCASTD middle<>(SB), Y13
	VBROADCASTI128 together<>(SB), Y14
	MOVL $0x8000, AX
	VMOVD AX, X15
	VPBROADCASTD X15, Y15
	SUBQ $8, CX // the last place to begin at
	XORQ AX, AX

eight:
	VPMOVZXBD (SI)(AX*1), Y0
	VMOVDQU (DX)(AX*4), Y1
	VPSUBW Y13, Y1, Y1
	VPMADDWD Y10, Y1, Y2
	VPMADDWD Y11, Y1, Y3
	VPMADDWD Y12, Y1, Y4
	VPADDD Y15, Y2, Y2
	VPADDD Y15, Y3, Y3
	VPADDD Y15, Y4, Y4
	VPSRAD $16, Y2, Y2
	VPSRAD $16, Y3, Y3
	VPSRAD $16, Y4, Y4
	VPSRAD $16, Y1, Y5 // red difference
	VPSLLD $16, Y1, Y1
	VPSRAD $15, Y1, Y1 // blue difference, twice
	VPADDD Y0, Y2, Y2
	VPADDD Y5, Y2, Y2
	VPADDD Y0, Y3, Y3
	VPSUBD Y5, Y3, Y3
	VPADDD Y0, Y4, Y4
	VPADDD Y1, Y4, Y4
	VPACKSSDW Y3, Y2, Y2
	VPACKSSDW Y4, Y4, Y4
	VPACKUSWB Y4, Y2, Y2
	VPSHUFB Y14, Y2, Y2
	VMOVDQU Y2, (DI)(AX*4)
	CMPQ AX, CX
	JEQ  end
	ADDQ $8, AX
	CMPQ AX, CX
	JLE  eight
	MOVQ CX, AX
	JMP  eight

end:
	VZEROUPPER
	RET

// func sumSixteens(dst, rows *uint8, where *int, weights *int32, count, width int)
TEXT ·sumSixteens(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ where+16(FP), DX
	MOVQ weights+24(FP), R8
	MOVQ count+32(FP), R9
	MOVQ width+40(FP), CX
	MOVL $0x200000, AX // half
	VMOVD AX, X15
	VPBROADCASTD X15, Y15
	SUBQ $16, CX // the last place to begin at
	XORQ AX, AX

sixteen:
	VMOVDQA Y15, Y0
	VMOVDQA Y15, Y1
	LEAQ (SI)(AX*1), R12
	XORQ R10, R10

row:
	MOVQ (DX)(R10*8), R11
	VPBROADCASTD (R8)(R10*4), Y2
	VPMOVZXBD (R12)(R11*1), Y3
	VPMOVZXBD 8(R12)(R11*1), Y4
	VPMULLD Y2, Y3, Y3
	VPMULLD Y2, Y4, Y4
	VPADDD Y3, Y0, Y0
	VPADDD Y4, Y1, Y1
	INCQ R10
	CMPQ R10, R9
	JLT  row
	VPSRAD $22, Y0, Y0
	VPSRAD $22, Y1, Y1
	VPACKSSDW Y1, Y0, Y0
	VPACKUSWB Y0, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPUNPCKLDQ X1, X0, X0
	VMOVDQU X0, (DI)(AX*1)
	CMPQ AX, CX
	JEQ  end
	ADDQ $16, AX
	CMPQ AX, CX
	JLE  sixteen
	MOVQ CX, AX
	JMP  sixteen

end:
	VZEROUPPER
	RET

// func packEights(dst *uint32, cb, cr *uint8, n int)
TEXT ·packEights(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ cb+8(FP), SI
	MOVQ cr+16(FP), DX
	MOVQ n+24(FP), CX
	XORQ AX, AX

eight:
	VPMOVZXBD (SI)(AX*1), Y0
	VPMOVZXBD (DX)(AX*1), Y1
	VPSLLD $16, Y1, Y1
	VPOR Y1, Y0, Y0
	VMOVDQU Y0, (DI)(AX*4)
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  eight
	VZEROUPPER
	RET

// func blendEights(near, far *uint32, n int)
TEXT ·blendEights(SB), NOSPLIT, $0-24
	MOVQ near+0(FP), DI
	MOVQ far+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX

eight:
	VMOVDQU (DI)(AX*4), Y0
	VPADDW Y0, Y0, Y1
	VPADDW (SI)(AX*4), Y0, Y0
	VPADDW Y1, Y0, Y0
	VMOVDQU Y0, (DI)(AX*4)
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  eight
	VZEROUPPER
	RET

// func widenEights(dst, samples *uint32, n int, left, right uint32, shift int)
TEXT ·widenEights(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ samples+8(FP), SI
	MOVQ n+16(FP), CX
	MOVL left+24(FP), AX
	VMOVD AX, X10
	VPBROADCASTD X10, Y10
	MOVL right+28(FP), AX
	VMOVD AX, X11
	VPBROADCASTD X11, Y11
	MOVQ shift+32(FP), AX
	VMOVQ AX, X12
	XORQ AX, AX

eight:
	VMOVDQU 4(SI)(AX*4), Y0 // own
	VPADDW Y0, Y0, Y1
	VPADDW Y1, Y0, Y0
	VPADDW (SI)(AX*4), Y0, Y1
	VPADDW 8(SI)(AX*4), Y0, Y2
	VPADDW Y10, Y1, Y1
	VPADDW Y11, Y2, Y2
	VPSRLW X12, Y1, Y1
	VPSRLW X12, Y2, Y2
	VPUNPCKLDQ Y2, Y1, Y3
	VPUNPCKHDQ Y2, Y1, Y4
	VPERM2I128 $0x20, Y4, Y3, Y5
	VPERM2I128 $0x31, Y4, Y3, Y6
	VMOVDQU Y5, (DI)(AX*8)
	VMOVDQU Y6, 32(DI)(AX*8)
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  eight
	VZEROUPPER
	RET
