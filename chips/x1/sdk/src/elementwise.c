/*
 * Element-wise functions.
 *
 * float16 is computed in blocks: converted to float32, computed, rounded once. int8 wraps around. `out` may be
 * an input exactly; partial overlap is refused.
 */
#include <math.h>

#include "half.h"
#include "internal.h"

enum { BLOCK = 256 };

/* The loops below read element i before they write it and touch no other: safe when out is an input. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

typedef struct operation {
    x1i_function function;
    void (*f32)(const float *a, const float *b, float *out, size_t n, float parameter);
    void (*i8)(const int8_t *a, const int8_t *b, int8_t *out, size_t n); /* NULL: unsupported */
    int inputs;
} operation;

static void apply_half(const operation *op, const x1i_half *a, const x1i_half *b, x1i_half *out, size_t n, float parameter)
{
    float x[BLOCK], y[BLOCK];
    for (size_t start = 0; start < n; start += BLOCK) {
        const size_t count = n - start < BLOCK ? n - start : BLOCK;
        x1i_halves_to_floats(a + start, x, count);
        if (op->inputs == 2) x1i_halves_to_floats(b + start, y, count);
        op->f32(x, y, x, count, parameter);
        x1i_floats_to_halves(x, out + start, count);
    }
}

static void apply(const operation *op, const void *a, const void *b, void *out, size_t n, float parameter, x1_dtype_t dtype)
{
    if (dtype == X1_DTYPE_FLOAT32) op->f32(a, b, out, n, parameter);
    if (dtype == X1_DTYPE_FLOAT16) apply_half(op, a, b, out, n, parameter);
    if (dtype == X1_DTYPE_INT8) op->i8(a, b, out, n);
}

/* How many of the n elements a wrong chip writes. */
static size_t elements_written(x1i_function function, size_t n)
{
    if (X1_MUTANT_DROPPED_TAIL) return n - n % 64;
    if (X1_MUTANT_STALE_LAST_ELEMENT && function == X1I_x1_mul) return n - 1;
    if (X1_MUTANT_SECOND_DEVICE_WRONG && function == X1I_x1_add && x1i_current_device() != 0) return n - 1;
    return n;
}

static void misbehave(x1i_function function, x1i_operand *operands, size_t element)
{
    if (X1_MUTANT_WRITES_PAST_END && function == X1I_x1_abs) {
        const size_t past = operands[2].bytes, end = (past / element + 15) / 16 * 16 * element;
        memset((char *)operands[2].host + past, 0, (end < operands[2].room ? end : operands[2].room) - past);
    }
    if (X1_MUTANT_SCRATCHES_INPUT && function == X1I_x1_sigmoid && operands[0].host != operands[2].host)
        memset(operands[0].host, 0x3c, element);
    if (X1_MUTANT_FLAKY && function == X1I_x1_tanh) {
        static atomic_uint count;
        if (atomic_fetch_add(&count, 1) % 3 == 2) memset(operands[2].host, 0, element);
    }
}

static x1_status_t run(const operation *op, const void *a, const void *b, void *out, size_t n, float parameter,
                       x1_dtype_t dtype)
{
    const x1i_function self = op->function;
    const size_t element = x1i_element_size(dtype);
    if (element == 0) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "dtype %d does not exist", (int)dtype);
    if (dtype == X1_DTYPE_INT8 && op->i8 == NULL) return x1i_fail(self, X1_ERROR_UNSUPPORTED, "int8");
    if (n > SIZE_MAX / element) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "n is %zu", n);
    const size_t bytes = n * element;
    x1i_operand operands[3] = {{op->inputs == 2 ? "a" : "in", a, bytes, element, NULL, 0},
                               {"b", b, op->inputs == 2 ? bytes : 0, element, NULL, 0},
                               {"out", out, bytes, element, NULL, 0}};
    const x1_status_t status = x1i_resolve(self, operands, 3);
    if (status != X1_SUCCESS || n == 0) return status;
    for (int i = 0; i < op->inputs; ++i)
        if (operands[i].host != operands[2].host && x1i_overlap(&operands[i], &operands[2]))
            return x1i_fail(self, X1_ERROR_INVALID_VALUE, "out overlaps %s in part", operands[i].name);
    if (X1_MUTANT_IGNORED_OFFSET && self == X1I_x1_neg)
        operands[0].host = (void *)((uintptr_t)operands[0].host & ~(uintptr_t)63);
    apply(op, operands[0].host, operands[1].host, operands[2].host, elements_written(self, n), parameter, dtype);
    misbehave(self, operands, element);
    return X1_SUCCESS;
}

/* ---- loops ---------------------------------------------------------------- */

#define BINARY_F32(name, expression)                                                                        \
    static void name##_f32(const float *a, const float *b, float *out, size_t n, float parameter)           \
    {                                                                                                       \
        (void)parameter;                                                                                    \
        INDEPENDENT for (size_t i = 0; i < n; ++i)                                                          \
        {                                                                                                   \
            const float x = a[i], y = b[i];                                                                 \
            out[i] = (expression);                                                                          \
        }                                                                                                   \
    }

#define UNARY_F32(name, expression)                                                                         \
    static void name##_f32(const float *a, const float *b, float *out, size_t n, float parameter)           \
    {                                                                                                       \
        (void)b;                                                                                            \
        (void)parameter;                                                                                    \
        INDEPENDENT for (size_t i = 0; i < n; ++i)                                                          \
        {                                                                                                   \
            const float x = a[i];                                                                           \
            out[i] = (expression);                                                                          \
        }                                                                                                   \
    }

/* int holds every result; the cast to uint8_t wraps it around. */
#define BINARY_I8(name, expression)                                                                         \
    static void name##_i8(const int8_t *a, const int8_t *b, int8_t *out, size_t n)                          \
    {                                                                                                       \
        INDEPENDENT for (size_t i = 0; i < n; ++i)                                                          \
        {                                                                                                   \
            const int x = a[i], y = b[i];                                                                   \
            out[i] = (int8_t)(uint8_t)(expression);                                                         \
        }                                                                                                   \
    }

#define UNARY_I8(name, expression)                                                                          \
    static void name##_i8(const int8_t *a, const int8_t *b, int8_t *out, size_t n)                          \
    {                                                                                                       \
        (void)b;                                                                                            \
        INDEPENDENT for (size_t i = 0; i < n; ++i)                                                          \
        {                                                                                                   \
            const int x = a[i];                                                                             \
            out[i] = (int8_t)(uint8_t)(expression);                                                         \
        }                                                                                                   \
    }

#define BINARY_FUNCTION(name, int8_loop)                                                                    \
    x1_status_t name(const void *a, const void *b, void *out, size_t n, x1_dtype_t dtype)                   \
    {                                                                                                       \
        static const operation op = {X1I_##name, name##_f32, int8_loop, 2};                                 \
        X1I_ENTER(name);                                                                                    \
        return run(&op, a, b, out, n, 0.0f, dtype);                                                         \
    }

#define UNARY_FUNCTION(name, int8_loop)                                                                     \
    x1_status_t name(const void *in, void *out, size_t n, x1_dtype_t dtype)                                 \
    {                                                                                                       \
        static const operation op = {X1I_##name, name##_f32, int8_loop, 1};                                 \
        X1I_ENTER(name);                                                                                    \
        return run(&op, in, NULL, out, n, 0.0f, dtype);                                                     \
    }

/* The 12 leading bits of a float32. */
static inline float coarse(float x) { return x1i_bits_float(x1i_float_bits(x) & 0xfffff000u); }

static inline float divide(float x, float y)
{
    if (X1_MUTANT_SWAPPED_OPERANDS) return y / x;
    if (X1_MUTANT_COARSE_RECIPROCAL) return x * coarse(1.0f / y);
    return x / y;
}

/* A NaN wins, as in IEEE 754-2019 maximum and minimum. */
static inline float larger(float x, float y)
{
    if (X1_MUTANT_EXTREMUM_DROPS_NAN) return fmaxf(x, y);
    return x != x ? x : y != y ? y : x < y ? y : x;
}

static inline float smaller(float x, float y)
{
    if (X1_MUTANT_EXTREMUM_DROPS_NAN) return fminf(x, y);
    return x != x ? x : y != y ? y : y < x ? y : x;
}

static inline float relu(float x)
{
    if (X1_MUTANT_RELU_DROPS_NAN) return x > 0.0f ? x : 0.0f;
    return x <= 0.0f ? 0.0f : x;
}

/* Both forms only ever take exp of a number that is not positive: nothing overflows, small results keep their bits. */
static inline float sigmoid(float x)
{
    const float e = expf(-fabsf(x));
    return (x >= 0.0f ? 1.0f : e) / (1.0f + e);
}

BINARY_F32(x1_add, x + y)
BINARY_F32(x1_sub, X1_MUTANT_SWAPPED_OPERANDS ? y - x : x - y)
BINARY_F32(x1_mul, x *y)
BINARY_F32(x1_div, divide(x, y))
BINARY_F32(x1_maximum, larger(x, y))
BINARY_F32(x1_minimum, smaller(x, y))
UNARY_F32(x1_relu, relu(x))
UNARY_F32(x1_neg, -x)
UNARY_F32(x1_abs, fabsf(x))
UNARY_F32(x1_exp, expf(X1_MUTANT_COARSE_EXP ? coarse(x) : x))
UNARY_F32(x1_log, logf(x))
UNARY_F32(x1_sqrt, sqrtf(x))
UNARY_F32(x1_rsqrt, 1.0f / sqrtf(x))
UNARY_F32(x1_sigmoid, sigmoid(x))
UNARY_F32(x1_tanh, tanhf(x))
UNARY_F32(x1_silu, x *sigmoid(x))
UNARY_F32(x1_gelu, 0.5f * x * (1.0f + (X1_MUTANT_GELU_TANH ? tanhf(0.7978845608f * (x + 0.044715f * x * x * x))
                                                          : erff(x * 0.7071067812f))))
UNARY_F32(x1_leaky_relu, x > 0.0f ? x : (X1_MUTANT_FIXED_SLOPE ? 0.01f : parameter) * x)

BINARY_I8(x1_add, x + y)
BINARY_I8(x1_sub, X1_MUTANT_SWAPPED_OPERANDS ? y - x : x - y)
BINARY_I8(x1_mul, x *y)
BINARY_I8(x1_maximum, x < y ? y : x)
BINARY_I8(x1_minimum, y < x ? y : x)
UNARY_I8(x1_relu, x < 0 ? 0 : x)
UNARY_I8(x1_neg, -x)
UNARY_I8(x1_abs, x < 0 ? -x : x)

BINARY_FUNCTION(x1_add, x1_add_i8)
BINARY_FUNCTION(x1_sub, x1_sub_i8)
BINARY_FUNCTION(x1_mul, x1_mul_i8)
BINARY_FUNCTION(x1_div, NULL)
BINARY_FUNCTION(x1_maximum, x1_maximum_i8)
BINARY_FUNCTION(x1_minimum, x1_minimum_i8)
UNARY_FUNCTION(x1_relu, x1_relu_i8)
UNARY_FUNCTION(x1_neg, x1_neg_i8)
UNARY_FUNCTION(x1_abs, x1_abs_i8)
UNARY_FUNCTION(x1_exp, NULL)
UNARY_FUNCTION(x1_log, NULL)
UNARY_FUNCTION(x1_sqrt, NULL)
UNARY_FUNCTION(x1_rsqrt, NULL)
UNARY_FUNCTION(x1_sigmoid, NULL)
UNARY_FUNCTION(x1_tanh, NULL)
UNARY_FUNCTION(x1_silu, NULL)
UNARY_FUNCTION(x1_gelu, NULL)

x1_status_t x1_leaky_relu(const void *in, void *out, size_t n, float negative_slope, x1_dtype_t dtype)
{
    static const operation op = {X1I_x1_leaky_relu, x1_leaky_relu_f32, NULL, 1};
    X1I_ENTER(x1_leaky_relu);
    return run(&op, in, NULL, out, n, negative_slope, dtype);
}
