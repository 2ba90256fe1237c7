// SPDX-License-Identifier: Apache-2.0
// Copyright 2021-2025 Kelvane AI Ltd and contributors
//
// kvn: tensor library of the K200 accelerator card

#ifndef KVN_HPP_
#define KVN_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define KVN_EXPORT __attribute__((visibility("default")))
#define KVN_VERSION 10402

namespace kvn {

enum class DataType : std::uint8_t { Float32, Float16, BFloat16, Int8, UInt8, Int32, Int64, Bool };
enum class Layout : std::uint8_t { NCHW, NHWC };

/// Thrown by everything in this library. what() has the text, status() the number of the driver.
class KVN_EXPORT Error : public std::runtime_error {
 public:
  Error(int status, const std::string& what);
  int status() const noexcept;
};

// ------------------------------------------------------------------------------------------------
//  Device, stream, event, memory
// ------------------------------------------------------------------------------------------------

class Stream;

class KVN_EXPORT Device {
 public:
  static int count();
  static void select(int ordinal);
  static int current();
  static void synchronize();
  static std::size_t freeMemory();
};

class KVN_EXPORT Event {
 public:
  explicit Event(bool timed = false);
  ~Event();
  Event(const Event&) = delete;
  void record(Stream& stream);
  void wait() const;
  bool ready() const;
  float millisecondsSince(const Event& earlier) const;

 private:
  void* impl_;
};

class KVN_EXPORT Stream {
 public:
  static std::shared_ptr<Stream> create(int priority = 0);
  static Stream& defaultStream();
  ~Stream();
  void synchronize();
  void waitFor(const Event& event);

 private:
  Stream();
  void* impl_;
};

KVN_EXPORT void* deviceAlloc(std::size_t size);
KVN_EXPORT void deviceFree(void* ptr);
KVN_EXPORT void hostToDevice(Stream& stream, const void* host, void* device, std::size_t size);
KVN_EXPORT void deviceToHost(Stream& stream, const void* device, void* host, std::size_t size);
KVN_EXPORT void deviceToDevice(Stream& stream, const void* from, void* to, std::size_t size);
KVN_EXPORT void fillZero(Stream& stream, void* device, std::size_t size);

// ------------------------------------------------------------------------------------------------
//  Tensor: a view of device memory; the memory belongs to whoever made it
// ------------------------------------------------------------------------------------------------

class KVN_EXPORT Tensor {
 public:
  Tensor();
  Tensor(void* data, DataType type, std::vector<std::int64_t> shape);
  Tensor(void* data, DataType type, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides);

  void* data() const;
  DataType type() const;
  const std::vector<std::int64_t>& shape() const;
  const std::vector<std::int64_t>& strides() const;
  std::int64_t numElements() const;
  bool contiguous() const;
  Tensor reshaped(std::vector<std::int64_t> shape) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// ------------------------------------------------------------------------------------------------
//  Functions. Arguments broadcast like NumPy's; the output must have the right shape already.
// ------------------------------------------------------------------------------------------------

KVN_EXPORT void add(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
KVN_EXPORT void subtract(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
KVN_EXPORT void multiply(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
KVN_EXPORT void trueDivide(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
/// Python's %, sign of the divisor
KVN_EXPORT void mod(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
KVN_EXPORT void power(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
KVN_EXPORT void max(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
KVN_EXPORT void min(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
/// Like max, but a NaN loses against a number
KVN_EXPORT void fmax(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
KVN_EXPORT void arctan2(Stream& stream, const Tensor& y, const Tensor& x, Tensor& out);
/// log(exp(x) + exp(y))
KVN_EXPORT void logAddExp(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
KVN_EXPORT void addScalar(Stream& stream, const Tensor& x, double value, Tensor& out);
KVN_EXPORT void multiplyScalar(Stream& stream, const Tensor& x, double value, Tensor& out);
/// x * scale + shift
KVN_EXPORT void scaleShift(Stream& stream, const Tensor& x, double scale, double shift, Tensor& out);
/// z = relu(x + y), saves one pass over the memory
KVN_EXPORT void addRelu(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);

KVN_EXPORT void equal(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
KVN_EXPORT void less(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
KVN_EXPORT void lessEqual(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
KVN_EXPORT void greater(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
KVN_EXPORT void logicalAnd(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
KVN_EXPORT void logicalOr(Stream& stream, const Tensor& x, const Tensor& y, Tensor& out);
KVN_EXPORT void logicalNot(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void where(Stream& stream, const Tensor& condition, const Tensor& x, const Tensor& y, Tensor& out);

KVN_EXPORT void absolute(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void negative(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void exp(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void exp2(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void ln(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void log10(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void sqrt(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void invSqrt(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void invert(Stream& stream, const Tensor& x, Tensor& out);  ///< bits, integers only
KVN_EXPORT void arcsin(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void arccosh(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void tan(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void sinh(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void trunc(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void erfInv(Stream& stream, const Tensor& x, Tensor& out);
/// Converts to the type of out
KVN_EXPORT void cast(Stream& stream, const Tensor& x, Tensor& out);
KVN_EXPORT void clip(Stream& stream, const Tensor& x, double lower, double upper, Tensor& out);

KVN_EXPORT void sum(Stream& stream, const Tensor& x, const std::vector<int>& axes, bool keepDims, Tensor& out);
KVN_EXPORT void mean(Stream& stream, const Tensor& x, const std::vector<int>& axes, bool keepDims, Tensor& out);
KVN_EXPORT void reduceMax(Stream& stream, const Tensor& x, const std::vector<int>& axes, bool keepDims, Tensor& out);
KVN_EXPORT void reduceMin(Stream& stream, const Tensor& x, const std::vector<int>& axes, bool keepDims, Tensor& out);
KVN_EXPORT void variance(Stream& stream, const Tensor& x, const std::vector<int>& axes, int correction, bool keepDims, Tensor& out);
KVN_EXPORT void argMin(Stream& stream, const Tensor& x, int axis, bool keepDims, Tensor& indices);
KVN_EXPORT void cumulativeProduct(Stream& stream, const Tensor& x, int axis, Tensor& out);

KVN_EXPORT void concatenate(Stream& stream, const std::vector<Tensor>& parts, int axis, Tensor& out);
/// Permutes the dimensions, any number of them
KVN_EXPORT void transpose(Stream& stream, const Tensor& x, const std::vector<int>& permutation, Tensor& out);
/// ONNX Gather: out = x[..., indices, ...] along axis
KVN_EXPORT void gather(Stream& stream, const Tensor& x, const Tensor& indices, int axis, Tensor& out);
/// ONNX GatherElements
KVN_EXPORT void gatherElements(Stream& stream, const Tensor& x, const Tensor& indices, int axis, Tensor& out);
KVN_EXPORT void scatterElements(Stream& stream, const Tensor& x, const Tensor& indices, const Tensor& updates, int axis, Tensor& out);
/// Keeps the upper triangle, from the given diagonal on
KVN_EXPORT void upperTriangle(Stream& stream, const Tensor& x, int diagonal, Tensor& out);
KVN_EXPORT void resizeBilinear(Stream& stream, const Tensor& image, Tensor& out, bool alignCorners);
KVN_EXPORT void matmul(Stream& stream, const Tensor& a, const Tensor& b, Tensor& out);
KVN_EXPORT void matmulInt8(Stream& stream, const Tensor& a, const Tensor& scaleA, const Tensor& b, const Tensor& scaleB, Tensor& out);

// ------------------------------------------------------------------------------------------------
//  Operators. Setters return the object; prepare() picks the algorithm, enqueue() runs it.
// ------------------------------------------------------------------------------------------------

class KVN_EXPORT Operator {
 public:
  virtual ~Operator();
  virtual std::size_t workspaceSize() const;
  Operator& setWorkspace(void* memory, std::size_t size);
};

class KVN_EXPORT Convolution2d : public Operator {
 public:
  Convolution2d();
  Convolution2d& setStride(int vertical, int horizontal);
  Convolution2d& setPadding(int top, int left, int bottom, int right);
  Convolution2d& setDilation(int vertical, int horizontal);
  Convolution2d& setGroups(int groups);
  Convolution2d& setLayout(Layout layout);
  Convolution2d& prepare(const Tensor& input, const Tensor& filter, const Tensor& output);
  /// bias may be an empty tensor
  void enqueue(Stream& stream, const Tensor& input, const Tensor& filter, const Tensor& bias, Tensor& output);
};

class KVN_EXPORT Pooling2d : public Operator {
 public:
  enum class Mode { Max, Average, AverageExcludePad };
  explicit Pooling2d(Mode mode);
  Pooling2d& setWindow(int height, int width);
  Pooling2d& setStride(int vertical, int horizontal);
  Pooling2d& setPadding(int top, int left, int bottom, int right);
  Pooling2d& setCeilMode(bool ceil);
  void enqueue(Stream& stream, const Tensor& input, Tensor& output);
};

class KVN_EXPORT FullyConnected : public Operator {
 public:
  FullyConnected& transposeWeight(bool yes = true);
  void enqueue(Stream& stream, const Tensor& input, const Tensor& weight, const Tensor& bias, Tensor& output);
};

class KVN_EXPORT LayerNorm : public Operator {
 public:
  LayerNorm& setEpsilon(float epsilon);
  LayerNorm& setFirstAxis(int axis);
  void enqueue(Stream& stream, const Tensor& input, const Tensor& scale, const Tensor& shift, Tensor& output);
};

class KVN_EXPORT BatchNormInference : public Operator {
 public:
  BatchNormInference& setEpsilon(float epsilon);
  void enqueue(Stream& stream, const Tensor& input, const Tensor& mean, const Tensor& variance, const Tensor& scale, const Tensor& shift,
               Tensor& output);
};

class KVN_EXPORT Softmax : public Operator {
 public:
  explicit Softmax(int axis = -1);
  Softmax& setLogarithm(bool on);
  void enqueue(Stream& stream, const Tensor& input, Tensor& output);
};

class KVN_EXPORT Activation : public Operator {
 public:
  enum class Kind { ReLU, Sigmoid, Tanh, GELU, SiLU, HardSwish, ELU, LeakyReLU, Softplus };
  explicit Activation(Kind kind, float alpha = 0.f);
  void enqueue(Stream& stream, const Tensor& input, Tensor& output);
};

class KVN_EXPORT FlashAttention : public Operator {
 public:
  FlashAttention& setScale(float scale);
  FlashAttention& setCausal(bool causal);
  void enqueue(Stream& stream, const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, Tensor& output);
};

class KVN_EXPORT ConvBiasRelu : public Operator {
 public:
  ConvBiasRelu& setStride(int vertical, int horizontal);
  void enqueue(Stream& stream, const Tensor& input, const Tensor& filter, const Tensor& bias, const Tensor& residual, Tensor& output);
};

class KVN_EXPORT AllReduce : public Operator {
 public:
  void enqueue(Stream& stream, Tensor& tensor);
};

}  // namespace kvn

#endif  // KVN_HPP_
