// An imagined vendor's header.
// Tessera SDK - kernels. All functions are asynchronous on `q` and throw tessera::error.
#pragma once

#include <optional>

#include "tessera/core.hpp"

namespace tessera {

std::string_view version() noexcept;
void set_trace_sink(void (*sink)(std::string_view));

namespace kernels {

enum class round_mode { even, away, down, up, zero };
enum class interp { nearest, linear };

struct window2d {
  int h, w;
  int step_h = 1, step_w = 1;
  int top = 0, bottom = 0, left = 0, right = 0;
};

// ---- pointwise ---------------------------------------------------------

template <typename T> void negate(queue& q, vec<T> to, vec<const T> from);
template <typename T> void magnitude(queue& q, vec<T> to, vec<const T> from);
template <typename T> void exponential(queue& q, vec<T> to, vec<const T> from);
template <typename T> void natural_log(queue& q, vec<T> to, vec<const T> from);
template <typename T> void square_root(queue& q, vec<T> to, vec<const T> from);
template <typename T> void inverse_square_root(queue& q, vec<T> to, vec<const T> from);
template <typename T> void logistic(queue& q, vec<T> to, vec<const T> from);
template <typename T> void hyperbolic_tangent(queue& q, vec<T> to, vec<const T> from);
template <typename T> void rectify(queue& q, vec<T> to, vec<const T> from);
template <typename T> void swish(queue& q, vec<T> to, vec<const T> from);
/// Not exact: the tanh form.
template <typename T> void gelu_tanh(queue& q, vec<T> to, vec<const T> from);
template <typename T> void round_to_int(queue& q, round_mode how, vec<T> to, vec<const T> from);
template <typename T> void saturate(queue& q, T lowest, T highest, vec<T> to, vec<const T> from);
template <typename To, typename From> void convert(queue& q, vec<To> to, vec<const From> from);
template <typename T> void assign(queue& q, vec<T> to, T value);
template <typename T> void iota(queue& q, vec<T> to, T first, T step);

template <typename T> void sum_of(queue& q, vec<T> to, vec<const T> lhs, vec<const T> rhs);
template <typename T> void difference_of(queue& q, vec<T> to, vec<const T> lhs, vec<const T> rhs);
template <typename T> void product_of(queue& q, vec<T> to, vec<const T> lhs, vec<const T> rhs);
template <typename T> void quotient_of(queue& q, vec<T> to, vec<const T> lhs, vec<const T> rhs);
template <typename T> void larger_of(queue& q, vec<T> to, vec<const T> lhs, vec<const T> rhs);
template <typename T> void smaller_of(queue& q, vec<T> to, vec<const T> lhs, vec<const T> rhs);
template <typename T> void choose(queue& q, vec<T> to, vec<const bool> which, vec<const T> yes, vec<const T> no);
/// to = lhs * rhs + addend, one rounding
template <typename T> void fused_multiply_add(queue& q, vec<T> to, vec<const T> lhs, vec<const T> rhs, vec<const T> addend);

// ---- reductions ---------------------------------------------------------

template <typename T> void fold_add(queue& q, view<T, 1> to, view<const T, 2> from, int along);
template <typename T> void fold_max(queue& q, view<T, 1> to, view<const T, 2> from, int along);
template <typename T> void fold_min(queue& q, view<T, 1> to, view<const T, 2> from, int along);
template <typename T> void arg_fold_max(queue& q, view<std::int32_t, 1> to, view<const T, 2> from, int along);
template <typename T> void running_sum(queue& q, vec<T> to, vec<const T> from);
template <typename T> void histogram(queue& q, vec<std::uint32_t> bins, vec<const T> from, T lowest, T highest);

// ---- matrices -------------------------------------------------------------

/// to = lhs x rhs
template <typename T, typename Acc = float>
void multiply(queue& q, mat<T> to, mat<const T> lhs, mat<const T> rhs);
/// to = a * lhs x rhs + b * to
template <typename T, typename Acc = float>
void multiply_accumulate(queue& q, T a, mat<const T> lhs, mat<const T> rhs, T b, mat<T> to);
template <typename T>
void multiply_int8(queue& q, mat<std::int32_t> to, mat<const std::int8_t> lhs, mat<const std::int8_t> rhs, vec<const T> row_scale, vec<const T> col_scale);
template <typename T> void flip_axes(queue& q, mat<T> to, mat<const T> from);
template <typename T> void softmax_rows(queue& q, mat<T> to, mat<const T> from);
template <typename T>
void normalize_rows(queue& q, mat<T> to, mat<const T> from, vec<const T> gain, std::optional<vec<const T>> shift, float eps);
template <typename T> void rms_rows(queue& q, mat<T> to, mat<const T> from, vec<const T> gain, float eps);
template <typename T> void pick_rows(queue& q, mat<T> to, mat<const T> table, vec<const std::int32_t> which);
template <typename T>
void rotary_embed(queue& q, view<T, 3> heads, vec<const std::int32_t> position, float base);

// ---- images -----------------------------------------------------------------

template <typename T>
void correlate2d(queue& q, img<T> to, img<const T> from, img<const T> taps, std::optional<vec<const T>> offset, const window2d& win, int groups = 1);
template <typename T> void pool_largest(queue& q, img<T> to, img<const T> from, const window2d& win);
template <typename T> void pool_average(queue& q, img<T> to, img<const T> from, const window2d& win);
template <typename T> void resample(queue& q, interp how, img<T> to, img<const T> from);
void nv12_to_rgb(queue& q, img<std::uint8_t> to, view<const std::uint8_t, 2> luma, view<const std::uint8_t, 2> chroma);

}  // namespace kernels
}  // namespace tessera
