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

// signs holds each byte that Opening looks for at the place that its lower four bits say; the backslash, before a u, at the one
// that these say inverted.
DATA signs<>+0(SB)/8, $0x000000005c000001
DATA signs<>+8(SB)/8, $0xef00003c00008900
GLOBL signs<>(SB), RODATA|NOPTR, $16

// func openingAVX2(b []byte, after *[2][256]uint8) int
// What is looked for is that of openingByWords, what of it is passed by that of suspect.
TEXT ·openingAVX2(SB), NOSPLIT, $0-40
	MOVQ b_base+0(FP), SI
	MOVQ b_len+8(FP), CX
	MOVQ after+24(FP), R8
	LEAQ -66(SI)(CX*1), R9 // the last block with two bytes behind it
	CMPQ CX, $66
	JLT  none
	BYTES(0x0f, X0, Y0)
	BYTES(0x75, X1, Y1)
	VBROADCASTI128 signs<>(SB), Y2

loop:
	VMOVDQU  (SI), Y3
	VMOVDQU  32(SI), Y4
	VPCMPEQB 1(SI), Y1, Y5
	VPCMPEQB 33(SI), Y1, Y6
	VPXOR    Y3, Y5, Y5
	VPXOR    Y4, Y6, Y6
	VPAND    Y5, Y0, Y5
	VPAND    Y6, Y0, Y6
	VPSHUFB  Y5, Y2, Y5
	VPSHUFB  Y6, Y2, Y6
	VPCMPEQB Y3, Y5, Y5
	VPCMPEQB Y4, Y6, Y6
	VPOR     Y5, Y6, Y7
	VPTEST   Y7, Y7
	JNZ      some

	ADDQ $64, SI
	CMPQ SI, R9
	JLS  loop

last: // what is left is looked at with what stands before it
	LEAQ 64(R9), DX
	CMPQ SI, DX
	JEQ  none
	MOVQ R9, SI
	JMP  loop

some:
	VPMOVMSKB Y5, AX
	VPMOVMSKB Y6, DX
	SHLQ      $32, DX
	ORQ       DX, AX

sign:
	TZCNTQ  AX, DX
	MOVBLZX 1(SI)(DX*1), R10
	MOVBLZX 2(SI)(DX*1), R11
	MOVBLZX (R8)(R10*1), R10
	TESTB   R10, 256(R8)(R11*1)
	JEQ     found
	BLSRQ   AX, AX
	JNZ     sign

	// As after a block with nothing in it: a jump there costs too much where each has something.
	ADDQ $64, SI
	CMPQ SI, R9
	JLS  loop
	JMP  last

found:
	ADDQ DX, SI
	SUBQ b_base+0(FP), SI
	MOVQ SI, ret+32(FP)
	VZEROUPPER
	RET

none:
	SUBQ b_base+0(FP), SI
	NOTQ SI
	MOVQ SI, ret+32(FP)
	VZEROUPPER
	RET
