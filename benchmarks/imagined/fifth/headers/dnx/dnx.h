/* Copyright (c) 2024 Deltron Networks & Compute Ltd. Confidential.
 * DNX-200 host interface, release 4.1
 *
 * $Id: dnx.h 18833 2024-08-14 08:11:02Z build $
 */
#ifndef __DNX_H__
#define __DNX_H__

#include <stdint.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DNX_IF_VERSION	0x040100
#define DNX_DIM_MAX	5

typedef int dnx_rc;			/* DNX_RC_OK or a negative code */
#define DNX_RC_OK		0
#define DNX_RC_EINVAL		-1
#define DNX_RC_ENOMEM		-2
#define DNX_RC_EIO		-3
#define DNX_RC_ENOTSUP		-4
#define DNX_RC_ETIMEDOUT	-5

typedef struct dnx_card dnx_card;	/* one open card */
typedef struct dnx_lane dnx_lane;	/* ordered execution lane of a card */
typedef struct dnx_mark dnx_mark;	/* completion mark in a lane */

enum dnx_fmt {
	DNX_FMT_FP32 = 0x10,
	DNX_FMT_FP16 = 0x11,
	DNX_FMT_BF16 = 0x12,
	DNX_FMT_S8   = 0x20,
	DNX_FMT_U8   = 0x21,
	DNX_FMT_S32  = 0x22,
	DNX_FMT_S64  = 0x23,
	DNX_FMT_BIT  = 0x30,	/* one byte, 0 or 1 */
};

/*
 * Operand. Dimension 0 is the outermost, pitches are in elements.
 */
struct dnx_operand {
	void		*mem;
	enum dnx_fmt	fmt;
	unsigned	ndim;
	uint32_t	dim[DNX_DIM_MAX];
	uint32_t	pitch[DNX_DIM_MAX];
};

/*
 * All that the vector engine can do.      code  srcs  meaning
 */
#define DNX_OPCODES(X) \
	X(ADD,        0x01, 2)	/* s0 + s1 */			\
	X(SUB,        0x02, 2)	/* s0 - s1 */			\
	X(MUL,        0x03, 2)					\
	X(DIV,        0x04, 2)					\
	X(MAX,        0x05, 2)	/* larger of the two */		\
	X(MIN,        0x06, 2)					\
	X(POW,        0x07, 2)					\
	X(CMP_EQ,     0x10, 2)					\
	X(CMP_NE,     0x11, 2)					\
	X(CMP_LT,     0x12, 2)					\
	X(CMP_LE,     0x13, 2)					\
	X(CMP_GT,     0x14, 2)					\
	X(CMP_GE,     0x15, 2)					\
	X(AND,        0x18, 2)	/* bitwise */			\
	X(OR,         0x19, 2)					\
	X(XOR,        0x1a, 2)					\
	X(NEG,        0x20, 1)					\
	X(ABS,        0x21, 1)					\
	X(EXP,        0x22, 1)					\
	X(LN,         0x23, 1)					\
	X(SQRT,       0x24, 1)					\
	X(RSQRT,      0x25, 1)					\
	X(RCP,        0x26, 1)	/* 1 / s0 */			\
	X(SIN,        0x27, 1)					\
	X(COS,        0x28, 1)					\
	X(FLOOR,      0x29, 1)					\
	X(CEIL,       0x2a, 1)					\
	X(RELU,       0x30, 1)					\
	X(SIGMOID,    0x31, 1)					\
	X(TANH,       0x32, 1)					\
	X(GELU,       0x33, 1)	/* erf */			\
	X(SILU,       0x34, 1)					\
	X(LEAKY,      0x35, 1)	/* p.f0 is the slope */		\
	X(CLAMP,      0x36, 1)	/* p.f0 .. p.f1 */		\
	X(ADDC,       0x37, 1)	/* s0 + p.f0 */			\
	X(MULC,       0x38, 1)	/* s0 * p.f0 */			\
	X(CVT,        0x40, 1)	/* format of dst */		\
	X(COPY,       0x41, 1)

enum dnx_opcode {
#define X(name, code, nsrc) DNX_OP_##name = code,
	DNX_OPCODES(X)
#undef X
	DNX_OP__END
};

enum dnx_fold { DNX_FOLD_SUM, DNX_FOLD_MEAN, DNX_FOLD_MAX, DNX_FOLD_MIN, DNX_FOLD_PROD };
enum dnx_pool { DNX_POOL_MAX, DNX_POOL_AVG };

struct dnx_op_param {
	float		f0;
	float		f1;
	int32_t		i0;
	uint32_t	flags;
};

struct dnx_exec_desc {
	enum dnx_opcode			op;
	const struct dnx_operand	*src[3];
	struct dnx_operand		*dst;
	struct dnx_op_param		p;
};

struct dnx_conv_param {
	uint16_t	sh, sw;		/* strides */
	uint16_t	pt, pb, pl, pr;	/* padding */
	uint16_t	dh, dw;
	uint16_t	groups;
};

struct dnx_pool_param {
	enum dnx_pool	kind;
	uint16_t	kh, kw, sh, sw, ph, pw;
};

/* ------- cards ------- */
dnx_rc dnx_lib_init(void);
void dnx_lib_exit(void);
int dnx_card_count(void);
dnx_rc dnx_card_open(int index, dnx_card **card);
void dnx_card_close(dnx_card *card);
dnx_rc dnx_card_reset(dnx_card *card);
dnx_rc dnx_card_temperature(dnx_card *card, int *millideg);
dnx_rc dnx_card_load_fw(dnx_card *card, const void *image, size_t len);
const char *dnx_rc_name(dnx_rc rc);

/* ------- card memory ------- */
void *dnx_mem_get(dnx_card *card, size_t len, unsigned align);
void dnx_mem_put(dnx_card *card, void *mem);
dnx_rc dnx_mem_stat(dnx_card *card, size_t *avail, size_t *total);
dnx_rc dnx_dma_in(dnx_lane *lane, void *card_dst, const void *host_src, size_t len);
dnx_rc dnx_dma_out(dnx_lane *lane, void *host_dst, const void *card_src, size_t len);
dnx_rc dnx_dma_local(dnx_lane *lane, void *card_dst, const void *card_src, size_t len);
dnx_rc dnx_dma_pattern(dnx_lane *lane, void *card_dst, uint8_t pattern, size_t len);

/* ------- lanes and marks ------- */
dnx_rc dnx_lane_new(dnx_card *card, dnx_lane **lane);
void dnx_lane_del(dnx_lane *lane);
dnx_rc dnx_lane_sync(dnx_lane *lane);
dnx_rc dnx_mark_new(dnx_card *card, dnx_mark **mark);
void dnx_mark_del(dnx_mark *mark);
dnx_rc dnx_mark_set(dnx_mark *mark, dnx_lane *lane);
dnx_rc dnx_mark_wait(dnx_mark *mark);
dnx_rc dnx_lane_after(dnx_lane *lane, dnx_mark *mark);

/* ------- execution ------- */

/* Runs one vector engine operation, see DNX_OPCODES. Operands must have equal dims; a dim of 1 is broadcast. */
dnx_rc dnx_exec(dnx_lane *lane, enum dnx_opcode op, const struct dnx_operand *src0, const struct dnx_operand *src1,
		struct dnx_operand *dst, const struct dnx_op_param *param);
/* Same, described by a struct; kept for old firmware. */
dnx_rc dnx_exec_one(dnx_lane *lane, const struct dnx_exec_desc *desc) __attribute__((deprecated));
/* A chain of operations without going through memory between them. */
dnx_rc dnx_exec_chain(dnx_lane *lane, const struct dnx_exec_desc *descs, unsigned count);

/* Folds the dims whose bit is set in dim_mask. */
dnx_rc dnx_fold(dnx_lane *lane, enum dnx_fold how, const struct dnx_operand *src, uint32_t dim_mask, struct dnx_operand *dst);
/* dst is S32: position of the largest along dim */
dnx_rc dnx_argmax(dnx_lane *lane, const struct dnx_operand *src, int dim, struct dnx_operand *dst);
dnx_rc dnx_softmax(dnx_lane *lane, const struct dnx_operand *src, int dim, struct dnx_operand *dst);
/* on_set where sel is 1, on_clear elsewhere */
dnx_rc dnx_mux(dnx_lane *lane, const struct dnx_operand *sel, const struct dnx_operand *on_set,
	       const struct dnx_operand *on_clear, struct dnx_operand *dst);
dnx_rc dnx_matmul(dnx_lane *lane, const struct dnx_operand *a, int ta, const struct dnx_operand *b, int tb,
		  struct dnx_operand *dst);
/* 3-d a and b */
dnx_rc dnx_matmul_batched(dnx_lane *lane, const struct dnx_operand *a, const struct dnx_operand *b, struct dnx_operand *dst);
/* S8 operands, requantised by mult >> shift */
dnx_rc dnx_matmul_s8(dnx_lane *lane, const struct dnx_operand *a, const struct dnx_operand *b, const int32_t *mult,
		     const int8_t *shift, struct dnx_operand *dst);
dnx_rc dnx_conv(dnx_lane *lane, const struct dnx_operand *src, const struct dnx_operand *weights,
		const struct dnx_operand *bias, const struct dnx_conv_param *param, struct dnx_operand *dst);
dnx_rc dnx_pooling(dnx_lane *lane, const struct dnx_operand *src, const struct dnx_pool_param *param, struct dnx_operand *dst);
/* over the last dim; gain and offset have its length */
dnx_rc dnx_layer_norm(dnx_lane *lane, const struct dnx_operand *src, const struct dnx_operand *gain,
		      const struct dnx_operand *offset, float eps, struct dnx_operand *dst);
/* dim i of dst is dim axes[i] of src */
dnx_rc dnx_shuffle(dnx_lane *lane, const struct dnx_operand *src, const uint8_t *axes, struct dnx_operand *dst);
dnx_rc dnx_join(dnx_lane *lane, const struct dnx_operand *const *srcs, unsigned nsrcs, int dim, struct dnx_operand *dst);
/* rows of table by number */
dnx_rc dnx_row_lookup(dnx_lane *lane, const struct dnx_operand *table, const struct dnx_operand *rows, struct dnx_operand *dst);
dnx_rc dnx_set_const(dnx_lane *lane, struct dnx_operand *dst, float value);

/* ------- blocks that are no vector engine ------- */
dnx_rc dnx_fft_c2c(dnx_lane *lane, const struct dnx_operand *src, int inverse, struct dnx_operand *dst);
dnx_rc dnx_crc32(dnx_lane *lane, const void *mem, size_t len, uint32_t *crc);
dnx_rc dnx_jpeg_decode(dnx_lane *lane, const void *bits, size_t len, struct dnx_operand *dst);

#ifdef __cplusplus
}
#endif
#endif
