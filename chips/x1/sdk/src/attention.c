/*
 * softmax(query key^T * scale + mask) value, one query at a time; scores and sums in float32.
 */
#include <math.h>
#include <stdlib.h>

#include "numbers.h"

typedef struct problem {
    size_t heads, q_len, kv_len, head_dim; /* heads: of all batches together */
    float scale;
    bool causal;
} problem;

static void attend(const problem *p, const x1i_operand *o, size_t head, size_t q, float *scores, x1_dtype_t dtype)
{
    const size_t d = p->head_dim, query = (head * p->q_len + q) * d, keys = head * p->kv_len * d;
    const size_t seen = q + 1 + (X1_MUTANT_CAUSAL_OFF_BY_ONE ? 1 : 0);
    const size_t count = p->causal && seen < p->kv_len ? seen : p->kv_len;
    float most = -INFINITY, sum = 0.0f;
    for (size_t k = 0; k < count; ++k) {
        float score = 0.0f;
        for (size_t i = 0; i < d; ++i)
            score += x1i_load(o[1].host, query + i, dtype) * x1i_load(o[2].host, keys + k * d + i, dtype);
        score *= p->scale;
        if (o[4].host != NULL && !X1_MUTANT_ATTENTION_MASK_IGNORED)
            score += x1i_load(o[4].host, (head * p->q_len + q) * p->kv_len + k, dtype);
        scores[k] = score;
        most = fmaxf(most, score);
    }
    for (size_t k = 0; k < count; ++k) {
        scores[k] = most > -INFINITY ? expf(scores[k] - most) : 0.0f;
        sum += scores[k];
    }
    if (most == -INFINITY) sum = 1.0f; /* it sees nothing: zeros */
    for (size_t i = 0; i < d; ++i) {
        float value = 0.0f;
        for (size_t k = 0; k < count; ++k) value += scores[k] * x1i_load(o[3].host, keys + k * d + i, dtype);
        x1i_store(o[0].host, query + i, value / sum, dtype);
    }
}

x1_status_t x1_attention(const void *query, const void *key, const void *value, const void *mask, void *out, int batch,
                         int heads, int q_len, int kv_len, int head_dim, float scale, int causal, x1_dtype_t dtype)
{
    X1I_ENTER(x1_attention);
    const x1i_function self = X1I_x1_attention;
    x1_status_t status = X1_SUCCESS;
    if (batch < 0 || heads < 0 || q_len < 0 || kv_len < 1 || head_dim < 1)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%d x %d x %d x %d x %d", batch, heads, q_len, kv_len, head_dim);
    const size_t element = x1i_floating(self, dtype, &status);
    if (status != X1_SUCCESS) return status;
    const problem p = {(size_t)batch * (size_t)heads, (size_t)q_len, (size_t)kv_len, (size_t)head_dim, scale, causal != 0};
    const size_t queries = p.heads * p.q_len, keys = p.heads * p.kv_len;
    x1i_operand o[] = {x1i_operand_of("out", out, queries * p.head_dim, element),
                       x1i_operand_of("query", query, queries * p.head_dim, element),
                       x1i_operand_of("key", key, keys * p.head_dim, element),
                       x1i_operand_of("value", value, keys * p.head_dim, element),
                       x1i_operand_of("mask", mask, mask != NULL ? queries * p.kv_len : 0, element)};
    status = x1i_resolve_apart(self, o, 5);
    if (status != X1_SUCCESS) return status;
    float *scores = malloc(p.kv_len * sizeof *scores);
    if (scores == NULL) return x1i_fail(self, X1_ERROR_OUT_OF_MEMORY, "no workspace");
    for (size_t i = 0; i < queries; ++i) attend(&p, o, i / p.q_len, i % p.q_len, scores, dtype);
    free(scores);
    return X1_SUCCESS;
}
