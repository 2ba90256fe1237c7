// Copyright (C) 2023-2025 Tricore Analytics GmbH
// SPDX-License-Identifier: BSD-3-Clause
//
// Free functions over tca::Tensor. Functions return a new tensor and throw tca::Exception. Binary functions
// broadcast. Work is put on the given queue, or on WorkQueue::standard().

#pragma once

#include <array>
#include <optional>
#include <utility>

#include "tensor.hpp"

namespace tca {

using Queue = WorkQueue&;
#define TCA_DEFAULT_QUEUE WorkQueue::standard()

// --- creation ---------------------------------------------------------------------------------------------------

Tensor filled(const Extents& extents, double value, ElementType type, Queue queue = TCA_DEFAULT_QUEUE);
Tensor zeros(const Extents& extents, ElementType type, Queue queue = TCA_DEFAULT_QUEUE);
/// 0, step, 2 * step ... below stop
Tensor range(double start, double stop, double step, ElementType type, Queue queue = TCA_DEFAULT_QUEUE);
Tensor randomNormal(const Extents& extents, double mean, double stddev, std::uint64_t seed, Queue queue = TCA_DEFAULT_QUEUE);

// --- arithmetic -------------------------------------------------------------------------------------------------

Tensor add(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor add(const Tensor& lhs, double rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor subtract(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor subtract(const Tensor& lhs, double rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor multiply(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor multiply(const Tensor& lhs, double rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor divide(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
/// Result has the sign of the divisor, like Python's %.
Tensor modulo(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
/// C's fmod.
Tensor fmod(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor power(const Tensor& base, const Tensor& exponent, Queue queue = TCA_DEFAULT_QUEUE);
/// Elementwise; see maxAlong() for the reduction.
Tensor max(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor min(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
/// a * b + c in one pass
Tensor fma(const Tensor& a, const Tensor& b, const Tensor& c, Queue queue = TCA_DEFAULT_QUEUE);
/// start + weight * (end - start)
Tensor lerp(const Tensor& start, const Tensor& end, double weight, Queue queue = TCA_DEFAULT_QUEUE);

inline Tensor operator+(const Tensor& l, const Tensor& r) { return add(l, r); }
inline Tensor operator*(const Tensor& l, const Tensor& r) { return multiply(l, r); }

// --- comparison and logic ---------------------------------------------------------------------------------------

Tensor equal(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor notEqual(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor less(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor lessEqual(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor greater(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor greaterEqual(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor logicalAnd(const Tensor& lhs, const Tensor& rhs, Queue queue = TCA_DEFAULT_QUEUE);
Tensor logicalNot(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor select(const Tensor& condition, const Tensor& whenTrue, const Tensor& whenFalse, Queue queue = TCA_DEFAULT_QUEUE);
/// Whether the tensors are the same within a tolerance. Synchronises.
bool allClose(const Tensor& lhs, const Tensor& rhs, double rtol = 1e-5, double atol = 1e-8);

// --- math -------------------------------------------------------------------------------------------------------

Tensor abs(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor negate(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor exp(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor expm1(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor log(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor log2(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor squareRoot(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor inverseSquareRoot(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor reciprocal(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor sin(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor cos(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor floor(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor truncate(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
/// -1, 0 or 1
Tensor signum(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor clamp(const Tensor& x, std::optional<double> low, std::optional<double> high, Queue queue = TCA_DEFAULT_QUEUE);
Tensor convert(const Tensor& x, ElementType to, Queue queue = TCA_DEFAULT_QUEUE);

// --- reductions -------------------------------------------------------------------------------------------------

/// An empty list of axes reduces everything.
Tensor sum(const Tensor& x, const std::vector<int>& axes = {}, bool keepAxes = false, Queue queue = TCA_DEFAULT_QUEUE);
Tensor average(const Tensor& x, const std::vector<int>& axes = {}, bool keepAxes = false, Queue queue = TCA_DEFAULT_QUEUE);
Tensor product(const Tensor& x, int axis, bool keepAxes = false, Queue queue = TCA_DEFAULT_QUEUE);
Tensor maxAlong(const Tensor& x, const std::vector<int>& axes, bool keepAxes = false, Queue queue = TCA_DEFAULT_QUEUE);
Tensor minAlong(const Tensor& x, const std::vector<int>& axes, bool keepAxes = false, Queue queue = TCA_DEFAULT_QUEUE);
Tensor indexOfMax(const Tensor& x, int axis, bool keepAxes = false, Queue queue = TCA_DEFAULT_QUEUE);
Tensor anyTrue(const Tensor& x, const std::vector<int>& axes, bool keepAxes = false, Queue queue = TCA_DEFAULT_QUEUE);
/// Square root of the sum of squares
Tensor norm2(const Tensor& x, const std::vector<int>& axes = {}, bool keepAxes = false, Queue queue = TCA_DEFAULT_QUEUE);
Tensor cumulativeSum(const Tensor& x, int axis, Queue queue = TCA_DEFAULT_QUEUE);
/// values and indices
std::pair<Tensor, Tensor> largest(const Tensor& x, std::int64_t count, int axis = -1, Queue queue = TCA_DEFAULT_QUEUE);
std::pair<Tensor, Tensor> sort(const Tensor& x, int axis = -1, bool descending = false, Queue queue = TCA_DEFAULT_QUEUE);

// --- shape ------------------------------------------------------------------------------------------------------

/// Swaps two axes (copies).
Tensor transpose(const Tensor& x, int axis0, int axis1, Queue queue = TCA_DEFAULT_QUEUE);
Tensor permute(const Tensor& x, const std::vector<int>& order, Queue queue = TCA_DEFAULT_QUEUE);
Tensor concatenate(const std::vector<Tensor>& parts, int axis, Queue queue = TCA_DEFAULT_QUEUE);
/// Joins along a new axis.
Tensor stack(const std::vector<Tensor>& parts, int axis = 0, Queue queue = TCA_DEFAULT_QUEUE);
Tensor takeRows(const Tensor& table, const Tensor& rows, Queue queue = TCA_DEFAULT_QUEUE);
Tensor takeAlong(const Tensor& x, const Tensor& positions, int axis, Queue queue = TCA_DEFAULT_QUEUE);
Tensor lowerTriangle(const Tensor& x, int diagonal = 0, Queue queue = TCA_DEFAULT_QUEUE);
Tensor reshape(const Tensor& x, const Extents& extents);
Tensor clone(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);

// --- linear algebra ---------------------------------------------------------------------------------------------

/// Matrix product; leading axes are batches and broadcast.
Tensor matmul(const Tensor& a, const Tensor& b, Queue queue = TCA_DEFAULT_QUEUE);
Tensor dot(const Tensor& a, const Tensor& b, Queue queue = TCA_DEFAULT_QUEUE);
Tensor outerProduct(const Tensor& a, const Tensor& b, Queue queue = TCA_DEFAULT_QUEUE);
std::array<Tensor, 3> svd(const Tensor& x, bool full = false, Queue queue = TCA_DEFAULT_QUEUE);

namespace nn {

struct Conv2dOptions {
  std::array<int, 2> stride{1, 1};
  std::array<int, 2> padding{0, 0};
  std::array<int, 2> dilation{1, 1};
  int groups = 1;
};

struct Pool2dOptions {
  std::array<int, 2> window{2, 2};
  std::array<int, 2> stride{2, 2};
  std::array<int, 2> padding{0, 0};
};

Tensor relu(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor leakyRelu(const Tensor& x, double slope = 0.01, Queue queue = TCA_DEFAULT_QUEUE);
Tensor sigmoid(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor tanh(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor gelu(const Tensor& x, bool approximate = false, Queue queue = TCA_DEFAULT_QUEUE);
Tensor silu(const Tensor& x, Queue queue = TCA_DEFAULT_QUEUE);
Tensor softmax(const Tensor& x, int axis = -1, Queue queue = TCA_DEFAULT_QUEUE);
Tensor logSoftmax(const Tensor& x, int axis = -1, Queue queue = TCA_DEFAULT_QUEUE);
/// x * weight^T + bias
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor* bias = nullptr, Queue queue = TCA_DEFAULT_QUEUE);
/// linear() with a GELU behind
Tensor linearGelu(const Tensor& x, const Tensor& weight, const Tensor* bias = nullptr, Queue queue = TCA_DEFAULT_QUEUE);
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor* bias, const Conv2dOptions& options, Queue queue = TCA_DEFAULT_QUEUE);
Tensor maxPool2d(const Tensor& x, const Pool2dOptions& options, Queue queue = TCA_DEFAULT_QUEUE);
Tensor averagePool2d(const Tensor& x, const Pool2dOptions& options, Queue queue = TCA_DEFAULT_QUEUE);
Tensor layerNorm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-5, Queue queue = TCA_DEFAULT_QUEUE);
Tensor rmsNorm(const Tensor& x, const Tensor& weight, double epsilon = 1e-6, Queue queue = TCA_DEFAULT_QUEUE);
Tensor groupNorm(const Tensor& x, int groups, const Tensor& weight, const Tensor& bias, double epsilon = 1e-5, Queue queue = TCA_DEFAULT_QUEUE);
Tensor batchNorm(const Tensor& x, const Tensor& mean, const Tensor& variance, const Tensor& weight, const Tensor& bias,
                 double epsilon = 1e-5, Queue queue = TCA_DEFAULT_QUEUE);
Tensor embedding(const Tensor& table, const Tensor& ids, Queue queue = TCA_DEFAULT_QUEUE);
Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor* mask, double scale, bool causal,
                 Queue queue = TCA_DEFAULT_QUEUE);
Tensor dropout(const Tensor& x, double probability, std::uint64_t seed, Queue queue = TCA_DEFAULT_QUEUE);

}  // namespace nn
}  // namespace tca
