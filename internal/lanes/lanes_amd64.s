#include "textflag.h"

// BYTES sets each byte of a register to c.
#define BYTES(c, xmm, ymm) \
	MOVL         $c, AX; \
	VMOVD        AX, xmm; \
	VPBROADCASTB xmm, ymm

// func quotesAVX2(mask []uint64, b []byte, escaped uint64) uint64
// The steps and their names are those of quotesByWords.
TEXT ·quotesAVX2(SB), NOSPLIT, $0-64
	MOVQ mask_base+0(FP), DI
	MOVQ mask_len+8(FP), CX
	MOVQ b_base+24(FP), SI
	MOVQ escaped+48(FP), R9
	BYTES(0x22, X0, Y0)
	BYTES(0x5c, X1, Y1)
	MOVQ $0xaaaaaaaaaaaaaaaa, R8 // odd
	TESTQ CX, CX
	JZ    done

loop:
	VMOVDQU   (SI), Y2
	VMOVDQU   32(SI), Y3
	VPCMPEQB  Y2, Y0, Y4
	VPCMPEQB  Y3, Y0, Y5
	VPCMPEQB  Y2, Y1, Y6
	VPCMPEQB  Y3, Y1, Y7
	VPMOVMSKB Y4, AX
	VPMOVMSKB Y5, DX
	VPMOVMSKB Y6, BX
	VPMOVMSKB Y7, R10
	SHLQ      $32, DX
	ORQ       DX, AX          // quotes
	SHLQ      $32, R10
	ORQ       R10, BX         // slashes
	ANDNQ     BX, R9, R10     // begins
	LEAQ      (R10)(R10*1), R11
	ORQ       R8, R11
	SUBQ      R10, R11
	XORQ      R8, R11         // row
	MOVQ      BX, R12
	ORQ       R9, R12
	XORQ      R11, R12
	ANDNQ     AX, R12, R12
	MOVQ      R12, (DI)
	XORL      R9, R9          // a guess, so that no block waits for the one before it
	TESTQ     BX, BX
	JS        escapes

next:
	ADDQ      $64, SI
	ADDQ      $8, DI
	DECQ      CX
	JNZ       loop

	JMP       done

escapes:
	MOVQ R11, R9
	SHRQ $63, R9
	JMP  next

done:
	MOVQ R9, ret+56(FP)
	VZEROUPPER
	RET

// signs holds each byte that Opening looks for, but for the backslash, at the place that its lower four bits say.
DATA signs<>+0(SB)/8, $0x0000000000000001
DATA signs<>+8(SB)/8, $0xef00003c00008900
GLOBL signs<>(SB), RODATA|NOPTR, $16

// func openingAVX2(b []byte, follows *[256]bool) int
// What is looked for is that of openingByWords, what is checked that of opens.
TEXT ·openingAVX2(SB), NOSPLIT, $0-40
	MOVQ b_base+0(FP), SI
	MOVQ b_len+8(FP), BX
	MOVQ follows+24(FP), R8
	LEAQ -65(BX), R9       // the last block with a byte behind it
	XORL CX, CX
	BYTES(0x0f, X0, Y0)
	BYTES(0x5c, X1, Y1)
	BYTES(0x75, X2, Y2)
	VBROADCASTI128 signs<>(SB), Y3

loop:
	CMPQ     CX, R9
	JGT      none
	VMOVDQU  (SI)(CX*1), Y5
	VMOVDQU  32(SI)(CX*1), Y6
	VPCMPEQB 1(SI)(CX*1), Y2, Y7
	VPCMPEQB 33(SI)(CX*1), Y2, Y8
	VPCMPEQB Y5, Y1, Y9
	VPCMPEQB Y6, Y1, Y10
	VPAND    Y9, Y7, Y7
	VPAND    Y10, Y8, Y8
	VPAND    Y5, Y0, Y9
	VPAND    Y6, Y0, Y10
	VPSHUFB  Y9, Y3, Y9
	VPSHUFB  Y10, Y3, Y10
	VPCMPEQB Y5, Y9, Y9
	VPCMPEQB Y6, Y10, Y10
	VPOR     Y9, Y7, Y7
	VPOR     Y10, Y8, Y8
	VPOR     Y7, Y8, Y9
	VPTEST   Y9, Y9
	JNZ      some

next:
	ADDQ $64, CX
	JMP  loop

some:
	VPMOVMSKB Y7, AX
	VPMOVMSKB Y8, DX
	SHLQ      $32, DX
	ORQ       DX, AX

sign:
	TZCNTQ AX, DX
	ADDQ   CX, DX
	CMPB   (SI)(DX*1), $0x5c
	JEQ    found
	MOVQ   DX, R10

blank:
	INCQ    R10
	CMPQ    R10, BX
	JGE     found
	MOVBLZX (SI)(R10*1), R11
	CMPB    R11, $0x20
	JEQ     blank
	CMPB    (R8)(R11*1), $0
	JNE     found
	BLSRQ   AX, AX
	JNZ     sign
	JMP     next

none:
	NOTQ CX
	MOVQ CX, DX

found:
	MOVQ DX, ret+32(FP)
	VZEROUPPER
	RET
