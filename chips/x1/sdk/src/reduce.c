/*
 * Along one axis of [outer][n][inner]: reductions and softmax. Sums are kept in float32.
 */
#include <math.h>

#include "numbers.h"

typedef struct axis {
    size_t outer, n, inner;
} axis;

/* Where element (o, i) of the axis lies. */
static size_t place(const axis *a, size_t o, size_t i, size_t inner)
{
    if (X1_MUTANT_WRONG_AXIS && a->inner > 1) return (o * a->inner + inner) * a->n + i;
    return (o * a->n + i) * a->inner + inner;
}

/* How many elements of the axis a wrong chip looks at. */
static size_t elements(const axis *a) { return X1_MUTANT_REDUCTION_DROPS_LAST && a->n > 1 ? a->n - 1 : a->n; }

typedef enum reduction { SUM, MEAN, MAX } reduction;

static float larger(float x, float y) { return x != x ? x : y != y ? y : x < y ? y : x; }

static float reduced(const axis *a, size_t n, const void *in, size_t o, size_t inner, reduction what, x1_dtype_t dtype)
{
    float sum = what == MAX ? -INFINITY : 0.0f;
    for (size_t i = 0; i < n; ++i) {
        const float x = x1i_load(in, place(a, o, i, inner), dtype);
        sum = what == MAX ? larger(sum, x) : sum + x;
    }
    return what == MEAN ? sum / (float)a->n : sum;
}

static x1_status_t extents(x1i_function self, const axis *a)
{
    if (a->n == 0) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "n is 0");
    if (a->outer != 0 && a->inner != 0 && a->n > SIZE_MAX / 8 / a->outer / a->inner)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%zu x %zu x %zu elements", a->outer, a->n, a->inner);
    return X1_SUCCESS;
}

static x1_status_t reduce(x1i_function self, const void *in, void *out, axis a, x1_dtype_t dtype, reduction what)
{
    x1_status_t status = extents(self, &a);
    const size_t element = what == MAX ? x1i_any_type(self, dtype, &status) : x1i_floating(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    const size_t results = a.outer * a.inner;
    x1i_operand o[] = {x1i_operand_of("out", out, results, element), x1i_operand_of("in", in, results * a.n, element)};
    status = x1i_resolve_apart(self, o, 2);
    for (size_t r = 0; status == X1_SUCCESS && r < results; ++r)
        x1i_store(o[0].host, r, reduced(&a, elements(&a), o[1].host, r / a.inner, r % a.inner, what, dtype), dtype);
    return status;
}

x1_status_t x1_reduce_sum(const void *in, void *out, size_t outer, size_t n, size_t inner, x1_dtype_t dtype)
{
    X1I_ENTER(x1_reduce_sum);
    return reduce(X1I_x1_reduce_sum, in, out, (axis){outer, n, inner}, dtype, SUM);
}

x1_status_t x1_reduce_mean(const void *in, void *out, size_t outer, size_t n, size_t inner, x1_dtype_t dtype)
{
    X1I_ENTER(x1_reduce_mean);
    return reduce(X1I_x1_reduce_mean, in, out, (axis){outer, n, inner}, dtype, MEAN);
}

x1_status_t x1_reduce_max(const void *in, void *out, size_t outer, size_t n, size_t inner, x1_dtype_t dtype)
{
    X1I_ENTER(x1_reduce_max);
    return reduce(X1I_x1_reduce_max, in, out, (axis){outer, n, inner}, dtype, MAX);
}

/* The first NaN is larger than every number. */
static int64_t first_largest(const axis *a, const void *in, size_t o, size_t inner, x1_dtype_t dtype)
{
    size_t best = 0;
    float most = x1i_load(in, place(a, o, 0, inner), dtype);
    for (size_t i = 1; i < a->n && most == most; ++i) {
        const float x = x1i_load(in, place(a, o, i, inner), dtype);
        if (x != x || x > most || (X1_MUTANT_ARGMAX_LAST && x == most)) {
            best = i;
            most = x;
        }
    }
    return (int64_t)best;
}

x1_status_t x1_argmax(const void *in, int64_t *out, size_t outer, size_t n, size_t inner, x1_dtype_t dtype)
{
    X1I_ENTER(x1_argmax);
    const x1i_function self = X1I_x1_argmax;
    const axis a = {outer, n, inner};
    x1_status_t status = extents(self, &a);
    const size_t element = x1i_any_type(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    const size_t results = outer * inner;
    x1i_operand o[] = {x1i_operand_of("out", out, results, sizeof *out), x1i_operand_of("in", in, results * n, element)};
    status = x1i_resolve_apart(self, o, 2);
    for (size_t r = 0; status == X1_SUCCESS && r < results; ++r)
        ((int64_t *)o[0].host)[r] = first_largest(&a, o[1].host, r / inner, r % inner, dtype);
    return status;
}

/* The largest element is exp(0) = 1 of the sum and is left out of it: log1p keeps what a sum near 1 would lose. */
static void softmax_one(const axis *a, const void *in, void *out, size_t o, size_t inner, x1_dtype_t dtype, bool logarithm)
{
    const size_t largest = (size_t)first_largest(a, in, o, inner, dtype);
    const float most = X1_MUTANT_SOFTMAX_UNSHIFTED ? 0.0f : x1i_load(in, place(a, o, largest, inner), dtype);
    float others = 0.0f;
    for (size_t i = 0; i < a->n; ++i)
        if (i != largest) others += expf(x1i_load(in, place(a, o, i, inner), dtype) - most);
    const float own = expf(x1i_load(in, place(a, o, largest, inner), dtype) - most);
    const float log_sum = X1_MUTANT_SOFTMAX_UNSHIFTED ? logf(own + others) : log1pf(others) + logf(own);
    for (size_t i = 0; i < a->n; ++i) {
        const size_t at = place(a, o, i, inner);
        const float x = x1i_load(in, at, dtype) - most;
        x1i_store(out, at, logarithm ? x - log_sum : expf(x) / (own + others), dtype);
    }
}

static x1_status_t softmax(x1i_function self, const void *in, void *out, axis a, x1_dtype_t dtype, bool logarithm)
{
    x1_status_t status = extents(self, &a);
    const size_t element = x1i_floating(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    const size_t lanes = a.outer * a.inner;
    x1i_operand o[] = {x1i_operand_of("out", out, lanes * a.n, element), x1i_operand_of("in", in, lanes * a.n, element)};
    status = x1i_resolve_apart(self, o, 2);
    for (size_t r = 0; status == X1_SUCCESS && r < lanes; ++r)
        softmax_one(&a, o[1].host, o[0].host, r / a.inner, r % a.inner, dtype, logarithm);
    return status;
}

x1_status_t x1_softmax(const void *in, void *out, size_t outer, size_t n, size_t inner, x1_dtype_t dtype)
{
    X1I_ENTER(x1_softmax);
    return softmax(X1I_x1_softmax, in, out, (axis){outer, n, inner}, dtype, false);
}

x1_status_t x1_log_softmax(const void *in, void *out, int rows, int cols, x1_dtype_t dtype)
{
    X1I_ENTER(x1_log_softmax);
    if (rows < 0 || cols < 0) return x1i_fail(X1I_x1_log_softmax, X1_ERROR_INVALID_VALUE, "%d rows of %d", rows, cols);
    return softmax(X1I_x1_log_softmax, in, out, (axis){(size_t)rows, (size_t)cols, 1}, dtype, true);
}
