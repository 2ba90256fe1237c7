// The router tests' chip: kernels of every layout and attribute kind that refuse what the ABI promises never to pass.
//
// Each kernel checks its call (contiguity where it is not strided, shapes, dtypes of all tensors) and fails the
// test with INTERNAL if the router broke a promise, so that a wrong packing cannot pass as a right number.
#include <algorithm>
#include <cmath>
#include <vector>

#include "rt_chip.h"

RT_API int rt_launch() { return 0; }

namespace {

using torchfl::fail;
using torchfl::guard;
using torchfl::number;
using half = _Float16;

tfl_symbol symbols[] = {
    {sizeof(tfl_symbol), 0, "rt_launch", nullptr, 0},
    {sizeof(tfl_symbol), 0, "rt_absent", nullptr, 0},
};
const torchfl::Symbol<decltype(&rt_launch)> launch(&symbols[0], 0);
const torchfl::Symbol<decltype(&rt_launch)> absent(&symbols[1], 0);
thread_local int32_t current = 0;

bool contiguous(const tfl_tensor& t) {
  int64_t step = 1;
  for (int i = t.rank - 1; i >= 0; --i) {
    if (t.sizes[i] != 1 && t.strides[i] != step) return false;
    step *= t.sizes[i];
  }
  return true;
}

bool same_sizes(const tfl_tensor& a, const tfl_tensor& b) {
  return a.rank == b.rank && std::memcmp(a.sizes, b.sizes, sizeof(int64_t) * static_cast<size_t>(a.rank)) == 0;
}

// What holds for every call; the kernels add what they need.
tfl_status check(const tfl_call* call) {
  if (call->device != current) return fail(TFL_INTERNAL, "the device is not current");
  const tfl_tensor& out = call->outputs[0];
  if (out.numel == 0 || out.handle == nullptr) return fail(TFL_INTERNAL, "an output without elements");
  for (uint32_t i = 0; i < call->num_inputs; ++i) {
    const tfl_tensor& in = call->inputs[i];
    if (in.rank < 0) continue;
    if (in.dtype != out.dtype || in.device != call->device || in.handle == nullptr)
      return fail(TFL_INTERNAL, "an input of another dtype or device");
  }
  return TFL_OK;
}

tfl_status check_dense(const tfl_call* call, bool same_shape) {
  if (const tfl_status status = check(call)) return status;
  if (!contiguous(call->outputs[0])) return fail(TFL_INTERNAL, "the output is not contiguous");
  for (uint32_t i = 0; i < call->num_inputs; ++i) {
    if (call->inputs[i].rank < 0) continue;
    if (!contiguous(call->inputs[i])) return fail(TFL_INTERNAL, "an input is not contiguous");
    if (same_shape && !same_sizes(call->inputs[i], call->outputs[0])) return fail(TFL_INTERNAL, "another shape");
  }
  return TFL_OK;
}

// Calls body(T{}) with the element type of `dtype`; UNSUPPORTED for one that the chip has not.
template <class Body>
tfl_status typed(tfl_dtype dtype, Body body) {
  switch (dtype) {
    case TFL_F32: body(float{}); return TFL_OK;
    case TFL_F16: body(half{}); return TFL_OK;
    case TFL_I8: body(int8_t{}); return TFL_OK;
    case TFL_I32: body(int32_t{}); return TFL_OK;
    default: return TFL_UNSUPPORTED;
  }
}

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, half>, float, T>;

// One element after another; `f` gets and gives the wide type.
template <class F>
tfl_status unary(const tfl_call* call, F f) {
  return guard([&]() -> tfl_status {
    if (const tfl_status status = check_dense(call, true)) return status;
    launch();
    const tfl_tensor &in = call->inputs[0], &out = call->outputs[0];
    return typed(out.dtype, [&](auto tag) {
      using T = decltype(tag);
      const T* x = rt::at<T>(in);
      T* y = rt::at<T>(out);
      for (int64_t i = 0; i < out.numel; ++i) y[i] = static_cast<T>(f(static_cast<Wide<T>>(x[i])));
    });
  });
}

template <class F>
tfl_status binary(const tfl_call* call, F f) {
  return guard([&]() -> tfl_status {
    if (const tfl_status status = check_dense(call, true)) return status;
    launch();
    const tfl_tensor& out = call->outputs[0];
    return typed(out.dtype, [&](auto tag) {
      using T = decltype(tag);
      const T *a = rt::at<T>(call->inputs[0]), *b = rt::at<T>(call->inputs[1]);
      T* y = rt::at<T>(out);
      for (int64_t i = 0; i < out.numel; ++i)
        y[i] = static_cast<T>(f(static_cast<Wide<T>>(a[i]), static_cast<Wide<T>>(b[i])));
    });
  });
}

// Any strides, or size-1 dimensions against the output's; `index` turns a position into an element offset.
template <class F>
tfl_status walk(const tfl_call* call, F f) {
  const tfl_tensor& out = call->outputs[0];
  const auto offset = [&](const tfl_tensor& t, int64_t flat) {
    int64_t at = 0;
    for (int i = out.rank - 1; i >= 0; --i) {
      const int64_t position = flat % out.sizes[i];
      flat /= out.sizes[i];
      const int own = i - (out.rank - t.rank);
      if (own >= 0 && t.sizes[own] != 1) at += position * t.strides[own];
    }
    return at;
  };
  return typed(out.dtype, [&](auto tag) {
    using T = decltype(tag);
    const T *a = rt::at<T>(call->inputs[0]), *b = rt::at<T>(call->inputs[1]);
    T* y = rt::at<T>(out);
    for (int64_t i = 0; i < out.numel; ++i)
      y[offset(out, i)] = static_cast<T>(
          f(static_cast<Wide<T>>(a[offset(call->inputs[0], i)]), static_cast<Wide<T>>(b[offset(call->inputs[1], i)])));
  });
}

tfl_status add(const tfl_call* call) {
  const double alpha = number(call->attrs[0], 1);
  return binary(call, [alpha](auto a, auto b) { return a + static_cast<decltype(b)>(alpha) * b; });
}

tfl_status sub(const tfl_call* call) {  // strided
  return guard([&]() -> tfl_status {
    if (const tfl_status status = check(call)) return status;
    for (uint32_t i = 0; i < 2; ++i)
      if (!same_sizes(call->inputs[i], call->outputs[0])) return fail(TFL_INTERNAL, "another shape");
    launch();
    const double alpha = number(call->attrs[0], 1);
    return walk(call, [alpha](auto a, auto b) { return a - static_cast<decltype(b)>(alpha) * b; });
  });
}

tfl_status mul(const tfl_call* call) {  // broadcasting
  return guard([&]() -> tfl_status {
    if (const tfl_status status = check_dense(call, false)) return status;
    launch();
    return walk(call, [](auto a, auto b) { return a * b; });
  });
}

tfl_status maximum(const tfl_call* call) {
  return binary(call, [](auto a, auto b) { return a != a || b != b ? a + b : (a > b ? a : b); });
}

tfl_status divide(const tfl_call* call) {
  return binary(call, [](auto a, auto b) { return a / b; });
}

tfl_status relu(const tfl_call* call) {
  return unary(call, [](auto x) { return x > 0 || x != x ? x : decltype(x)(0); });
}

tfl_status neg(const tfl_call* call) {
  return unary(call, [](auto x) { return -x; });
}

tfl_status leaky_relu(const tfl_call* call) {
  const double slope = number(call->attrs[0], 0.01);
  return unary(call, [slope](auto x) { return x > 0 ? x : static_cast<decltype(x)>(slope * static_cast<double>(x)); });
}

tfl_status exponential(const tfl_call* call) {  // declines more than 8 elements
  if (call->outputs[0].numel > 8) return TFL_UNSUPPORTED;
  return unary(call, [](auto x) { return std::exp(static_cast<double>(x)); });
}

tfl_status logarithm(const tfl_call*) {
  return guard([&] { return tfl_status{absent() == 0 ? TFL_OK : TFL_DEVICE_ERROR}; });
}

tfl_status root(const tfl_call* call) {  // fails on demand, by size
  if (call->outputs[0].numel == 13) return fail(TFL_OUT_OF_MEMORY, "no workspace");
  if (call->outputs[0].numel == 7) return fail(TFL_DEVICE_ERROR, "the fan stopped");
  return unary(call, [](auto x) { return std::sqrt(static_cast<double>(x)); });
}

tfl_status softmax(const tfl_call* call) {
  return guard([&]() -> tfl_status {
    if (const tfl_status status = check_dense(call, true)) return status;
    const tfl_tensor &in = call->inputs[0], &out = call->outputs[0];
    const int64_t dim = torchfl::integer(call->attrs[0], -1);
    if (out.dtype != TFL_F32 || in.rank == 0 || (dim != -1 && dim != in.rank - 1) || call->attrs[1].i != 0)
      return TFL_UNSUPPORTED;
    launch();
    const int64_t columns = in.sizes[in.rank - 1];
    const float* x = rt::at<float>(in);
    float* y = rt::at<float>(out);
    for (int64_t row = 0; row < in.numel / columns; ++row, x += columns, y += columns) {
      double sum = 0, top = x[0];
      for (int64_t i = 1; i < columns; ++i) top = std::max<double>(top, x[i]);
      for (int64_t i = 0; i < columns; ++i) sum += std::exp(x[i] - top);
      for (int64_t i = 0; i < columns; ++i) y[i] = static_cast<float>(std::exp(x[i] - top) / sum);
    }
    return TFL_OK;
  });
}

// C[m x n] = alpha * A B + beta * C for one pair of matrices, each given by two strides.
template <class T>
void product(const T* a, const int64_t* sa, const T* b, const int64_t* sb, const T* c, T* out, int64_t m, int64_t n,
             int64_t k, double alpha, double beta) {
  std::vector<T> result(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += static_cast<double>(a[i * sa[0] + p * sa[1]]) * static_cast<double>(b[p * sb[0] + j * sb[1]]);
      const double old = beta == 0 ? 0 : beta * static_cast<double>(c[i * n + j]);
      result[static_cast<size_t>(i * n + j)] = static_cast<T>(alpha * sum + old);
    }
  std::memcpy(out, result.data(), result.size() * sizeof(T));
}

tfl_status matrices(const tfl_call* call, int left, const tfl_tensor* self, double alpha, double beta) {
  return guard([&]() -> tfl_status {
    if (const tfl_status status = check(call)) return status;
    const tfl_tensor &a = call->inputs[left], &b = call->inputs[left + 1], &out = call->outputs[0];
    torchfl::Matrix layout;
    if (!torchfl::as_matrix(a, &layout) || !torchfl::as_matrix(b, &layout)) return fail(TFL_INTERNAL, "not matrices");
    if (!contiguous(out)) return fail(TFL_INTERNAL, "the output is not contiguous");
    if (self != nullptr && (!contiguous(*self) || !same_sizes(*self, out))) return fail(TFL_INTERNAL, "self");
    launch();
    return typed(out.dtype, [&](auto tag) {
      using T = decltype(tag);
      product(rt::at<T>(a), a.strides, rt::at<T>(b), b.strides, self != nullptr ? rt::at<T>(*self) : nullptr,
              rt::at<T>(out), a.sizes[0], b.sizes[1], a.sizes[1], alpha, beta);
    });
  });
}

tfl_status mm(const tfl_call* call) { return matrices(call, 0, nullptr, 1, 0); }

tfl_status addmm(const tfl_call* call) {
  return matrices(call, 1, &call->inputs[0], number(call->attrs[1], 1), number(call->attrs[0], 1));
}

tfl_status bmm(const tfl_call* call) {
  return guard([&]() -> tfl_status {
    if (const tfl_status status = check_dense(call, false)) return status;
    launch();
    const tfl_tensor &a = call->inputs[0], &b = call->inputs[1], &out = call->outputs[0];
    const int64_t m = a.sizes[1], k = a.sizes[2], n = b.sizes[2];
    return typed(out.dtype, [&](auto tag) {
      using T = decltype(tag);
      for (int64_t i = 0; i < a.sizes[0]; ++i)
        product<T>(rt::at<T>(a) + i * m * k, a.strides + 1, rt::at<T>(b) + i * k * n, b.strides + 1, nullptr,
                   rt::at<T>(out) + i * m * n, m, n, k, 1, 0);
    });
  });
}

tfl_status vector_product(const tfl_call* call) {  // mv and dot
  return guard([&]() -> tfl_status {
    if (const tfl_status status = check_dense(call, false)) return status;
    launch();
    const tfl_tensor &a = call->inputs[0], &out = call->outputs[0];
    const int64_t k = a.sizes[a.rank - 1], rows = a.rank == 2 ? a.sizes[0] : 1;
    return typed(out.dtype, [&](auto tag) {
      using T = decltype(tag);
      const int64_t row[] = {k, 1}, column[] = {1, 1};
      product<T>(rt::at<T>(a), row, rt::at<T>(call->inputs[1]), column, nullptr, rt::at<T>(out), rows, 1, k, 1, 0);
    });
  });
}

// N, C, H, W; attributes: stride, padding, dilation, transposed, output_padding, groups.
tfl_status conv2d(const tfl_call* call) {
  return guard([&]() -> tfl_status {
    if (const tfl_status status = check_dense(call, false)) return status;
    const tfl_tensor &in = call->inputs[0], &weight = call->inputs[1], &bias = call->inputs[2], &out = call->outputs[0];
    if (in.rank != 4 || call->attrs[3].i != 0 || call->attrs[0].count != 2) return fail(TFL_INTERNAL, "not a 2-D conv");
    launch();
    const tfl_attr* a = call->attrs;
    const int64_t groups = a[5].i, per_group = weight.sizes[0] / groups;
    return typed(out.dtype, [&](auto tag) {
      using T = decltype(tag);
      const T *x = rt::at<T>(in), *w = rt::at<T>(weight), *b = torchfl::present(bias) ? rt::at<T>(bias) : nullptr;
      T* y = rt::at<T>(out);
      for (int64_t n = 0; n < out.sizes[0]; ++n)
        for (int64_t o = 0; o < out.sizes[1]; ++o)
          for (int64_t i = 0; i < out.sizes[2]; ++i)
            for (int64_t j = 0; j < out.sizes[3]; ++j) {
              double sum = b != nullptr ? static_cast<double>(b[o]) : 0;
              for (int64_t c = 0; c < weight.sizes[1]; ++c)
                for (int64_t p = 0; p < weight.sizes[2]; ++p)
                  for (int64_t q = 0; q < weight.sizes[3]; ++q) {
                    const int64_t r = i * torchfl::at(a[0], 0, 1) - torchfl::at(a[1], 0, 0) + p * torchfl::at(a[2], 0, 1);
                    const int64_t s = j * torchfl::at(a[0], 1, 1) - torchfl::at(a[1], 1, 0) + q * torchfl::at(a[2], 1, 1);
                    if (r < 0 || s < 0 || r >= in.sizes[2] || s >= in.sizes[3]) continue;
                    const int64_t channel = (o / per_group) * weight.sizes[1] + c;
                    sum += static_cast<double>(x[((n * in.sizes[1] + channel) * in.sizes[2] + r) * in.sizes[3] + s]) *
                           static_cast<double>(w[((o * weight.sizes[1] + c) * weight.sizes[2] + p) * weight.sizes[3] + q]);
                  }
              *y++ = static_cast<T>(sum);
            }
    });
  });
}

// Values without their places: float32, over dimension `dim`.
tfl_status max_values(const tfl_call* call) {
  return guard([&]() -> tfl_status {
    launch();
    if (call->num_outputs != 1) return fail(TFL_INTERNAL, "a result that the kernel does not give");
    const tfl_tensor& in = call->inputs[0];
    const int64_t at = call->attrs[0].i < 0 ? call->attrs[0].i + in.rank : call->attrs[0].i;
    int64_t outer = 1, inner = 1;
    for (int32_t d = 0; d < in.rank; ++d)
      if (d != at) (d < at ? outer : inner) *= in.sizes[d];
    const float* x = rt::at<float>(in);
    float* y = rt::at<float>(call->outputs[0]);
    for (int64_t i = 0; i < outer * inner; ++i) {
      const float* lane = x + i / inner * in.sizes[at] * inner + i % inner;
      y[i] = *lane;
      for (int64_t k = 1; k < in.sizes[at]; ++k) y[i] = std::max(y[i], lane[k * inner]);
    }
    return TFL_OK;
  });
}

const uint32_t launch_symbol[] = {0}, absent_symbol[] = {1};
#define RT_KERNEL(name, op, flags, run) {sizeof(tfl_kernel), flags, name, op, run, launch_symbol, 1}
const tfl_kernel kernels[] = {
    RT_KERNEL("rt_add", "aten::add", TFL_KERNEL_INPLACE, &add),
    RT_KERNEL("rt_sub", "aten::sub", TFL_KERNEL_INPLACE | TFL_KERNEL_STRIDED, &sub),
    RT_KERNEL("rt_mul", "aten::mul", TFL_KERNEL_BROADCAST, &mul),
    RT_KERNEL("rt_maximum", "aten::maximum", 0, &maximum),
    RT_KERNEL("rt_div", "aten::div", TFL_KERNEL_INPLACE, &divide),
    RT_KERNEL("rt_relu", "aten::relu", TFL_KERNEL_INPLACE, &relu),
    RT_KERNEL("rt_neg", "aten::neg", 0, &neg),
    RT_KERNEL("rt_leaky_relu", "aten::leaky_relu", TFL_KERNEL_INPLACE, &leaky_relu),
    RT_KERNEL("rt_exp", "aten::exp", TFL_KERNEL_INPLACE, &exponential),
    {sizeof(tfl_kernel), 0, "rt_log", "aten::log", &logarithm, absent_symbol, 1},
    RT_KERNEL("rt_sqrt", "aten::sqrt", 0, &root),
    RT_KERNEL("rt_softmax", "aten::softmax", 0, &softmax),
    RT_KERNEL("rt_mm", "aten::mm", TFL_KERNEL_MATRIX, &mm),
    RT_KERNEL("rt_addmm", "aten::addmm", TFL_KERNEL_MATRIX | TFL_KERNEL_INPLACE, &addmm),
    RT_KERNEL("rt_bmm", "aten::bmm", 0, &bmm),
    RT_KERNEL("rt_mv", "aten::mv", 0, &vector_product),
    RT_KERNEL("rt_dot", "aten::dot", 0, &vector_product),
    RT_KERNEL("rt_conv2d", "aten::conv2d", 0, &conv2d),
    RT_KERNEL("rt_max_values", "aten::max.dim", TFL_KERNEL_FIRST_OUTPUT, &max_values),
};

tfl_device_api make_api() {
  tfl_device_api api = rt::device_api<symbols, 2>();
  api.set_device = [](int32_t device) {
    current = device;
    return tfl_status{TFL_OK};
  };
  return api;
}

}  // namespace

RT_API const tfl_chip* torchfl_chip_v1() {
  static const tfl_device_api api = make_api();
  static const tfl_chip chip = rt::chip("rt", api, kernels, symbols);
  return &chip;
}
