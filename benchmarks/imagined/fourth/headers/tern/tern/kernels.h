/*
 * SPDX-License-Identifier: LicenseRef-Tern-SDK-2.3
 * Copyright 2024 Tern Compute, s.r.o.
 *
 * Kernels of the Tern T2 and T4. All pointers are to card memory, dense and row-major, and results are
 * written to `dst` which must not overlap with a source unless it says so. The element type of most templates
 * is float, half, brain or int32_t; what is not instantiated gives an error of the linker.
 */
#pragma once

#include "base.h"

namespace tern {
namespace k {

// ==========================================================================================================
//   element by element
// ==========================================================================================================

template <typename T> rc abs_val(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc change_sign(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc e_to_the(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc e_to_the_less_one(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc ln(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc ln_one_plus(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc lg(const T* src, T* dst, idx len, ferry* f);          // base 10
template <typename T> rc sqroot(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc rsqroot(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc recip(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc squared(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc sine(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc cosine(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc arctan(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc arctan2(const T* y, const T* x, T* dst, idx len, ferry* f);  // angle of (x, y)
template <typename T> rc signum(const T* src, T* dst, idx len, ferry* f);

/* activations */
template <typename T> rc relu(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc relu_self(T* data, idx len, ferry* f);
template <typename T> rc elu(const T* src, T* dst, idx len, float a, ferry* f);
template <typename T> rc sigm(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc tanhyp(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc softplus(const T* src, T* dst, idx len, float sharp, float linear_above, ferry* f);
template <typename T> rc mish(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc hswish(const T* src, T* dst, idx len, ferry* f);
template <typename T> rc geglu(const T* src, T* dst, box<2> ext, ferry* f);    // halves of each row, gated

// binary; the tag picks the function
struct add_t {};
struct sub_t {};
struct mul_t {};
struct div_t_ {};      // (div_t is taken by the C library)
struct greater_of {};
struct lesser_of {};

/// dst[i] = Tag(lhs[i], rhs[i])
template <typename Tag, typename T> rc zip(const T* lhs, const T* rhs, T* dst, idx len, ferry* f);
/// dst[i] = Tag(lhs[i], number)
template <typename Tag, typename T> rc zip_number(const T* lhs, T number, T* dst, idx len, ferry* f);

/// dst = lhs + weight * rhs
template <typename T> rc add_weighted(const T* lhs, const T* rhs, float weight, T* dst, idx len, ferry* f);
/// rhs of one row is added to every row of lhs
template <typename T> rc add_row(const T* lhs, const T* row, T* dst, box<2> ext, ferry* f);
/// dst = base + weight * x * y
template <typename T> rc fused_base_mul(const T* base, const T* x, const T* y, float weight, T* dst, idx len, ferry* f);
/// dst = base + weight * x / y
template <typename T> rc fused_base_div(const T* base, const T* x, const T* y, float weight, T* dst, idx len, ferry* f);
template <typename T> rc power(const T* lhs, const T* rhs, T* dst, idx len, ferry* f);
/// result has the sign of rhs (Python's %)
template <typename T> rc modulo(const T* lhs, const T* rhs, T* dst, idx len, ferry* f);
template <typename T> rc clip(const T* src, T lo, T hi, T* dst, idx len, ferry* f);

template <typename T> rc cmp_eq(const T* lhs, const T* rhs, bool* dst, idx len, ferry* f);
template <typename T> rc cmp_ne(const T* lhs, const T* rhs, bool* dst, idx len, ferry* f);
template <typename T> rc cmp_lt(const T* lhs, const T* rhs, bool* dst, idx len, ferry* f);
template <typename T> rc cmp_le(const T* lhs, const T* rhs, bool* dst, idx len, ferry* f);
template <typename T> rc pick(const bool* which, const T* yes, const T* no, T* dst, idx len, ferry* f);
/// Overwrites the places that are true; src goes to dst elsewhere.
template <typename T> rc blot(const T* src, const bool* places, T ink, T* dst, idx len, ferry* f);

template <typename I> rc bits_and(const I* lhs, const I* rhs, I* dst, idx len, ferry* f);
template <typename I> rc bits_or(const I* lhs, const I* rhs, I* dst, idx len, ferry* f);
template <typename I> rc bits_xor(const I* lhs, const I* rhs, I* dst, idx len, ferry* f);

template <typename To, typename From> rc cast(const From* src, To* dst, idx len, ferry* f);
template <typename T> rc splat(T* dst, T value, idx len, ferry* f);

// ==========================================================================================================
//   rows of a block. Reductions keep no axis: ext is of src and dst has ext.e[0] elements
// ==========================================================================================================

template <typename T> rc row_sum(const T* src, T* dst, box<2> ext, ferry* f);
template <typename T> rc row_mean(const T* src, T* dst, box<2> ext, ferry* f);
template <typename T> rc row_peak(const T* src, T* dst, box<2> ext, ferry* f);
template <typename T> rc row_dip(const T* src, T* dst, box<2> ext, ferry* f);
template <typename T> rc row_peak_at(const T* src, idx* dst, box<2> ext, ferry* f);
template <typename T> rc row_spread(const T* src, T* dst, box<2> ext, int less, ferry* f);  // variance, divided by columns - less
template <typename T> rc row_scan(const T* src, T* dst, box<2> ext, ferry* f);              // running sum
template <typename T> rc row_softmax(const T* src, T* dst, box<2> ext, ferry* f);
template <typename T> rc row_softmax_masked(const T* src, const bool* hide, T* dst, box<2> ext, float scale, ferry* f);
template <typename T> rc row_order(const T* src, T* dst, idx* from, box<2> ext, bool falling, ferry* f);
/// the `many` greatest of each row, sorted, and where they were
template <typename T> rc row_best(const T* src, T* dst, idx* from, box<2> ext, idx many, ferry* f);
template <typename T> rc layer_norm(const T* src, const T* mult, const T* plus, T* dst, box<2> ext, float epsilon, ferry* f);
template <typename T> rc group_norm(const T* src, const T* mult, const T* plus, T* dst, box<3> ext, idx groups, float epsilon, ferry* f);  // n, c, pixels
template <typename T> rc rms_norm(const T* src, const T* mult, T* dst, box<2> ext, float epsilon, ferry* f);

// ==========================================================================================================
//   blocks
// ==========================================================================================================

/// dst (rows x cols) = lhs (rows x inner) times rhs (inner x cols)
template <typename T> rc matmul(const T* lhs, const T* rhs, T* dst, idx rows, idx inner, idx cols, ferry* f);
template <typename T> rc matmul_stack(const T* lhs, const T* rhs, T* dst, idx stack, idx rows, idx inner, idx cols, ferry* f);
/// dst = keep * base + weight * lhs * rhs
template <typename T> rc matmul_onto(const T* base, const T* lhs, const T* rhs, float keep, float weight, T* dst, idx rows, idx inner, idx cols, ferry* f);
template <typename T> rc matvec(const T* mat, const T* vec, T* dst, box<2> ext, ferry* f);
template <typename T> rc inner(const T* lhs, const T* rhs, T* dst, idx len, ferry* f);  // one number
template <typename T> rc matmul_s4(const T* lhs, const std::uint8_t* rhs, const T* scales, const T* zeros, T* dst, idx rows, idx inner, idx cols, idx group, ferry* f);

/// q, k, v are heads x len x width
template <typename T> rc attend(const T* q, const T* k, const T* v, T* dst, idx batch, idx heads, idx q_len, idx kv_len, idx width, bool causal, float scale, ferry* f);
template <typename T> rc attend_paged(const T* q, const T* const* pages, const std::int32_t* table, T* dst, idx batch, idx heads, idx width, idx page_len, float scale, ferry* f);

template <int N, typename T> rc permute(const T* src, T* dst, box<N> ext, const int (&perm)[N], ferry* f);
template <typename T> rc flip_tile(const T* src, T* dst, box<2> ext, ferry* f);            // matrix transposed
template <int N, typename T> rc concat(const T* const* srcs, const box<N>* exts, int how_many, int along, T* dst, ferry* f);
/// dst[i, :] = table[rows[i], :]
template <typename T> rc fetch_rows(const T* table, box<2> ext, const idx* rows, idx n_rows, T* dst, ferry* f);
/// dst[i][j] = src[i][at[i][j]]; at is of dst's extents
template <typename T> rc take_along(const T* src, box<2> src_ext, const idx* at, box<2> at_ext, T* dst, ferry* f);

extern template rc matmul<float>(const float*, const float*, float*, idx, idx, idx, ferry*);
extern template rc matmul<half>(const half*, const half*, half*, idx, idx, idx, ferry*);

}  // namespace k

namespace coll {
struct fleet;
rc fleet_gather(fleet** out, int rank, int size, const char* where);
template <typename T> rc all_sum(const T* src, T* dst, idx len, fleet* fl, ferry* f);
template <typename T> rc spread(const T* src, T* dst, idx len, int root, fleet* fl, ferry* f);
}  // namespace coll

namespace dice {
template <typename T> rc flat(T* dst, idx len, T from, T to, std::uint64_t seed, ferry* f);
template <typename T> rc bell(T* dst, idx len, T mean, T deviation, std::uint64_t seed, ferry* f);
}  // namespace dice

}  // namespace tern
