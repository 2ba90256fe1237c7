/*
 * sumac_npu.h -- host interface of the Sumac S100 NPU
 *
 * Copyright (C) 2020-2024 Sumac Integrated Circuits
 *
 * This program is free software; you can redistribute it and/or modify it
 * under the terms of the GNU Lesser General Public License, version 2.1.
 *
 * The firmware knows a fixed list of operations. All of them go through
 * smc_dispatch(): the code says what is to be done, the struct with what.
 */
#ifndef _SUMAC_NPU_H
#define _SUMAC_NPU_H

#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMC_ABI 11
#define SMC_MAX_RANK 5
#define SMC_MAX_SOURCES 4

typedef int32_t smc_err_t;
#define SMC_EOK       0
#define SMC_EARG     (-1)
#define SMC_ENODEV   (-2)
#define SMC_ENOMEM   (-3)
#define SMC_EFW      (-4)
#define SMC_EUNSUPP  (-5)

typedef struct smc_chip smc_chip;
typedef struct smc_reel smc_reel;     /* a thread of work on the chip */
typedef struct smc_knot smc_knot;     /* a point of a reel that can be waited for */

/*
 * X(name, code, number of sources)
 * Codes are part of the firmware's ABI. Do not reorder!
 */
#define SMC_OPERATIONS(X)              \
    /* two sources, broadcast */       \
    X(ADD,            0x10, 2)         \
    X(SUB,            0x11, 2)         \
    X(MUL,            0x12, 2)         \
    X(DIV,            0x13, 2)         \
    X(POW,            0x14, 2)         \
    X(FMOD,           0x15, 2)         \
    X(MAXIMUM,        0x16, 2)         \
    X(MINIMUM,        0x17, 2)         \
    X(ATAN2,          0x18, 2)         \
    X(EQ,             0x19, 2)         \
    X(NE,             0x1a, 2)         \
    X(LT,             0x1b, 2)         \
    X(LE,             0x1c, 2)         \
    X(GT,             0x1d, 2)         \
    X(GE,             0x1e, 2)         \
    X(BIT_AND,        0x20, 2)         \
    X(BIT_OR,         0x21, 2)         \
    X(BIT_XOR,        0x22, 2)         \
    /* one source */                   \
    X(ABS,            0x30, 1)         \
    X(NEG,            0x31, 1)         \
    X(EXP,            0x32, 1)         \
    X(LOG,            0x33, 1)         \
    X(SQRT,           0x34, 1)         \
    X(RSQRT,          0x35, 1)         \
    X(RECIPROCAL,     0x36, 1)         \
    X(SIN,            0x37, 1)         \
    X(COS,            0x38, 1)         \
    X(TANH,           0x39, 1)         \
    X(SIGMOID,        0x3a, 1)         \
    X(RELU,           0x3b, 1)         \
    X(LEAKY_RELU,     0x3c, 1)  /* f[0]: slope */ \
    X(GELU,           0x3d, 1)         \
    X(SILU,           0x3e, 1)         \
    X(ELU,            0x3f, 1)  /* f[0]: alpha */ \
    X(FLOOR,          0x40, 1)         \
    X(CEIL,           0x41, 1)         \
    X(ROUND,          0x42, 1)         \
    X(SIGN,           0x43, 1)         \
    X(ERF,            0x44, 1)         \
    X(CLAMP,          0x45, 1)  /* f[0], f[1]: limits */ \
    X(CAST,           0x46, 1)         \
    X(BIT_NOT,        0x47, 1)         \
    /* along axes: i[0]: mask of the axes */ \
    X(SUM,            0x60, 1)         \
    X(MEAN,           0x61, 1)         \
    X(REDUCE_MAX,     0x62, 1)         \
    X(REDUCE_MIN,     0x63, 1)         \
    X(ARGMAX,         0x64, 1)  /* i[0]: axis */ \
    X(ARGMIN,         0x65, 1)  /* i[0]: axis */ \
    X(CUMSUM,         0x66, 1)  /* i[0]: axis */ \
    X(SOFTMAX,        0x67, 1)  /* i[0]: axis */ \
    X(LOG_SOFTMAX,    0x68, 1)  /* i[0]: axis */ \
    X(LAYER_NORM,     0x69, 3)  /* source, gain, shift; f[0]: eps */ \
    /* others */                       \
    X(MATMUL,         0x80, 2)         \
    X(BATCH_MATMUL,   0x81, 2)         \
    X(CONV2D,         0x82, 3)  /* source, kernel, bias (may be empty); i[0..7]: strides, pads, dilations, groups */ \
    X(MAX_POOL2D,     0x83, 1)         \
    X(AVG_POOL2D,     0x84, 1)         \
    X(PERMUTE,        0x85, 1)         \
    X(CONCAT,         0x86, 2)         \
    X(GATHER,         0x87, 2)  /* source, list of indices: takes slices of axis i[0] */ \
    X(WHERE,          0x88, 3)  /* condition, yes, no */ \
    X(RESIZE,         0x89, 1)         \
    X(QCONV2D,        0x90, 3)         \
    X(QADD,           0x91, 2)         \
    X(CONV2D_RELU,    0x92, 3)

typedef enum smc_op {
#define SMC_X_(name, code, sources) SMC_OP_##name = code,
    SMC_OPERATIONS(SMC_X_)
#undef SMC_X_
    SMC_OP_NOTHING = 0
} smc_op;

typedef enum smc_dtype { SMC_F32, SMC_F16, SMC_I32, SMC_I16, SMC_I8, SMC_U8, SMC_BOOL } smc_dtype;

/* an array on the chip */
typedef struct smc_field {
    uint64_t chip_addr;
    smc_dtype dtype;
    uint32_t rank;
    uint32_t extent[SMC_MAX_RANK];
    int32_t step[SMC_MAX_RANK];      /* in elements */
    float q_step;
    int32_t q_origin;
} smc_field;

/* what an operation works with; clear it with smc_params_init() first */
typedef struct smc_params {
    uint32_t abi;                             /* SMC_ABI */
    uint32_t n_sources;
    const smc_field *source[SMC_MAX_SOURCES];
    smc_field *result;
    int32_t i[12];
    float f[6];
    uint64_t scratch_addr;
    uint64_t scratch_bytes;
} smc_params;

/* ---- chip ---- */
smc_err_t smc_probe(int *n_chips);
smc_err_t smc_attach(int chip_no, smc_chip **chip);
smc_err_t smc_detach(smc_chip *chip);
smc_err_t smc_firmware(smc_chip *chip, char *text, size_t room);
smc_err_t smc_quiesce(smc_chip *chip);
smc_err_t smc_set_clock(smc_chip *chip, uint32_t mhz);
smc_err_t smc_temperature(smc_chip *chip, int *millicelsius);
const char *smc_errstr(smc_err_t err);

/* ---- memory ---- */
smc_err_t smc_mem_get(smc_chip *chip, uint64_t bytes, uint64_t *chip_addr);
smc_err_t smc_mem_put(smc_chip *chip, uint64_t chip_addr);            /* gives it back */
smc_err_t smc_mem_stat(smc_chip *chip, uint64_t *total, uint64_t *free_bytes);
smc_err_t smc_write(smc_chip *chip, uint64_t chip_addr, const void *from, uint64_t bytes);
smc_err_t smc_read(smc_chip *chip, void *to, uint64_t chip_addr, uint64_t bytes);
smc_err_t smc_blit(smc_chip *chip, uint64_t to_addr, uint64_t from_addr, uint64_t bytes);
smc_err_t smc_pattern(smc_chip *chip, uint64_t chip_addr, uint8_t byte, uint64_t bytes);
void *smc_page_alloc(size_t bytes);       /* locked pages of the host */
void smc_page_free(void *pages);

/* ---- reels ---- */
smc_err_t smc_reel_new(smc_chip *chip, int level, smc_reel **reel);
void smc_reel_del(smc_reel *reel);
smc_err_t smc_reel_join(smc_reel *reel);
bool smc_reel_idle(const smc_reel *reel);
smc_err_t smc_knot_new(smc_chip *chip, smc_knot **knot);
void smc_knot_del(smc_knot *knot);
smc_err_t smc_knot_tie(smc_knot *knot, smc_reel *reel);
smc_err_t smc_knot_wait(smc_knot *knot, int timeout_ms);
smc_err_t smc_reel_after(smc_reel *reel, smc_knot *knot);
smc_err_t smc_knot_gap(smc_knot *first, smc_knot *second, float *ms);

/* ---- operations ---- */
void smc_params_init(smc_params *params);
const char *smc_op_name(smc_op op);
bool smc_op_known(smc_chip *chip, smc_op op, smc_dtype dtype);
smc_err_t smc_scratch_bytes(smc_chip *chip, smc_op op, const smc_params *params, uint64_t *bytes);

/**
 * Runs an operation on a reel.
 * @param chip    from smc_attach()
 * @param op      SMC_OP_...
 * @param params  copied; may be changed after the call
 * @param reel    NULL: waits for the end
 */
smc_err_t smc_dispatch(smc_chip *chip, smc_op op, const smc_params *params, smc_reel *reel);

/** Several operations in one message to the firmware. */
smc_err_t smc_dispatch_list(smc_chip *chip, const smc_op *ops, const smc_params *params, size_t count, smc_reel *reel);

/* a program compiled by smcc */
smc_err_t smc_image_load(smc_chip *chip, const void *image, size_t bytes, uint32_t *slot);
smc_err_t smc_image_run(smc_chip *chip, uint32_t slot, const smc_field *ins, uint32_t n_ins, smc_field *outs, uint32_t n_outs, smc_reel *reel);
smc_err_t smc_image_drop(smc_chip *chip, uint32_t slot);

#ifdef __cplusplus
}
#endif
#endif /* _SUMAC_NPU_H */
