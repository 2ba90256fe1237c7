// The adapters' chip: vendor functions that take one form of tensor only, as NPUs do. Images lie NHWC and have channels
// in multiples of 4, matrices have sizes in multiples of 8, vectors in multiples of 16, some must begin at a multiple of
// 64 bytes, and 8-bit values are unsigned with the zero point 128.
//
// The vendor's functions refuse (1) what they cannot take, and the kernels fail the test with INTERNAL if a tensor is
// not laid out as promised, so that a wrong packing cannot pass as a right number. AD_WRONG makes a chip of it that is
// wrong where an adapter relies on it (`wrong()`).
#include <algorithm>
#include <cmath>

#include "ad_order.h"
#include "torchfl/extents.hpp"

struct ad_window {
  int64_t n, h, w, c, oh, ow, oc, kh, kw, stride[2], padding[2];
};

// ---- the vendor's library

namespace {
template <class In, class Out, class Load, class Store>
int convolve(const In* x, const In* weight, const In* bias, Out* y, const ad_window& d, Load load, Store store) {
  if (d.c % 4 != 0 || d.oc % 4 != 0) return 1;
  for (int64_t n = 0; n < d.n; ++n)
    for (int64_t i = 0; i < d.oh; ++i)
      for (int64_t j = 0; j < d.ow; ++j)
        for (int64_t o = 0; o < d.oc; ++o) {
          double sum = bias != nullptr ? load(bias[o]) : 0;
          for (int64_t p = 0; p < d.kh; ++p)
            for (int64_t q = 0; q < d.kw; ++q) {
              const int64_t r = i * d.stride[0] - d.padding[0] + p, s = j * d.stride[1] - d.padding[1] + q;
              if (r < 0 || s < 0 || r >= d.h || s >= d.w) {
                for (int64_t c = 0; wrong("byte_zero_around") && c < d.c; ++c)
                  sum += load(0) * load(weight[((o * d.kh + p) * d.kw + q) * d.c + c]);
                continue;
              }
              for (int64_t c = 0; c < d.c; ++c)
                sum += load(x[((n * d.h + r) * d.w + s) * d.c + c]) * load(weight[((o * d.kh + p) * d.kw + q) * d.c + c]);
            }
          const int64_t first = ((n * d.oc + o) * d.oh + i) * d.ow + j, last = ((n * d.oh + i) * d.ow + j) * d.oc + o;
          y[wrong("gives_nchw") ? first : last] = store(sum);
        }
  return 0;
}

double value_of(uint8_t q) { return static_cast<double>(q) - 128; }
uint8_t saturated(double value) {
  if (wrong("wraps")) return static_cast<uint8_t>(static_cast<int64_t>(value) + 128);
  return static_cast<uint8_t>(std::clamp(value, -128.0, 127.0) + 128);
}
}  // namespace

RT_API int ad_conv_f32(const float* x, const float* weight, const float* bias, float* y, const ad_window* d) {
  return convolve(x, weight, bias, y, *d, [](float v) { return static_cast<double>(v); },
                  [](double v) { return static_cast<float>(v); });
}

RT_API int ad_conv_u8(const uint8_t* x, const uint8_t* weight, const uint8_t* bias, uint8_t* y, const ad_window* d) {
  return convolve(x, weight, bias, y, *d, value_of, saturated);
}

RT_API int ad_avg_pool_f32(const float* x, float* y, const ad_window* d) {
  for (int64_t n = 0; n < d->n; ++n)
    for (int64_t i = 0; i < d->oh; ++i)
      for (int64_t j = 0; j < d->ow; ++j)
        for (int64_t c = 0; c < d->c; ++c) {
          double sum = 0;
          for (int64_t p = 0; p < d->kh; ++p)
            for (int64_t q = 0; q < d->kw; ++q) {
              const int64_t r = i * d->stride[0] - d->padding[0] + p, s = j * d->stride[1] - d->padding[1] + q;
              if (r >= 0 && s >= 0 && r < d->h && s < d->w) sum += x[((n * d->h + r) * d->w + s) * d->c + c];
            }
          *y++ = static_cast<float>(sum / static_cast<double>(d->kh * d->kw));
        }
  return 0;
}

RT_API int ad_gemm_f32(const float* a, const float* b, const float* old, float* out, int64_t m, int64_t n, int64_t k,
                       double alpha, double beta) {
  if (m % 8 != 0 || n % 8 != 0 || k % 8 != 0) return 1;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < (wrong("one_block") ? 8 : k); ++p) sum += static_cast<double>(a[i * k + p]) * static_cast<double>(b[p * n + j]);
      const double add = old != nullptr && beta != 0 ? beta * static_cast<double>(old[i * n + j]) : 0;
      out[i * n + j] = static_cast<float>(alpha * sum + add);
    }
  return 0;
}

RT_API int ad_add_f32(const float* a, const float* b, float* y, int64_t n) {
  if (n % 16 != 0) return 1;
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] + b[wrong("one_block") ? i % 16 : i];
  return 0;
}

RT_API int ad_mul_u8(const uint8_t* a, const uint8_t* b, uint8_t* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = saturated(value_of(a[i]) * value_of(b[i]));
  return 0;
}

RT_API int ad_relu_f32(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 || x[i] != x[i] ? x[i] : 0;
  return 0;
}

RT_API int ad_abs_f32(const float* x, float* y, int64_t n) {
  if (wrong("rounds_down")) {
    x = reinterpret_cast<const float*>(reinterpret_cast<uintptr_t>(x) & ~uintptr_t{63});
    y = reinterpret_cast<float*>(reinterpret_cast<uintptr_t>(y) & ~uintptr_t{63});
  }
  if (reinterpret_cast<uintptr_t>(x) % 64 != 0 || reinterpret_cast<uintptr_t>(y) % 64 != 0) return 1;
  for (int64_t i = 0; i < n; ++i) y[i] = std::fabs(x[i]);
  return 0;
}

RT_API int ad_relu_u8(const uint8_t* x, uint8_t* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = std::max<uint8_t>(x[i], wrong("zero_is_zero") ? 0 : 128);
  return 0;
}

// Of the tests: how much memory the device has.
RT_API void ad_set_memory_limit(uint64_t bytes) { rt::limit = bytes; }

// ---- the chip library

namespace {

using torchfl::fail;
using torchfl::guard;
using torchfl::number;

enum { kConvF32, kConvU8, kPool, kGemm, kAdd, kMulU8, kReluF32, kReluU8, kAbs,
       kPermute, kPlace, kSoftmax, kMax, kSymbols };
tfl_symbol symbols[kSymbols] = {
    {sizeof(tfl_symbol), 0, "ad_conv_f32", nullptr, 0}, {sizeof(tfl_symbol), 0, "ad_conv_u8", nullptr, 0},
    {sizeof(tfl_symbol), 0, "ad_avg_pool_f32", nullptr, 0}, {sizeof(tfl_symbol), 0, "ad_gemm_f32", nullptr, 0},
    {sizeof(tfl_symbol), 0, "ad_add_f32", nullptr, 0},  {sizeof(tfl_symbol), 0, "ad_mul_u8", nullptr, 0},
    {sizeof(tfl_symbol), 0, "ad_relu_f32", nullptr, 0}, {sizeof(tfl_symbol), 0, "ad_relu_u8", nullptr, 0},
    {sizeof(tfl_symbol), 0, "ad_abs_f32", nullptr, 0},  {sizeof(tfl_symbol), 0, "ad_permute_f32", nullptr, 0},
    {sizeof(tfl_symbol), 0, "ad_place_f32", nullptr, 0}, {sizeof(tfl_symbol), 0, "ad_softmax_f32", nullptr, 0},
    {sizeof(tfl_symbol), 0, "ad_max_f32", nullptr, 0},
};
const torchfl::Symbol<decltype(&ad_conv_f32)> conv_f32(&symbols[kConvF32], 0);
const torchfl::Symbol<decltype(&ad_conv_u8)> conv_u8(&symbols[kConvU8], 0);
const torchfl::Symbol<decltype(&ad_avg_pool_f32)> avg_pool_f32(&symbols[kPool], 0);
const torchfl::Symbol<decltype(&ad_gemm_f32)> gemm_f32(&symbols[kGemm], 0);
const torchfl::Symbol<decltype(&ad_add_f32)> add_f32(&symbols[kAdd], 0);
const torchfl::Symbol<decltype(&ad_mul_u8)> mul_u8(&symbols[kMulU8], 0);
const torchfl::Symbol<decltype(&ad_relu_f32)> relu_f32(&symbols[kReluF32], 0);
const torchfl::Symbol<decltype(&ad_relu_u8)> relu_u8(&symbols[kReluU8], 0);
const torchfl::Symbol<decltype(&ad_abs_f32)> abs_f32(&symbols[kAbs], 0);
const torchfl::Symbol<decltype(&ad_permute_f32)> permute_f32(&symbols[kPermute], 0);
const torchfl::Symbol<decltype(&ad_place_f32)> place_f32(&symbols[kPlace], 0);
const torchfl::Symbol<decltype(&ad_softmax_f32)> softmax_f32(&symbols[kSoftmax], 0);
const torchfl::Symbol<decltype(&ad_max_f32)> max_f32(&symbols[kMax], 0);

tfl_status done(int code) { return code == 0 ? TFL_OK : fail(TFL_INTERNAL, "the vendor's function refused the sizes"); }

// Whether the dimensions, taken in this order from the innermost, lie without gaps.
bool lies(const tfl_tensor& t, std::initializer_list<int> order) {
  int64_t step = 1;
  for (int dim : order) {
    if (t.sizes[dim] != 1 && t.strides[dim] != step) return false;
    step *= t.sizes[dim];
  }
  return true;
}

bool nhwc(const tfl_tensor& t) { return t.rank == 4 && lies(t, {1, 3, 2, 0}); }
bool nchw(const tfl_tensor& t) { return t.rank == 4 && lies(t, {3, 2, 1, 0}); }

bool dense(const tfl_tensor& t) {
  int64_t step = 1;
  for (int i = t.rank - 1; i >= 0; step *= t.sizes[i--])
    if (t.sizes[i] != 1 && t.strides[i] != step) return false;
  return true;
}

template <class T>
const T* optional(const tfl_tensor& t) {
  return torchfl::present(t) ? rt::at<T>(t) : nullptr;
}

ad_window window_of(const tfl_tensor& in, const tfl_tensor& out, const tfl_attr& stride, const tfl_attr& padding) {
  ad_window d{};
  d.n = in.sizes[0], d.c = in.sizes[1], d.h = in.sizes[2], d.w = in.sizes[3];
  d.oc = out.sizes[1], d.oh = out.sizes[2], d.ow = out.sizes[3];
  for (int i = 0; i < 2; ++i) d.stride[i] = torchfl::at(stride, i, 1), d.padding[i] = torchfl::at(padding, i, 0);
  return d;
}

tfl_status conv2d(const tfl_call* call) {
  return guard([&]() -> tfl_status {
    const tfl_tensor &in = call->inputs[0], &weight = call->inputs[1], &bias = call->inputs[2], &out = call->outputs[0];
    if (!nhwc(in) || !nhwc(weight) || !nhwc(out)) return fail(TFL_INTERNAL, "not NHWC");
    if (call->attrs[5].i != 1 || call->attrs[3].i != 0) return fail(TFL_INTERNAL, "groups or transposed");
    ad_window d = window_of(in, out, call->attrs[0], call->attrs[1]);
    d.kh = weight.sizes[2], d.kw = weight.sizes[3];
    if (in.dtype == TFL_F32)
      return done(conv_f32(rt::at<float>(in), rt::at<float>(weight), optional<float>(bias), rt::at<float>(out), &d));
    if (in.dtype != TFL_U8 || out.dtype != TFL_U8) return fail(TFL_INTERNAL, "a dtype that the chip has not");
    return done(conv_u8(rt::at<uint8_t>(in), rt::at<uint8_t>(weight), optional<uint8_t>(bias), rt::at<uint8_t>(out), &d));
  });
}

// Takes NHWC and NCHW: the vendor's function is told by the strides. It gives NHWC.
tfl_status avg_pool2d(const tfl_call* call) {
  return guard([&]() -> tfl_status {
    const tfl_tensor &in = call->inputs[0], &out = call->outputs[0];
    if ((!nhwc(in) && !nchw(in)) || !nhwc(out)) return fail(TFL_INTERNAL, "neither NHWC nor NCHW");
    ad_window d = window_of(in, out, call->attrs[1], call->attrs[2]);
    d.kh = torchfl::at(call->attrs[0], 0, 1), d.kw = torchfl::at(call->attrs[0], 1, 1);
    if (nhwc(in) || wrong("one_order")) return done(avg_pool_f32(rt::at<float>(in), rt::at<float>(out), &d));
    std::string order(static_cast<size_t>(in.numel) * sizeof(float), '\0');
    auto* x = reinterpret_cast<float*>(order.data());
    for (int64_t n = 0; n < d.n; ++n)
      for (int64_t c = 0; c < d.c; ++c)
        for (int64_t p = 0; p < d.h * d.w; ++p) x[(n * d.h * d.w + p) * d.c + c] = rt::at<float>(in)[(n * d.c + c) * d.h * d.w + p];
    return done(avg_pool_f32(x, rt::at<float>(out), &d));
  });
}

tfl_status product(const tfl_call* call, int left, const tfl_tensor* old, double alpha, double beta) {
  return guard([&]() -> tfl_status {
    const tfl_tensor &a = call->inputs[left], &b = call->inputs[left + 1], &out = call->outputs[0];
    if (!dense(a) || !dense(b) || !dense(out) || (old != nullptr && !dense(*old))) return fail(TFL_INTERNAL, "not dense");
    const int64_t batch = a.rank == 3 ? a.sizes[0] : 1, m = a.sizes[a.rank - 2], k = a.sizes[a.rank - 1];
    const int64_t n = b.sizes[b.rank - 1];
    if (out.sizes[out.rank - 2] != m || out.sizes[out.rank - 1] != n || b.sizes[b.rank - 2] != k)
      return fail(TFL_INTERNAL, "the sizes do not fit together");
    for (int64_t i = 0; i < batch; ++i)
      if (const tfl_status status =
              done(gemm_f32(rt::at<float>(a) + i * m * k, rt::at<float>(b) + i * k * n,
                            old != nullptr ? rt::at<float>(*old) : nullptr, rt::at<float>(out) + i * m * n, m, n, k, alpha, beta)))
        return status;
    return TFL_OK;
  });
}

tfl_status mm(const tfl_call* call) { return product(call, 0, nullptr, 1, 0); }
tfl_status addmm(const tfl_call* call) {
  return product(call, 1, &call->inputs[0], number(call->attrs[1], 1), number(call->attrs[0], 1));
}

tfl_status add(const tfl_call* call) {
  return guard([&]() -> tfl_status {
    const tfl_tensor &a = call->inputs[0], &b = call->inputs[1], &out = call->outputs[0];
    if (!dense(a) || !dense(b) || !dense(out) || a.numel != out.numel || b.numel != out.numel)
      return fail(TFL_INTERNAL, "not one row each");
    return done(add_f32(rt::at<float>(a), rt::at<float>(b), rt::at<float>(out), out.numel));
  });
}

tfl_status mul(const tfl_call* call) {
  return guard([&]() -> tfl_status {
    const tfl_tensor &a = call->inputs[0], &b = call->inputs[1], &out = call->outputs[0];
    if (a.dtype != TFL_U8 || b.dtype != TFL_U8 || out.dtype != TFL_U8 || a.numel != out.numel || b.numel != out.numel)
      return fail(TFL_INTERNAL, "not uint8");
    return done(mul_u8(rt::at<uint8_t>(a), rt::at<uint8_t>(b), rt::at<uint8_t>(out), out.numel));
  });
}

tfl_status relu(const tfl_call* call) {
  return guard([&]() -> tfl_status {
    const tfl_tensor &in = call->inputs[0], &out = call->outputs[0];
    if (in.dtype != out.dtype || in.numel != out.numel) return fail(TFL_INTERNAL, "another dtype or size");
    if (in.dtype == TFL_F32) return done(relu_f32(rt::at<float>(in), rt::at<float>(out), out.numel));
    if (in.dtype != TFL_U8) return fail(TFL_INTERNAL, "a dtype that the chip has not");
    return done(relu_u8(rt::at<uint8_t>(in), rt::at<uint8_t>(out), out.numel));
  });
}

tfl_status absolute(const tfl_call* call) {
  return guard([&]() -> tfl_status {
    const tfl_tensor &in = call->inputs[0], &out = call->outputs[0];
    if (!dense(in) || !dense(out) || in.numel != out.numel) return fail(TFL_INTERNAL, "not one row each");
    return done(abs_f32(rt::at<float>(in), rt::at<float>(out), out.numel));
  });
}

tfl_status permute(const tfl_call* call) {
  return guard([&]() -> tfl_status {
    const tfl_tensor &in = call->inputs[0], &out = call->outputs[0];
    if (!dense(in) || !dense(out)) return fail(TFL_INTERNAL, "not dense");
    int64_t order[3];
    if (in.rank > 3) return fail(TFL_INTERNAL, "more axes than the chip has");
    for (int i = 0; i < in.rank; ++i) {
      const int64_t axis = torchfl::at(call->attrs[0], i, i);
      order[i] = axis < 0 ? axis + in.rank : axis;
    }
    return done(permute_f32(rt::at<float>(in), rt::at<float>(out), in.sizes, order, in.rank));
  });
}

tfl_status cat(const tfl_call* call) {
  return guard([&]() -> tfl_status {
    const tfl_tensor& out = call->outputs[0];
    torchfl::Along all;
    if (!dense(out) || !torchfl::along(out.rank, out.sizes, call->attrs[0], &all)) return fail(TFL_INTERNAL, "not dense");
    int64_t begin = 0;
    for (uint32_t i = 0; i < call->num_inputs; ++i) {
      if (!dense(call->inputs[i])) return fail(TFL_INTERNAL, "not dense");
      const int64_t count = call->inputs[i].numel / all.outer;
      if (const tfl_status status = done(place_f32(rt::at<float>(call->inputs[i]), rt::at<float>(out) + begin, all.outer,
                                                   count, all.extent * all.inner)))
        return status;
      begin += count;
    }
    return TFL_OK;
  });
}

template <class Function>
tfl_status go_along(const tfl_call* call, const tfl_attr& dim, const Function& function) {
  return guard([&]() -> tfl_status {
    const tfl_tensor &in = call->inputs[0], &out = call->outputs[0];
    torchfl::Along a;
    if (!dense(in) || !dense(out) || !torchfl::along(in.rank, in.sizes, dim, &a) || a.spans > 1)
      return fail(TFL_INTERNAL, "not one run of contiguous elements");
    return done(function(rt::at<float>(in), rt::at<float>(out), a.outer, a.extent, a.inner));
  });
}

tfl_status softmax(const tfl_call* call) { return go_along(call, call->attrs[0], softmax_f32); }
tfl_status amax(const tfl_call* call) { return go_along(call, call->attrs[0], max_f32); }

const uint32_t permute_symbols[] = {kPermute}, cat_symbols[] = {kPlace}, softmax_symbols[] = {kSoftmax}, max_symbols[] = {kMax};
const uint32_t conv_symbols[] = {kConvF32, kConvU8}, pool_symbols[] = {kPool}, gemm_symbols[] = {kGemm},
               add_symbols[] = {kAdd}, mul_symbols[] = {kMulU8}, relu_symbols[] = {kReluF32, kReluU8},
               abs_symbols[] = {kAbs};
const tfl_kernel kernels[] = {
    {sizeof(tfl_kernel), TFL_KERNEL_NHWC, "ad_conv2d", "aten::conv2d", &conv2d, conv_symbols, 2},
    {sizeof(tfl_kernel), TFL_KERNEL_NHWC | TFL_KERNEL_ANY_ORDER, "ad_avg_pool2d", "aten::avg_pool2d", &avg_pool2d,
     pool_symbols, 1},
    {sizeof(tfl_kernel), 0, "ad_mm", "aten::mm", &mm, gemm_symbols, 1},
    {sizeof(tfl_kernel), 0, "ad_addmm", "aten::addmm", &addmm, gemm_symbols, 1},
    {sizeof(tfl_kernel), 0, "ad_bmm", "aten::bmm", &mm, gemm_symbols, 1},
    {sizeof(tfl_kernel), TFL_KERNEL_INPLACE, "ad_add", "aten::add", &add, add_symbols, 1},
    {sizeof(tfl_kernel), 0, "ad_mul", "aten::mul", &mul, mul_symbols, 1},
    {sizeof(tfl_kernel), TFL_KERNEL_INPLACE, "ad_relu", "aten::relu", &relu, relu_symbols, 2},
    {sizeof(tfl_kernel), 0, "ad_abs", "aten::abs", &absolute, abs_symbols, 1},
    {sizeof(tfl_kernel), 0, "ad_permute", "aten::permute_copy", &permute, permute_symbols, 1},
    {sizeof(tfl_kernel), 0, "ad_cat", "aten::cat", &cat, cat_symbols, 1},
    {sizeof(tfl_kernel), 0, "ad_softmax", "aten::softmax", &softmax, softmax_symbols, 1},
    {sizeof(tfl_kernel), 0, "ad_amax", "aten::amax", &amax, max_symbols, 1},
};

tfl_device_api make_api() {
  tfl_device_api api = rt::device_api<symbols, 1>();
  api.fill = &rt::fill;
  api.map_host = &rt::map_host;
  api.unmap_host = &rt::unmap_host;
  api.address = [](int32_t, void* handle, uint64_t offset, void** address) {
    *address = static_cast<char*>(handle) + offset;
    return tfl_status{TFL_OK};
  };
  return api;
}

}  // namespace

RT_API const tfl_chip* torchfl_chip_v1() {
  static const tfl_device_api api = make_api();
  static const tfl_chip chip = rt::chip("ad", api, kernels, symbols);
  return &chip;
}
