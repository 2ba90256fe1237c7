/*
 * Pooling over windows of planes. Padding counts as no element of a maximum.
 */
#include <math.h>

#include "numbers.h"

typedef struct window {
    int h, w, out_h, out_w;
    int kernel[2], stride[2], pad[2];
} window;

static x1_status_t check(x1i_function self, const window *g)
{
    const int size[2] = {g->h, g->w}, out[2] = {g->out_h, g->out_w};
    for (int i = 0; i < 2; ++i) {
        if (g->kernel[i] < 1 || g->stride[i] < 1 || g->pad[i] < 0 || g->pad[i] > g->kernel[i] / 2 || size[i] < 1)
            return x1i_fail(self, X1_ERROR_INVALID_VALUE, "a window of %d, stride %d, padding %d on %d", g->kernel[i],
                            g->stride[i], g->pad[i], size[i]);
        if (g->stride[i] > 4) return x1i_fail(self, X1_ERROR_UNSUPPORTED, "stride %d", g->stride[i]);
        const int room = size[i] + 2 * g->pad[i] - g->kernel[i];
        if (room < 0 || out[i] != room / g->stride[i] + 1)
            return x1i_fail(self, X1_ERROR_INVALID_VALUE, "an output of %d, expected %d", out[i], room / g->stride[i] + 1);
    }
    return X1_SUCCESS;
}

x1_status_t x1_max_pool2d(const void *in, void *out, int64_t *indices, int planes, int height, int width, int out_height,
                          int out_width, int kernel_h, int kernel_w, int stride_h, int stride_w, int pad_h, int pad_w,
                          x1_dtype_t dtype)
{
    X1I_ENTER(x1_max_pool2d);
    const x1i_function self = X1I_x1_max_pool2d;
    const window g = {height, width, out_height, out_width, {kernel_h, kernel_w}, {stride_h, stride_w}, {pad_h, pad_w}};
    x1_status_t status = planes < 0 ? x1i_fail(self, X1_ERROR_INVALID_VALUE, "%d planes", planes) : check(self, &g);
    if (status != X1_SUCCESS) return status;
    const size_t element = x1i_floating(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    const size_t plane = (size_t)height * (size_t)width, area = (size_t)out_height * (size_t)out_width;
    x1i_operand o[] = {x1i_operand_of("out", out, (size_t)planes * area, element),
                       x1i_operand_of("in", in, (size_t)planes * plane, element),
                       x1i_operand_of("indices", indices, (size_t)planes * area, sizeof *indices)};
    status = x1i_resolve_apart(self, o, 3);
    for (size_t i = 0; status == X1_SUCCESS && i < (size_t)planes * area; ++i) {
        const int y0 = (int)(i % area) / out_width * stride_h - pad_h, x0 = (int)(i % area) % out_width * stride_w - pad_w;
        float most = -INFINITY;
        int64_t place = -1;
        for (int ky = 0; ky < kernel_h; ++ky)
            for (int kx = 0; kx < kernel_w; ++kx) {
                const int y = y0 + ky, x = x0 + kx;
                if (y < 0 || y >= height || x < 0 || x >= width) continue;
                const float value = x1i_load(o[1].host, i / area * plane + (size_t)(y * width + x), dtype);
                if (place >= 0 && !(value > most) && value == value) continue;
                most = value;
                place = X1_MUTANT_POOL_WINDOW_INDEX ? ky * kernel_w + kx : y * width + x;
            }
        x1i_store(o[0].host, i, most, dtype);
        ((int64_t *)o[2].host)[i] = place;
    }
    return status;
}

static bool fits(const x1_tensor_t *t) { return t != NULL && t->ndim == 4 && t->layout == X1_LAYOUT_NCHW; }

x1_status_t x1_avg_pool2d(const x1_tensor_t *input, x1_tensor_t *output, const int kernel[2], const int stride[2],
                          const int padding[2], int count_include_pad)
{
    X1I_ENTER(x1_avg_pool2d);
    const x1i_function self = X1I_x1_avg_pool2d;
    if (!fits(input) || !fits(output) || kernel == NULL || stride == NULL || padding == NULL)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "an argument is NULL, or no planar batch of images");
    const int *in = input->dims, *out = output->dims;
    if (output->dtype != input->dtype || out[0] != in[0] || out[1] != in[1] || in[0] < 0 || in[1] < 0)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "input and output differ");
    const window g = {in[2], in[3], out[2], out[3], {kernel[0], kernel[1]}, {stride[0], stride[1]}, {padding[0], padding[1]}};
    x1_status_t status = check(self, &g);
    if (status != X1_SUCCESS) return status;
    const x1_dtype_t dtype = input->dtype;
    const size_t element = x1i_floating(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    const size_t planes = (size_t)in[0] * (size_t)in[1], plane = (size_t)g.h * (size_t)g.w, area = (size_t)g.out_h * (size_t)g.out_w;
    x1i_operand o[] = {x1i_operand_of("output", output->data, planes * area, element),
                       x1i_operand_of("input", input->data, planes * plane, element)};
    status = x1i_resolve_apart(self, o, 2);
    const bool all = X1_MUTANT_POOL_COUNTS_PADDING || count_include_pad;
    for (size_t i = 0; status == X1_SUCCESS && i < planes * area; ++i) {
        const int y0 = (int)(i % area) / g.out_w * stride[0] - padding[0], x0 = (int)(i % area) % g.out_w * stride[1] - padding[1];
        float sum = 0.0f;
        int inside = 0;
        for (int ky = 0; ky < kernel[0]; ++ky)
            for (int kx = 0; kx < kernel[1]; ++kx) {
                const int y = y0 + ky, x = x0 + kx;
                if (y < 0 || y >= g.h || x < 0 || x >= g.w) continue;
                sum += x1i_load(o[1].host, i / area * plane + (size_t)(y * g.w + x), dtype);
                ++inside;
            }
        x1i_store(o[0].host, i, sum / (float)(all ? kernel[0] * kernel[1] : inside), dtype);
    }
    return status;
}
