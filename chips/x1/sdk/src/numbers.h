/*
 * Elements of any of the board's types as float32 numbers: for functions whose time is not in the conversion.
 */
#ifndef X1_NUMBERS_H
#define X1_NUMBERS_H

#include "half.h"
#include "internal.h"

static inline float x1i_load(const void *data, size_t i, x1_dtype_t dtype)
{
    switch (dtype) {
    case X1_DTYPE_FLOAT32: return ((const float *)data)[i];
    case X1_DTYPE_FLOAT16: return x1i_half_to_float(((const x1i_half *)data)[i]);
    default: return (float)((const int8_t *)data)[i];
    }
}

static inline void x1i_store(void *data, size_t i, float value, x1_dtype_t dtype)
{
    switch (dtype) {
    case X1_DTYPE_FLOAT32: ((float *)data)[i] = value; break;
    case X1_DTYPE_FLOAT16: ((x1i_half *)data)[i] = x1i_float_to_half(value); break;
    default: ((int8_t *)data)[i] = (int8_t)value; break;
    }
}

/* The element size of a type that the function takes, or 0 and an error. */
static inline size_t x1i_floating(x1i_function self, x1_dtype_t dtype, x1_status_t *status)
{
    const size_t element = x1i_element_size(dtype);
    if (element == 0) *status = x1i_fail(self, X1_ERROR_INVALID_VALUE, "dtype %d does not exist", (int)dtype);
    if (dtype == X1_DTYPE_INT8) *status = x1i_fail(self, X1_ERROR_UNSUPPORTED, "int8");
    return *status == X1_SUCCESS ? element : 0;
}

static inline size_t x1i_any_type(x1i_function self, x1_dtype_t dtype, x1_status_t *status)
{
    const size_t element = x1i_element_size(dtype);
    if (element == 0) *status = x1i_fail(self, X1_ERROR_INVALID_VALUE, "dtype %d does not exist", (int)dtype);
    return element;
}

/* Checks that the operands lie in memory and that operand 0, the output, overlaps none of the others. */
static inline x1_status_t x1i_resolve_apart(x1i_function self, x1i_operand *operands, int count)
{
    const x1_status_t status = x1i_resolve(self, operands, count);
    if (status != X1_SUCCESS) return status;
    for (int i = 1; i < count; ++i)
        if (x1i_overlap(&operands[0], &operands[i]))
            return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%s overlaps %s", operands[0].name, operands[i].name);
    return X1_SUCCESS;
}

#endif
