/*
 * C = alpha * op(A) * op(B) + beta * C in float32 and float16, row-major.
 *
 * Blocks of op(A) and op(B) are packed as float32, whatever their type and transposition, and multiplied four
 * rows at a time. The products of one element are summed over the whole of k in one float32, in order.
 */
#include <stdlib.h>

#include "half.h"
#include "internal.h"

enum { BLOCK_M = 64, BLOCK_N = 256, BLOCK_K = 256, ROWS = 4, SUM_OF = 32 };

typedef struct matrix {
    const void *data;
    size_t ld, rows, cols; /* of op(X) */
    int transposed, half;
} matrix;

static inline size_t least(size_t a, size_t b) { return a < b ? a : b; }

static float load(const void *data, size_t index, int half)
{
    float value = half ? x1i_half_to_float(((const x1i_half *)data)[index]) : ((const float *)data)[index];
    if (X1_MUTANT_REDUCED_OPERANDS && !half) value = x1i_bits_float(x1i_float_bits(value) & 0xffffe000u);
    return value;
}

/* Element (row, col) of op(X). A transposition that is ignored may point behind the matrix: it wraps around. */
static size_t index_of(const matrix *x, size_t row, size_t col)
{
    if (!x->transposed) return row * x->ld + col;
    if (X1_MUTANT_TRANSPOSE_IGNORED) return (row * x->ld + col) % ((x->cols - 1) * x->ld + x->rows);
    return col * x->ld + row;
}

/* Rows [row, row + rows) and columns [col, col + cols) of op(X), packed row-major. */
static void pack(const matrix *x, size_t row, size_t col, size_t rows, size_t cols, float *packed)
{
    if (!x->transposed || X1_MUTANT_TRANSPOSE_IGNORED) {
        for (size_t r = 0; r < rows; ++r)
            for (size_t c = 0; c < cols; ++c) packed[r * cols + c] = load(x->data, index_of(x, row + r, col + c), x->half);
        return;
    }
    for (size_t c = 0; c < cols; ++c)
        for (size_t r = 0; r < rows; ++r) packed[r * cols + c] = load(x->data, index_of(x, row + r, col + c), x->half);
}

/* sums[rows x cols] += a[rows x depth] * b[depth x cols], all packed. */
static void multiply(const float *restrict a, const float *restrict b, float *restrict sums, size_t rows, size_t cols,
                     size_t depth, int half)
{
    size_t r = 0;
    for (; r + ROWS <= rows; r += ROWS) {
        float *restrict s0 = sums + r * cols, *restrict s1 = s0 + cols, *restrict s2 = s1 + cols, *restrict s3 = s2 + cols;
        const float *a0 = a + r * depth, *a1 = a0 + depth, *a2 = a1 + depth, *a3 = a2 + depth;
        for (size_t step = 0; step < depth; ++step) {
            const size_t k = X1_VARIANT_REVERSED_SUM ? depth - 1 - step : step;
            const float *restrict line = b + k * cols;
            const float x0 = a0[k], x1 = a1[k], x2 = a2[k], x3 = a3[k];
            for (size_t c = 0; c < cols; ++c) {
                s0[c] = x1i_accumulate(s0[c], x0, line[c], half);
                s1[c] = x1i_accumulate(s1[c], x1, line[c], half);
                s2[c] = x1i_accumulate(s2[c], x2, line[c], half);
                s3[c] = x1i_accumulate(s3[c], x3, line[c], half);
            }
        }
    }
    for (; r < rows; ++r)
        for (size_t step = 0; step < depth; ++step) {
            const size_t k = X1_VARIANT_REVERSED_SUM ? depth - 1 - step : step;
            const float *restrict line = b + k * cols;
            for (size_t c = 0; c < cols; ++c)
                sums[r * cols + c] = x1i_accumulate(sums[r * cols + c], a[r * depth + k], line[c], half);
        }
}

/* The variants that keep more than one float per sum; slow and plain. */
static void multiply_otherwise(const float *a, const float *b, float *sums, size_t rows, size_t cols, size_t depth)
{
    for (size_t r = 0; r < rows; ++r)
        for (size_t c = 0; c < cols; ++c) {
            double wide = 0.0;
            float total = 0.0f, part = 0.0f;
            for (size_t k = 0; k < depth; ++k) {
                wide += (double)a[r * depth + k] * (double)b[k * cols + c];
                part += a[r * depth + k] * b[k * cols + c];
                if (k % SUM_OF == SUM_OF - 1 || k + 1 == depth) {
                    total += part;
                    part = 0.0f;
                }
            }
            sums[r * cols + c] += X1_VARIANT_WIDE_SUM ? (float)wide : total;
        }
}

/* C's block from its sums. beta == 0: C is not read, so that NaN in fresh memory does not spread. */
static void store(const float *sums, size_t rows, size_t cols, float alpha, float beta, void *c, size_t ldc, int half)
{
    if (X1_MUTANT_ALPHA_IGNORED) alpha = 1.0f;
    if (X1_MUTANT_BETA_IGNORED) beta = 0.0f;
    for (size_t r = 0; r < rows; ++r)
        for (size_t j = 0; j < cols; ++j) {
            float value = alpha == 0.0f ? 0.0f : alpha * sums[r * cols + j];
            if (beta != 0.0f) {
                const void *old = c;
                value += beta * (half ? x1i_half_to_float(((const x1i_half *)old)[r * ldc + j])
                                      : ((const float *)old)[r * ldc + j]);
            }
            if (half)
                ((x1i_half *)c)[r * ldc + j] = x1i_float_to_half(value);
            else
                ((float *)c)[r * ldc + j] = value;
        }
}

static x1_status_t compute(const matrix *a, const matrix *b, float alpha, float beta, void *c, size_t ldc)
{
    const size_t m = a->rows, n = b->cols, element = a->half ? sizeof(x1i_half) : sizeof(float);
    const size_t k = alpha == 0.0f ? 0 : X1_MUTANT_DROPPED_K_TAIL && a->cols > 8 ? a->cols - a->cols % 8 : a->cols;
    const size_t most_m = least(m, BLOCK_M), most_n = least(n, BLOCK_N), most_k = least(k, BLOCK_K);
    float *memory = malloc((most_m * most_k + most_k * most_n + most_m * most_n) * sizeof(float));
    if (memory == NULL) return x1i_fail(X1I_x1_gemm, X1_ERROR_OUT_OF_MEMORY, "no workspace");
    float *packed_a = memory, *packed_b = packed_a + most_m * most_k, *sums = packed_b + most_k * most_n;
    const size_t k_blocks = (k + BLOCK_K - 1) / BLOCK_K;
    for (size_t col = 0; col < n; col += BLOCK_N)
        for (size_t row = 0; row < m; row += BLOCK_M) {
            const size_t rows = least(BLOCK_M, m - row), cols = least(BLOCK_N, n - col);
            memset(sums, 0, rows * cols * sizeof(float));
            for (size_t block = 0; block < k_blocks; ++block) {
                const size_t deep = (X1_VARIANT_REVERSED_SUM ? k_blocks - 1 - block : block) * BLOCK_K;
                const size_t depth = least(BLOCK_K, k - deep);
                pack(a, row, deep, rows, depth, packed_a);
                pack(b, deep, col, depth, cols, packed_b);
                if (X1_VARIANT_BLOCKED_SUM || X1_VARIANT_WIDE_SUM)
                    multiply_otherwise(packed_a, packed_b, sums, rows, cols, depth);
                else
                    multiply(packed_a, packed_b, sums, rows, cols, depth, a->half);
            }
            store(sums, rows, cols, alpha, beta, (char *)c + (row * ldc + col) * element, ldc, a->half);
        }
    free(memory);
    return X1_SUCCESS;
}

/* Bytes from the first element of a stored rows x cols matrix to the end of its last. */
static size_t extent(size_t rows, size_t cols, size_t ld, size_t element)
{
    return rows == 0 || cols == 0 ? 0 : ((rows - 1) * ld + cols) * element;
}

x1_status_t x1_gemm(x1_dtype_t dtype, x1_transpose_t trans_a, x1_transpose_t trans_b, int m, int n, int k, float alpha,
                    const void *a, int lda, const void *b, int ldb, float beta, void *c, int ldc)
{
    X1I_ENTER(x1_gemm);
    const x1i_function self = X1I_x1_gemm;
    const size_t element = x1i_element_size(dtype);
    if (element == 0) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "dtype %d does not exist", (int)dtype);
    if (dtype == X1_DTYPE_INT8) return x1i_fail(self, X1_ERROR_UNSUPPORTED, "int8");
    if ((unsigned)trans_a > X1_TRANS || (unsigned)trans_b > X1_TRANS)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "transposes %d and %d", (int)trans_a, (int)trans_b);
    if (m < 0 || n < 0 || k < 0) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "extents %d, %d, %d", m, n, k);
    const int a_rows = trans_a ? k : m, a_cols = trans_a ? m : k, b_rows = trans_b ? n : k, b_cols = trans_b ? k : n;
    if (lda < (a_cols > 1 ? a_cols : 1) || ldb < (b_cols > 1 ? b_cols : 1) || ldc < (n > 1 ? n : 1))
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "leading dimensions %d, %d, %d are shorter than the rows", lda, ldb,
                        ldc);
    if (m == 0 || n == 0) return X1_SUCCESS;
    x1i_operand operands[3] = {
        {"a", a, alpha == 0.0f ? 0 : extent((size_t)a_rows, (size_t)a_cols, (size_t)lda, element), element, NULL, 0},
        {"b", b, alpha == 0.0f ? 0 : extent((size_t)b_rows, (size_t)b_cols, (size_t)ldb, element), element, NULL, 0},
        {"c", c, extent((size_t)m, (size_t)n, (size_t)ldc, element), element, NULL, 0},
    };
    const x1_status_t status = x1i_resolve(self, operands, 3);
    if (status != X1_SUCCESS) return status;
    if (x1i_overlap(&operands[0], &operands[2]) || x1i_overlap(&operands[1], &operands[2]))
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "c overlaps an operand");
    const int half = dtype == X1_DTYPE_FLOAT16;
    const size_t read_lda = (size_t)(X1_MUTANT_LEADING_DIMENSION_IGNORED ? a_cols : lda);
    const matrix left = {operands[0].host, read_lda, (size_t)m, (size_t)k, trans_a == X1_TRANS, half};
    const matrix right = {operands[1].host, (size_t)ldb, (size_t)k, (size_t)n, trans_b == X1_TRANS, half};
    return compute(&left, &right, alpha, beta, operands[2].host, (size_t)ldc);
}
