#pragma once
// Sable Deep Learning API
//
// All pointers are global memory of the device unless they are called *_host.
// All functions return SUCCESS or a negative Error.

#include "sable_defs.h"

namespace sable {
namespace dl {

// ---------------------------------------------------------------- elementwise
template <typename T>
SDL_EXPORT int relu(Ctx* ctx, const T* x, T* y, int64_t len, const float* max_x = nullptr, float* max_y = nullptr);
template <typename T>
SDL_EXPORT int sigmoid(Ctx* ctx, const T* x, T* y, int64_t len);
template <typename T>
SDL_EXPORT int hard_sigmoid(Ctx* ctx, const T* x, T* y, int64_t len, float slope);
template <typename T>
SDL_EXPORT int leaky_relu(Ctx* ctx, const T* x, T* y, int64_t len, float alpha);
template <typename T>
SDL_EXPORT int gelu(Ctx* ctx, const T* x, T* y, int64_t len);
template <typename T>
SDL_EXPORT int relu_grad(Ctx* ctx, const T* x, const T* y, const T* dy, T* dx, int64_t len);
template <typename T>
SDL_EXPORT int pow2_scalar(Ctx* ctx, const T* x, T* y, int64_t len, float exponent);
template <typename T>
SDL_EXPORT int scale(Ctx* ctx, const T* x, T* y, int64_t len, bool bias_after_scale, float alpha, float beta);
template <typename T>
SDL_EXPORT int clip_v2(Ctx* ctx, const T* x, T* y, int64_t len, T lo, T hi);
template <typename T>
SDL_EXPORT int constant(Ctx* ctx, T* data, int64_t len, T val);
template <typename T>
SDL_EXPORT int copy(Ctx* ctx, const T* x, T* y, int64_t len);
template <typename TX, typename TY>
SDL_EXPORT int cast_v2(Ctx* ctx, const TX* x, TY* y, int64_t len);
template <typename T>
SDL_EXPORT int range(Ctx* ctx, T* y, T start, T step, int64_t len);
template <typename T>
SDL_EXPORT int isnan(Ctx* ctx, const T* x, bool* y, int64_t len);

template <typename T>
SDL_EXPORT int broadcast_add(Ctx* ctx, const T* x, const T* y, T* z, const std::vector<int>& xshape, const std::vector<int>& yshape);
template <typename T>
SDL_EXPORT int broadcast_mul(Ctx* ctx, const T* x, const T* y, T* z, const std::vector<int>& xshape, const std::vector<int>& yshape);
template <typename T>
SDL_EXPORT int broadcast_mod(Ctx* ctx, const T* x, const T* y, T* z, const std::vector<int>& xshape, const std::vector<int>& yshape);
template <typename T>
SDL_EXPORT int broadcast_less_than(Ctx* ctx, const T* x, const T* y, bool* z, const std::vector<int>& xshape, const std::vector<int>& yshape);
template <typename T>
SDL_EXPORT int broadcast(Ctx* ctx, const T* x, T* y, const std::vector<int>& xshape, const std::vector<int>& yshape);
template <typename T>
SDL_EXPORT int add_mul(Ctx* ctx, const T* x, const T* y, const T* z, T* out, int64_t len);
template <typename T>
SDL_EXPORT int select(Ctx* ctx, const bool* condition, const T* x, const T* y, T* z, const std::vector<int>& cshape, const std::vector<int>& xshape);

// ------------------------------------------------------------------ reduction
template <typename T>
SDL_EXPORT int reduce_sum(Ctx* ctx, const T* x, T* y, const std::vector<int>& xshape, const std::vector<int>& rdims);
template <typename T>
SDL_EXPORT int reduce_max(Ctx* ctx, const T* x, T* y, const std::vector<int>& xshape, const std::vector<int>& rdims);
template <typename T>
SDL_EXPORT int argmax(Ctx* ctx, const T* x, int64_t* y, const std::vector<int>& xshape, int axis);
template <typename T>
SDL_EXPORT int cumsum(Ctx* ctx, const T* x, T* y, const std::vector<int>& xshape, bool reverse, bool exclusive, int axis);
template <typename T, typename TID>
SDL_EXPORT int sorted_topk(Ctx* ctx, const T* x, T* y, TID* index, int m, int n, int k, bool largest = true);
template <typename T>
SDL_EXPORT int square_reduce_sum(Ctx* ctx, const T* x, T* y, const std::vector<int>& xshape, const std::vector<int>& rdims);

// ------------------------------------------------------------------- movement
template <typename T>
SDL_EXPORT int transpose(Ctx* ctx, const T* x, T* y, const std::vector<int>& xshape, const std::vector<int>& permute);
template <typename T>
SDL_EXPORT int concat(Ctx* ctx, const std::vector<const T*>& x_list, T* y, const std::vector<std::vector<int>>& xshape_list, int axis);
template <typename T>
SDL_EXPORT int split(Ctx* ctx, const T* x, const std::vector<T*>& y_list, const std::vector<int>& xshape, const std::vector<int>& split_list, int axis);
template <typename T>
SDL_EXPORT int slice(Ctx* ctx, const T* x, T* y, const std::vector<int>& xshape, const std::vector<int>& starts, const std::vector<int>& ends);
template <typename T, typename TID>
SDL_EXPORT int gather(Ctx* ctx, const T* x, const TID* index, T* y, const std::vector<int>& xshape, int64_t index_len, int axis);
template <typename T, typename TID>
SDL_EXPORT int embedding(Ctx* ctx, const T* table, const TID* ids, T* y, int64_t xm, int64_t n, int64_t ym, int64_t padding_idx);
template <typename T>
SDL_EXPORT int im2col_nchw(Ctx* ctx, const T* x, T* y, int n, int c, int h, int w, const std::vector<int>& ksize, const std::vector<int>& stride, const std::vector<int>& pad, const std::vector<int>& dilation);

// ------------------------------------------------------------------------- nn
template <typename TX, typename TW, typename TY, typename TGEMM>
SDL_EXPORT int fc(Ctx* ctx, const TX* x, const TW* w, TY* y, int m, int n, int k, bool x_trans, bool w_trans, const float* max_x, const float* max_w, float* max_y);
template <typename TX, typename TW, typename TY, typename TGEMM>
SDL_EXPORT int fc_fusion(Ctx* ctx, const TX* x, const TW* w, TY* y, int m, int n, int k, bool x_trans, bool w_trans, const float* max_x, const float* max_w, float* max_y, int ldx, int ldw, int ldy, float alpha, float beta, const float* bias, const Act& act);
template <typename TX, typename TW, typename TY, typename TGEMM>
SDL_EXPORT int conv2d(Ctx* ctx, const TX* x, const TW* w, TY* y, int n, int xc, int xh, int xw, int yc, const std::vector<int>& ksize, const std::vector<int>& stride, const std::vector<int>& pad, const std::vector<int>& dilation, int groups, const float* max_x, const float* max_w, float* max_y, bool is_nchw);
template <typename T>
SDL_EXPORT int max_pool2d(Ctx* ctx, const T* x, T* y, int* index, int n, int c, int xh, int xw, const std::vector<int>& ksize, const std::vector<int>& stride, const std::vector<int>& pad, bool is_nchw);
template <typename T>
SDL_EXPORT int avg_pool2d(Ctx* ctx, const T* x, T* y, int n, int c, int xh, int xw, const std::vector<int>& ksize, const std::vector<int>& stride, const std::vector<int>& pad, bool count_include_pad, bool is_nchw);
template <typename T>
SDL_EXPORT int softmax(Ctx* ctx, const T* x, T* y, const std::vector<int>& xshape, int axis);
template <typename T>
SDL_EXPORT int layer_norm(Ctx* ctx, const T* x, T* y, int m, int n, float eps, const float* scale, const float* bias, float* mean, float* var);
template <typename T>
SDL_EXPORT int batch_norm_infer(Ctx* ctx, const T* x, T* y, int n, int c, int h, int w, float eps, const float* scale, const float* bias, const float* global_mean, const float* global_var, bool is_nchw);
template <typename T>
SDL_EXPORT int add_layer_norm(Ctx* ctx, const T* x, const T* y, T* z, int m, int n, float eps, const float* scale, const float* bias);
template <typename TX, typename TY>
SDL_EXPORT int quantization(Ctx* ctx, const TX* x, TY* y, int64_t len, const float* max_ptr);
SDL_EXPORT int findmax(Ctx* ctx, const float* x, float* max_abs, int64_t len);

}  // namespace dl
}  // namespace sable
