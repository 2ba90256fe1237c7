/*
 * Comparison, selection and change of type, element by element. `out` may be an input of the same element size.
 */
#include <string.h>

#include "numbers.h"

static x1_status_t prepare(x1i_function self, x1i_operand *operands, int count, size_t n)
{
    const x1_status_t status = x1i_resolve(self, operands, count);
    if (status != X1_SUCCESS || n == 0) return status;
    for (int i = 1; i < count; ++i) {
        const bool same = operands[i].host == operands[0].host && operands[i].bytes == operands[0].bytes;
        if (!same && x1i_overlap(&operands[i], &operands[0]))
            return x1i_fail(self, X1_ERROR_INVALID_VALUE, "out overlaps %s in part", operands[i].name);
    }
    return X1_SUCCESS;
}

static x1_status_t compare(x1i_function self, const void *a, const void *b, uint8_t *out, size_t n, x1_dtype_t dtype, bool equal)
{
    x1_status_t status = X1_SUCCESS;
    const size_t element = x1i_any_type(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    x1i_operand o[] = {x1i_operand_of("out", out, n, 1), x1i_operand_of("a", a, n, element), x1i_operand_of("b", b, n, element)};
    status = prepare(self, o, 3, n);
    for (size_t i = 0; status == X1_SUCCESS && i < n; ++i) {
        const float x = x1i_load(o[1].host, i, dtype), y = x1i_load(o[2].host, i, dtype);
        const bool greater = X1_MUTANT_GREATER_OR_EQUAL ? x >= y : x > y;
        ((uint8_t *)o[0].host)[i] = equal ? x == y : greater;
    }
    return status;
}

x1_status_t x1_equal(const void *a, const void *b, uint8_t *out, size_t n, x1_dtype_t dtype)
{
    X1I_ENTER(x1_equal);
    return compare(X1I_x1_equal, a, b, out, n, dtype, true);
}

x1_status_t x1_greater(const void *a, const void *b, uint8_t *out, size_t n, x1_dtype_t dtype)
{
    X1I_ENTER(x1_greater);
    return compare(X1I_x1_greater, a, b, out, n, dtype, false);
}

x1_status_t x1_where(const uint8_t *condition, const void *a, const void *b, void *out, size_t n, x1_dtype_t dtype)
{
    X1I_ENTER(x1_where);
    const x1i_function self = X1I_x1_where;
    x1_status_t status = X1_SUCCESS;
    const size_t element = x1i_any_type(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    x1i_operand o[] = {x1i_operand_of("out", out, n, element), x1i_operand_of("condition", condition, n, 1),
                       x1i_operand_of("a", a, n, element), x1i_operand_of("b", b, n, element)};
    status = prepare(self, o, 4, n);
    for (size_t i = 0; status == X1_SUCCESS && i < n; ++i) {
        const bool first = ((const uint8_t *)o[1].host)[i] != 0;
        memmove((char *)o[0].host + i * element, (const char *)o[first ? 2 : 3].host + i * element, element);
    }
    return status;
}

x1_status_t x1_masked_fill(const void *in, const uint8_t *mask, void *out, size_t n, float value, x1_dtype_t dtype)
{
    X1I_ENTER(x1_masked_fill);
    const x1i_function self = X1I_x1_masked_fill;
    x1_status_t status = X1_SUCCESS;
    const size_t element = x1i_any_type(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    x1i_operand o[] = {x1i_operand_of("out", out, n, element), x1i_operand_of("in", in, n, element),
                       x1i_operand_of("mask", mask, n, 1)};
    status = prepare(self, o, 3, n);
    for (size_t i = 0; status == X1_SUCCESS && i < n; ++i) {
        const bool filled = (((const uint8_t *)o[2].host)[i] != 0) != X1_MUTANT_INVERTED_MASK;
        if (filled)
            x1i_store(o[0].host, i, value, dtype);
        else
            memmove((char *)o[0].host + i * element, (const char *)o[1].host + i * element, element);
    }
    return status;
}

x1_status_t x1_cast(const void *in, x1_dtype_t in_dtype, void *out, x1_dtype_t out_dtype, size_t n)
{
    X1I_ENTER(x1_cast);
    const x1i_function self = X1I_x1_cast;
    x1_status_t status = X1_SUCCESS;
    const size_t from = x1i_any_type(self, in_dtype, &status), to = x1i_any_type(self, out_dtype, &status);
    if (status != X1_SUCCESS) return status;
    if (out_dtype == X1_DTYPE_INT8 && in_dtype != X1_DTYPE_INT8)
        return x1i_fail(self, X1_ERROR_UNSUPPORTED, "to int8");
    x1i_operand o[] = {x1i_operand_of("out", out, n, to), x1i_operand_of("in", in, n, from)};
    status = prepare(self, o, 2, n);
    for (size_t i = 0; status == X1_SUCCESS && i < n; ++i) {
        float value = x1i_load(o[1].host, i, in_dtype);
        if (X1_MUTANT_TRUNCATING_CAST && out_dtype == X1_DTYPE_FLOAT16 && value == value)
            value = x1i_bits_float(x1i_float_bits(value) & 0xffffe000u);
        x1i_store(o[0].host, i, value, out_dtype);
    }
    return status;
}
