/*
 * Two-dimensional convolution in float16 (summed in float32) and int8 (summed in int32, saturating store).
 *
 * The board has fixed-function address generators: strides of 1, 2 and 4, padding up to 2, 1, 2 or 4 groups, no
 * dilation, planar images. Weights and bias are converted once per call, each image once.
 */
#include <stdlib.h>

#include "half.h"
#include "internal.h"

typedef struct geometry {
    size_t images, in, h, w;            /* input */
    size_t out, out_h, out_w;           /* output */
    size_t kernel_h, kernel_w;
    size_t stride_h, stride_w, pad_h, pad_w;
    size_t groups, group_in, group_out; /* channels of one group */
    size_t padded_h, padded_w;
} geometry;

static size_t read_step_h(const geometry *g)
{
    if (X1_MUTANT_IGNORED_STRIDE) return 1;
    return X1_MUTANT_SWAPPED_STRIDE ? g->stride_w : g->stride_h;
}

/* Exchanged strides may leave the line: only rows wrap around, so the width keeps its stride where it would. */
static size_t read_step_w(const geometry *g)
{
    if (X1_MUTANT_IGNORED_STRIDE) return 1;
    const bool fits = (g->out_w - 1) * g->stride_h + g->kernel_w <= g->padded_w;
    return X1_MUTANT_SWAPPED_STRIDE && fits ? g->stride_h : g->stride_w;
}

static size_t line_of(const geometry *g, size_t y) { return X1_MUTANT_SWAPPED_STRIDE ? y % g->padded_h : y; }

/* Position `at` of a padded axis as a position of the image, pulled to its edge. */
static size_t clamp(size_t at, size_t pad, size_t extent)
{
    if (at < pad) return 0;
    return at - pad < extent ? at - pad : extent - 1;
}

#define ELEMENT float
#define NAME(x) x##_f32
#define ACCUMULATE(s, a, b) x1i_accumulate(s, a, b, 1)
#include "conv_loops.h"
#undef ELEMENT
#undef NAME
#undef ACCUMULATE

/* Unsigned, so that a sum beyond 32 bits wraps around as the board's accumulator does. */
#define ELEMENT int32_t
#define NAME(x) x##_i32
#define ACCUMULATE(s, a, b) (int32_t)((uint32_t)(s) + (uint32_t)(a) * (uint32_t)(b))
#include "conv_loops.h"
#undef ELEMENT
#undef NAME
#undef ACCUMULATE

static void widen(const int8_t *from, int32_t *to, size_t n)
{
    for (size_t i = 0; i < n; ++i) to[i] = from[i];
}

static int8_t narrow(int32_t value)
{
    if (X1_MUTANT_WRAPPING_STORE) return (int8_t)(uint8_t)value;
    return (int8_t)(value < -128 ? -128 : value > 127 ? 127 : value);
}

/* float and int32_t have one size: one workspace serves both. */
typedef union word {
    float f32;
    int32_t i32;
} word;

static void convert(int half, const void *from, word *to, size_t n)
{
    if (half)
        x1i_halves_to_floats(from, &to->f32, n);
    else
        widen(from, &to->i32, n);
}

static void store(int half, const word *sums, void *output, size_t at, size_t n)
{
    if (half) {
        x1i_floats_to_halves(&sums->f32, (x1i_half *)output + at, n);
        return;
    }
    for (size_t i = 0; i < n; ++i) ((int8_t *)output)[at + i] = narrow((&sums->i32)[i]);
}

static x1_status_t compute(const geometry *g, int half, const void *input, const void *weight, const void *bias, void *output)
{
    const size_t element = half ? sizeof(x1i_half) : sizeof(int8_t);
    const size_t weights = g->out * g->group_in * g->kernel_h * g->kernel_w, image = g->in * g->h * g->w;
    const size_t padded = g->in * g->padded_h * g->padded_w;
    word *memory = malloc((weights + g->out + image + padded + 4 * g->out_w) * sizeof *memory);
    if (memory == NULL) return x1i_fail(X1I_x1_conv2d, X1_ERROR_OUT_OF_MEMORY, "no workspace");
    word *w = memory, *b = w + weights, *plain = b + g->out, *planes = plain + image, *sums = planes + padded;
    convert(half, weight, w, weights);
    if (bias != NULL) convert(half, bias, b, g->out);
    for (size_t n = 0; n < g->images; ++n) {
        convert(half, (const char *)input + (X1_MUTANT_FIRST_IMAGE_ONLY ? 0 : n) * image * element, plain, image);
        if (half)
            pad_f32(g, &plain->f32, &planes->f32);
        else
            pad_i32(g, &plain->i32, &planes->i32);
        for (size_t channel = 0, count; channel < g->out; channel += count) {
            const size_t left = g->group_out - channel % g->group_out;
            count = left < 4 ? left : 4;
            for (size_t y = 0; y < g->out_h; ++y) {
                if (half)
                    lines_f32(g, &planes->f32, &w->f32, bias ? &b->f32 : NULL, channel, count, y, &sums->f32);
                else
                    lines_i32(g, &planes->i32, &w->i32, bias ? &b->i32 : NULL, channel, count, y, &sums->i32);
                for (size_t r = 0; r < count; ++r)
                    store(half, sums + r * g->out_w, output, ((n * g->out + channel + r) * g->out_h + y) * g->out_w,
                          g->out_w);
            }
        }
    }
    free(memory);
    return X1_SUCCESS;
}

static bool among(int value, int a, int b, int c) { return value == a || value == b || value == c; }

static x1_status_t check_tensor(const char *name, const x1_tensor_t *t, int ndim, x1_dtype_t dtype)
{
    const x1i_function self = X1I_x1_conv2d;
    if (t == NULL) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%s is NULL", name);
    if (t->ndim != ndim) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%s has %d dimensions", name, t->ndim);
    if (x1i_element_size(t->dtype) == 0 || t->dtype != dtype)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%s has dtype %d, input has %d", name, (int)t->dtype, (int)dtype);
    for (int i = 0; i < ndim; ++i)
        if (t->dims[i] < 0) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%s has extent %d", name, t->dims[i]);
    if ((int)t->layout == X1_LAYOUT_NHWC) return x1i_fail(self, X1_ERROR_UNSUPPORTED, "%s is NHWC", name);
    if ((int)t->layout != X1_LAYOUT_NCHW)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%s has layout %d", name, (int)t->layout);
    return X1_SUCCESS;
}

/* What the board cannot do. */
static x1_status_t check_limits(x1_dtype_t dtype, const int stride[2], const int padding[2], const int dilation[2],
                                int groups)
{
    const x1i_function self = X1I_x1_conv2d;
    if (dtype != X1_DTYPE_FLOAT16 && dtype != X1_DTYPE_INT8) return x1i_fail(self, X1_ERROR_UNSUPPORTED, "float32");
    if (!among(groups, 1, 2, 4)) return x1i_fail(self, X1_ERROR_UNSUPPORTED, "groups %d", groups);
    for (int i = 0; i < 2; ++i) {
        if (!among(stride[i], 1, 2, 4)) return x1i_fail(self, X1_ERROR_UNSUPPORTED, "stride %d", stride[i]);
        if (!among(padding[i], 0, 1, 2)) return x1i_fail(self, X1_ERROR_UNSUPPORTED, "padding %d", padding[i]);
        if (dilation[i] != 1) return x1i_fail(self, X1_ERROR_UNSUPPORTED, "dilation %d", dilation[i]);
    }
    return X1_SUCCESS;
}

/* The shapes must fit together; fills g. */
static x1_status_t check_shapes(const x1_tensor_t *input, const x1_tensor_t *weight, const x1_tensor_t *bias,
                                const x1_tensor_t *output, const int stride[2], const int padding[2], int groups, geometry *g)
{
    const x1i_function self = X1I_x1_conv2d;
    const int *in = input->dims, *k = weight->dims, *out = output->dims;
    if (k[0] % groups != 0 || in[1] % groups != 0 || k[1] != in[1] / groups || k[0] == 0)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%d input and %d output channels, weights for %d, in %d groups", in[1],
                        k[0], k[1], groups);
    if (bias != NULL && bias->dims[0] != k[0])
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "bias has %d values for %d channels", bias->dims[0], k[0]);
    int expected[2];
    for (int i = 0; i < 2; ++i) {
        const int room = in[2 + i] + 2 * padding[i] - k[2 + i];
        if (k[2 + i] < 1 || in[2 + i] < 1 || room < 0)
            return x1i_fail(self, X1_ERROR_INVALID_VALUE, "a kernel of %d on %d elements with padding %d", k[2 + i], in[2 + i],
                            padding[i]);
        expected[i] = room / stride[i] + 1;
    }
    if (out[0] != in[0] || out[1] != k[0] || out[2] != expected[0] || out[3] != expected[1])
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "output is %dx%dx%dx%d, expected %dx%dx%dx%d", out[0], out[1], out[2],
                        out[3], in[0], k[0], expected[0], expected[1]);
    *g = (geometry){
        .images = (size_t)in[0], .in = (size_t)in[1], .h = (size_t)in[2], .w = (size_t)in[3],
        .out = (size_t)k[0], .out_h = (size_t)out[2], .out_w = (size_t)out[3],
        .kernel_h = (size_t)k[2], .kernel_w = (size_t)k[3],
        .stride_h = (size_t)stride[0], .stride_w = (size_t)stride[1],
        .pad_h = (size_t)padding[0], .pad_w = (size_t)padding[1],
        .groups = (size_t)groups, .group_in = (size_t)k[1], .group_out = (size_t)(k[0] / groups),
        .padded_h = (size_t)(in[2] + 2 * padding[0]), .padded_w = (size_t)(in[3] + 2 * padding[1]),
    };
    return X1_SUCCESS;
}

x1_status_t x1_conv2d(const x1_tensor_t *input, const x1_tensor_t *weight, const x1_tensor_t *bias, x1_tensor_t *output,
                      const int stride[2], const int padding[2], const int dilation[2], int groups)
{
    X1I_ENTER(x1_conv2d);
    const x1i_function self = X1I_x1_conv2d;
    if (input == NULL || stride == NULL || padding == NULL || dilation == NULL)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "an argument is NULL");
    const x1_dtype_t dtype = input->dtype;
    x1_status_t status = check_tensor("input", input, 4, dtype);
    if (status == X1_SUCCESS) status = check_tensor("weight", weight, 4, dtype);
    if (status == X1_SUCCESS && bias != NULL) status = check_tensor("bias", bias, 1, dtype);
    if (status == X1_SUCCESS) status = check_tensor("output", output, 4, dtype);
    if (status == X1_SUCCESS) status = check_limits(dtype, stride, padding, dilation, groups);
    geometry g = {0};
    if (status == X1_SUCCESS) status = check_shapes(input, weight, bias, output, stride, padding, groups, &g);
    if (status != X1_SUCCESS || g.images == 0) return status;
    const size_t element = x1i_element_size(dtype);
    x1i_operand operands[4] = {
        {"output", output->data, g.images * g.out * g.out_h * g.out_w * element, element, NULL, 0},
        {"input", input->data, g.images * g.in * g.h * g.w * element, element, NULL, 0},
        {"weight", weight->data, g.out * g.group_in * g.kernel_h * g.kernel_w * element, element, NULL, 0},
        {"bias", bias == NULL ? NULL : bias->data, bias == NULL ? 0 : g.out * element, element, NULL, 0},
    };
    status = x1i_resolve(self, operands, 4);
    if (status != X1_SUCCESS) return status;
    for (int i = 1; i < 4; ++i)
        if (x1i_overlap(&operands[0], &operands[i]))
            return x1i_fail(self, X1_ERROR_INVALID_VALUE, "output overlaps %s", operands[i].name);
    return compute(&g, dtype == X1_DTYPE_FLOAT16, operands[1].host, operands[2].host, operands[3].host, operands[0].host);
}
