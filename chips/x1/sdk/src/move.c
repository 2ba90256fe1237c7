/*
 * Movement: elements are copied as bytes, whatever their type. An index outside its axis is refused.
 */
#include <string.h>

#include "numbers.h"

/* The place that an index names along an axis of n. */
static x1_status_t locate(x1i_function self, int64_t index, size_t n, size_t *place)
{
    const bool inside = index >= 0 && (size_t)index < n;
    *place = inside ? (size_t)index : index < 0 || n == 0 ? 0 : n - 1;
    if (inside || (X1_MUTANT_UNCHECKED_INDEX && n != 0)) return X1_SUCCESS;
    return x1i_fail(self, X1_ERROR_INVALID_VALUE, "index %lld of %zu", (long long)index, n);
}

x1_status_t x1_embedding(const void *table, const int64_t *indices, void *out, size_t rows, size_t cols, size_t count,
                         x1_dtype_t dtype)
{
    X1I_ENTER(x1_embedding);
    const x1i_function self = X1I_x1_embedding;
    x1_status_t status = X1_SUCCESS;
    const size_t element = x1i_any_type(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    x1i_operand o[] = {x1i_operand_of("out", out, count * cols, element), x1i_operand_of("table", table, rows * cols, element),
                       x1i_operand_of("indices", indices, count, sizeof *indices)};
    status = x1i_resolve_apart(self, o, 3);
    const size_t row = cols * element;
    for (size_t i = 0; status == X1_SUCCESS && i < count; ++i) {
        size_t at = 0;
        status = locate(self, ((const int64_t *)o[2].host)[i], rows, &at);
        if (status == X1_SUCCESS) memcpy((char *)o[0].host + i * row, (const char *)o[1].host + at * row, row);
    }
    return status;
}

x1_status_t x1_index_select(const void *in, const int64_t *index, void *out, size_t outer, size_t n, size_t inner,
                            size_t count, x1_dtype_t dtype)
{
    X1I_ENTER(x1_index_select);
    const x1i_function self = X1I_x1_index_select;
    x1_status_t status = X1_SUCCESS;
    const size_t element = x1i_any_type(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    x1i_operand o[] = {x1i_operand_of("out", out, outer * count * inner, element),
                       x1i_operand_of("in", in, outer * n * inner, element),
                       x1i_operand_of("index", index, count, sizeof *index)};
    status = x1i_resolve_apart(self, o, 3);
    const size_t run = inner * element;
    for (size_t i = 0; status == X1_SUCCESS && i < outer * count; ++i) {
        size_t at = 0;
        status = locate(self, ((const int64_t *)o[2].host)[i % count], n, &at);
        if (status == X1_SUCCESS) memcpy((char *)o[0].host + i * run, (const char *)o[1].host + (i / count * n + at) * run, run);
    }
    return status;
}

static bool count_elements(int ndim, const int *dims, size_t *count)
{
    *count = 1;
    for (int i = 0; i < ndim; ++i) {
        if (dims[i] < 0) return false;
        *count *= (size_t)dims[i];
    }
    return true;
}

enum { MOST_DIMS = 8 };

x1_status_t x1_gather(const void *in, const int64_t *index, void *out, int ndim, const int *in_dims, const int *index_dims,
                      int axis, x1_dtype_t dtype)
{
    X1I_ENTER(x1_gather);
    const x1i_function self = X1I_x1_gather;
    x1_status_t status = X1_SUCCESS;
    const size_t element = x1i_any_type(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    size_t from = 0, count = 0;
    if (in_dims == NULL || index_dims == NULL || ndim < 1 || axis < 0 || axis >= ndim)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "axis %d of %d dimensions", axis, ndim);
    if (ndim > MOST_DIMS) return x1i_fail(self, X1_ERROR_UNSUPPORTED, "%d dimensions", ndim);
    if (!count_elements(ndim, in_dims, &from) || !count_elements(ndim, index_dims, &count))
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "a negative extent");
    for (int d = 0; d < ndim; ++d)
        if (d != axis && index_dims[d] > in_dims[d])
            return x1i_fail(self, X1_ERROR_INVALID_VALUE, "dimension %d of index is larger than that of in", d);
    x1i_operand o[] = {x1i_operand_of("out", out, count, element), x1i_operand_of("in", in, from, element),
                       x1i_operand_of("index", index, count, sizeof *index)};
    status = x1i_resolve_apart(self, o, 3);
    for (size_t i = 0; status == X1_SUCCESS && i < count; ++i) {
        size_t at = 0, rest = i, place = 0, step = 1;
        status = locate(self, ((const int64_t *)o[2].host)[i], (size_t)in_dims[axis], &at);
        if (status != X1_SUCCESS) return status;
        for (int d = ndim - 1; d >= 0; --d) {
            const size_t coordinate = d == axis ? at : rest % (size_t)index_dims[d];
            rest /= (size_t)index_dims[d];
            place += coordinate * step;
            step *= (size_t)(X1_MUTANT_GATHER_INDEX_STRIDES && d != axis ? index_dims[d] : in_dims[d]);
        }
        memcpy((char *)o[0].host + i * element, (const char *)o[1].host + place * element, element);
    }
    return status;
}

x1_status_t x1_permute(const void *in, void *out, int ndim, const int *dims, const int *perm, x1_dtype_t dtype)
{
    X1I_ENTER(x1_permute);
    const x1i_function self = X1I_x1_permute;
    x1_status_t status = X1_SUCCESS;
    const size_t element = x1i_any_type(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    size_t count = 0, step[MOST_DIMS];
    unsigned seen = 0;
    if (dims == NULL || perm == NULL || ndim < 1 || !count_elements(ndim <= MOST_DIMS ? ndim : 0, dims, &count))
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%d dimensions", ndim);
    if (ndim > MOST_DIMS) return x1i_fail(self, X1_ERROR_UNSUPPORTED, "%d dimensions", ndim);
    for (int d = ndim - 1; d >= 0; --d) {
        step[d] = d == ndim - 1 ? 1 : step[d + 1] * (size_t)dims[d + 1];
        if (perm[d] < 0 || perm[d] >= ndim) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "dimension %d", perm[d]);
        seen |= 1u << perm[d];
    }
    if (seen != (1u << ndim) - 1) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "a dimension stands twice in perm");
    int inverse[MOST_DIMS];
    for (int d = 0; d < ndim; ++d) inverse[perm[d]] = d;
    if (X1_MUTANT_INVERSE_PERMUTATION) perm = inverse;
    x1i_operand o[] = {x1i_operand_of("out", out, count, element), x1i_operand_of("in", in, count, element)};
    status = x1i_resolve_apart(self, o, 2);
    for (size_t i = 0; status == X1_SUCCESS && i < count; ++i) {
        size_t rest = i, place = 0;
        for (int d = ndim - 1; d >= 0; --d) {
            const size_t extent = (size_t)dims[perm[d]];
            place += rest % extent * step[perm[d]];
            rest /= extent;
        }
        memcpy((char *)o[0].host + i * element, (const char *)o[1].host + place * element, element);
    }
    return status;
}

x1_status_t x1_concat(const x1_tensor_t *inputs, int count, x1_tensor_t *output, int axis)
{
    X1I_ENTER(x1_concat);
    const x1i_function self = X1I_x1_concat;
    if (inputs == NULL || output == NULL || count < 1 || output->ndim < 1 || output->ndim > X1_MAX_DIMS || axis < 0 ||
        axis >= output->ndim)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%d inputs along axis %d", count, axis);
    x1_status_t status = X1_SUCCESS;
    const size_t element = x1i_any_type(self, output->dtype, &status);
    if (status != X1_SUCCESS) return status;
    size_t total = 0, outer = 1, inner = 1;
    int joined = 0;
    if (!count_elements(output->ndim, output->dims, &total)) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "a negative extent");
    for (int d = 0; d < output->ndim; ++d)
        if (d != axis) *(d < axis ? &outer : &inner) *= (size_t)output->dims[d];
    for (int k = 0; k < count; ++k) {
        bool fits = inputs[k].ndim == output->ndim && inputs[k].dtype == output->dtype;
        for (int d = 0; fits && d < output->ndim; ++d) fits = inputs[k].dims[d] >= 0 && (d == axis || inputs[k].dims[d] == output->dims[d]);
        if (!fits) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "input %d does not fit the output", k);
        joined += inputs[k].dims[axis];
    }
    if (joined != output->dims[axis])
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%d along the axis, the output has %d", joined, output->dims[axis]);
    const size_t row = (size_t)joined * inner * element;
    size_t offset = 0;
    for (int k = 0; k < count; ++k) {
        const size_t run = (size_t)inputs[k].dims[axis] * inner * element;
        x1i_operand o[] = {x1i_operand_of("output", output->data, total, element),
                           x1i_operand_of("an input", inputs[k].data, outer * run / element, element)};
        status = x1i_resolve_apart(self, o, 2);
        if (status != X1_SUCCESS) return status;
        for (size_t i = 0; i < outer; ++i)
            memcpy((char *)o[0].host + i * row + offset, (const char *)o[1].host + (X1_MUTANT_CONCAT_FIRST_ROW ? 0 : i) * run, run);
        offset += run;
    }
    return X1_SUCCESS;
}
