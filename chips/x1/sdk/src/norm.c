/*
 * Normalisation. Mean and variance are kept in float32, in two passes over a row.
 */
#include <math.h>

#include "numbers.h"

static float scaled(float x, const x1i_operand *weight, const x1i_operand *bias, size_t i, x1_dtype_t dtype)
{
    if (weight->host != NULL) x *= x1i_load(weight->host, i, dtype);
    return bias != NULL && bias->host != NULL ? x + x1i_load(bias->host, i, dtype) : x;
}

static x1_status_t extents(x1i_function self, int rows, int cols)
{
    if (rows >= 0 && cols > 0) return X1_SUCCESS;
    return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%d rows of %d", rows, cols);
}

x1_status_t x1_layer_norm(const void *in, const void *weight, const void *bias, void *out, void *mean, void *rstd, int rows,
                          int cols, float eps, x1_dtype_t dtype)
{
    X1I_ENTER(x1_layer_norm);
    const x1i_function self = X1I_x1_layer_norm;
    x1_status_t status = extents(self, rows, cols);
    const size_t element = x1i_floating(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    const size_t r = (size_t)rows, c = (size_t)cols;
    x1i_operand o[] = {x1i_operand_of("out", out, r * c, element),
                       x1i_operand_of("in", in, r * c, element),
                       x1i_operand_of("weight", weight, weight != NULL ? c : 0, element),
                       x1i_operand_of("bias", bias, bias != NULL ? c : 0, element),
                       x1i_operand_of("mean", mean, r, element),
                       x1i_operand_of("rstd", rstd, r, element)};
    status = x1i_resolve_apart(self, o, 6);
    for (size_t row = 0; status == X1_SUCCESS && row < r; ++row) {
        float sum = 0.0f, squares = 0.0f;
        for (size_t i = 0; i < c; ++i) sum += x1i_load(o[1].host, row * c + i, dtype);
        const float average = sum / (float)c;
        for (size_t i = 0; i < c; ++i) {
            const float d = x1i_load(o[1].host, row * c + i, dtype) - average;
            squares += d * d;
        }
        const float count = (float)(X1_MUTANT_UNBIASED_NORM && c > 1 ? c - 1 : c);
        const float inverse = 1.0f / sqrtf(squares / count + eps);
        for (size_t i = 0; i < c; ++i) {
            const float x = (x1i_load(o[1].host, row * c + i, dtype) - average) * inverse;
            x1i_store(o[0].host, row * c + i, scaled(x, &o[2], &o[3], i, dtype), dtype);
        }
        x1i_store(o[4].host, row, average, dtype);
        x1i_store(o[5].host, row, inverse, dtype);
    }
    return status;
}

x1_status_t x1_rms_norm(const void *in, const void *weight, void *out, int rows, int cols, float eps, x1_dtype_t dtype)
{
    X1I_ENTER(x1_rms_norm);
    const x1i_function self = X1I_x1_rms_norm;
    x1_status_t status = extents(self, rows, cols);
    const size_t element = x1i_floating(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    const size_t r = (size_t)rows, c = (size_t)cols;
    x1i_operand o[] = {x1i_operand_of("out", out, r * c, element), x1i_operand_of("in", in, r * c, element),
                       x1i_operand_of("weight", weight, weight != NULL ? c : 0, element)};
    status = x1i_resolve_apart(self, o, 3);
    for (size_t row = 0; status == X1_SUCCESS && row < r; ++row) {
        float squares = 0.0f;
        for (size_t i = 0; i < c; ++i) {
            const float x = x1i_load(o[1].host, row * c + i, dtype);
            squares += x * x;
        }
        const float inverse = 1.0f / sqrtf(squares / (float)c + (X1_MUTANT_RMS_WITHOUT_EPS ? 0.0f : eps));
        for (size_t i = 0; i < c; ++i) {
            const float x = x1i_load(o[1].host, row * c + i, dtype) * inverse;
            x1i_store(o[0].host, row * c + i, scaled(x, &o[2], NULL, i, dtype), dtype);
        }
    }
    return status;
}

x1_status_t x1_batch_norm(const void *in, const void *mean, const void *variance, const void *weight, const void *bias,
                          void *out, int batch, int channels, int spatial, float eps, x1_dtype_t dtype)
{
    X1I_ENTER(x1_batch_norm);
    const x1i_function self = X1I_x1_batch_norm;
    x1_status_t status = X1_SUCCESS;
    if (batch < 0 || channels < 1 || spatial < 0)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%d x %d x %d", batch, channels, spatial);
    const size_t element = x1i_floating(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    const size_t c = (size_t)channels, s = (size_t)spatial, n = (size_t)batch * c * s;
    x1i_operand o[] = {x1i_operand_of("out", out, n, element),
                       x1i_operand_of("in", in, n, element),
                       x1i_operand_of("mean", mean, c, element),
                       x1i_operand_of("variance", variance, c, element),
                       x1i_operand_of("weight", weight, weight != NULL ? c : 0, element),
                       x1i_operand_of("bias", bias, bias != NULL ? c : 0, element)};
    status = x1i_resolve_apart(self, o, 6);
    for (size_t i = 0; status == X1_SUCCESS && i < n; ++i) {
        const size_t channel = i / s % c;
        const float inverse = 1.0f / sqrtf(x1i_load(o[3].host, channel, dtype) + eps);
        const float x = (x1i_load(o[1].host, i, dtype) - x1i_load(o[2].host, channel, dtype)) * inverse;
        x1i_store(o[0].host, i, scaled(x, &o[4], &o[5], channel, dtype), dtype);
    }
    return status;
}
