#pragma once
// Qilin DNN - operators. Set the attributes, then Run; an object may run many times.

#include "qilin_base.h"

namespace qilin {
namespace dnn {

class QILIN_API Unary : public ImplBase {
 public:
  enum class Mode { ABS, CEIL, COS, EXP, FLOOR, GELU, LOG, RECIPROCAL, RELU, RSQRT, SIGMOID, SILU, SIN, SQRT, TANH };
  Unary();
  Status SetMode(Mode mode);
  Status SetAlpha(double alpha);
  Status Run(Handle& handle, Tensor& out, const Tensor& in) const;
};

class QILIN_API Binary : public ImplBase {
 public:
  enum class Mode { ADD, SUB, MUL, DIV, MAX, MIN, POW };
  Binary();
  Status SetMode(Mode mode);
  Status Run(Handle& handle, Tensor& out, const Tensor& l, const Tensor& r) const;
};

class QILIN_API Ternary : public ImplBase {
 public:
  Ternary();
  /// out = a + alpha * b * c
  Status RunAddcmul(Handle& handle, Tensor& out, const Tensor& a, const Tensor& b, const Tensor& c, double alpha) const;
  Status RunSelect(Handle& handle, Tensor& out, const Tensor& cond, const Tensor& t, const Tensor& f) const;
};

class QILIN_API Fill : public ImplBase {
 public:
  Fill();
  Status SetValue(double value);
  Status Run(Handle& handle, Tensor& out) const;
  /// Writes the value where the mask is true.
  Status RunMasked(Handle& handle, Tensor& out, const Tensor& mask) const;
};

class QILIN_API Permute : public ImplBase {
 public:
  Permute();
  Status ConfigDimStride(Tensor& out, Tensor& in, int dims, const int64_t* stride);
  Status Run(Handle& handle, Tensor& out, const Tensor& in) const;
};

class QILIN_API Concat : public ImplBase {
 public:
  Concat();
  Status SetAxis(int axis);
  Status Run(Handle& handle, Tensor& out, int num, const Tensor* ins) const;
};

class QILIN_API Softmax : public ImplBase {
 public:
  enum class Mode { SOFTMAX, LOGSOFTMAX };
  Softmax();
  Status SetMode(Mode mode);
  Status SetDim(int dim);
  Status Run(Handle& handle, Tensor& out, const Tensor& in) const;
  Status RunBwd(Handle& handle, Tensor& dx, const Tensor& y, const Tensor& dy) const;
  Status RunMasked(Handle& handle, Tensor& out, const Tensor& in, const Tensor& mask) const;
};

class QILIN_API Reduce : public ImplBase {
 public:
  enum class Mode { ADD, MEAN, MAX, MIN, PROD };
  Reduce();
  Status SetMode(Mode mode);
  Status SetDim(int n, const int* dim);
  Status GetWorkspaceSize(Handle& handle, size_t& size_in_bytes, const Tensor& out, const Tensor& in);
  Status Run(Handle& handle, Tensor& out, const Tensor& in, const MemoryMaintainer& maintainer) const;
  Status RunIndices(Handle& handle, Tensor& out, const Tensor& in, const MemoryMaintainer& maintainer) const;
};

class QILIN_API MatMul : public ImplBase {
 public:
  MatMul();
  Status SetTranspose(bool trans_left, bool trans_right);
  Status SetAlpha(double alpha);
  Status SetBeta(double beta);
  /// d = alpha * l x r + beta * d
  Status Run(Handle& handle, Tensor& d, const Tensor& l, const Tensor& r, const MemoryMaintainer& maintainer = nullptr) const;
  Status RunWithBiasAct(Handle& handle, Tensor& d, const Tensor& l, const Tensor& r, const Tensor& bias, Unary::Mode act, const MemoryMaintainer& maintainer) const;
};

class QILIN_API BatchMatMul : public ImplBase {
 public:
  BatchMatMul();
  Status SetTranspose(bool trans_left, bool trans_right);
  Status Run(Handle& handle, Tensor& out, const Tensor& l, const Tensor& r, const MemoryMaintainer& maintainer) const;
};

class QILIN_API Convolution : public ImplBase {
 public:
  enum class Algorithm { DIRECT, IMPLICIT_GEMM, WINOGRAD };
  struct FusedActivationDesc { Unary::Mode mode; float alpha; };
  Convolution();
  Status SetGroups(int groups);
  Status SetNdInfo(int length, const int* pad, const int* stride, const int* dilation);
  Status GetRecommendForwardAlgorithm(Handle& handle, Algorithm& algo, const Tensor& out, const Tensor& in, const Tensor& filter);
  Status Run(Handle& handle, Tensor& out, const Tensor& in, const Tensor& filter, Algorithm algo, const MemoryMaintainer& maintainer) const;
  Status RunFusion(Handle& handle, Tensor& out, const Tensor& in, const Tensor& filter, const Tensor& bias, const Tensor& add, const FusedActivationDesc& act, Algorithm algo, const MemoryMaintainer& maintainer) const;
  Status RunBwdData(Handle& handle, Tensor& dx, const Tensor& dy, const Tensor& filter, const MemoryMaintainer& maintainer) const;
};

class QILIN_API Pooling : public ImplBase {
 public:
  enum class Mode { MAXPOOL, AVGPOOL_INCL, AVGPOOL_EXCL };
  Pooling();
  Status SetMode(Mode mode);
  Status SetNdInfo(int n, const int* kernel, const int* pad, const int* stride, const int* dilation);
  Status Run(Handle& handle, Tensor& out, const Tensor& in, Tensor* indices) const;
};

class QILIN_API BatchNorm : public ImplBase {
 public:
  BatchNorm();
  Status SetEpsilon(double eps);
  Status SetTraining(bool training);
  Status RunPure(Handle& handle, Tensor& out, const Tensor& in, const Tensor& running_mean, const Tensor& running_var, const Tensor& gamma, const Tensor& beta) const;
  Status RunComposite(Handle& handle, Tensor& out, const Tensor& in, Tensor& running_mean, Tensor& running_var, Tensor& save_mean, Tensor& save_invstd, const Tensor& gamma, const Tensor& beta, double momentum, const MemoryMaintainer& maintainer) const;
};

class QILIN_API LayerNorm : public ImplBase {
 public:
  LayerNorm();
  Status SetEpsilon(double eps);
  Status SetAxis(int n, const int* axis);
  Status Run(Handle& handle, Tensor& out, Tensor& mean, Tensor& rstd, const Tensor& in, const Tensor& gamma, const Tensor& beta) const;
};

class QILIN_API GatherX : public ImplBase {
 public:
  enum class Mode { GATHER_ELEMENTS, GATHER_ND };
  GatherX();
  Status SetMode(Mode mode);
  Status SetAxis(int axis);
  Status Run(Handle& handle, Tensor& out, const Tensor& indices, const Tensor& in) const;
};

class QILIN_API Dropout : public ImplBase {
 public:
  Dropout();
  Status SetP(double p);
  Status SetSeed(uint64_t seed, uint64_t offset);
  Status Run(Handle& handle, Tensor& out, const Tensor& in, Tensor& mask) const;
};

class QILIN_API ScaledDotProductAttention : public ImplBase {
 public:
  ScaledDotProductAttention();
  Status SetCausal(bool causal);
  Status SetHeads(int q_heads, int kv_heads);
  Status RunFlash(Handle& handle, Tensor& out, Tensor& lse, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const MemoryMaintainer& maintainer) const;
};

}  // namespace dnn
}  // namespace qilin
