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
