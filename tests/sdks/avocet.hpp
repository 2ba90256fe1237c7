// Avocet: an invented accelerator whose ops are objects: made, told their attributes, and run with tensors that the
// caller has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

namespace avocet {

enum class Status : int { Ok = 0, InvalidArgument = 1, OutOfMemory = 2, DeviceLost = 3 };
enum class DataType : uint8_t { Float32, Int64, Bool };

Status device_malloc(void** address, std::size_t bytes);
Status device_free(void* address);
Status memcpy_host_to_device(void* to, const void* from, std::size_t bytes);
Status memcpy_device_to_host(void* to, const void* from, std::size_t bytes);
Status memcpy_device_to_device(void* to, const void* from, std::size_t bytes);
Status device_synchronize();

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int32_t> dims);
  const std::vector<int32_t>& dims() const { return dims_; }

 private:
  std::vector<int32_t> dims_;
};

/// The card's memory with a type and a shape. The memory stays the caller's.
class Tensor {
 public:
  Tensor(void* address, DataType type, const Shape& shape);
  void* address() const;
  DataType type() const;
  const Shape& shape() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

class Operator {
 public:
  virtual ~Operator() = default;
  virtual const char* name() const = 0;
  void setProfiling(bool on);

 protected:
  bool profiling_ = false;
};

class Activation final : public Operator {
 public:
  enum class Function { Relu, Sigmoid, Tanh, LeakyRelu };
  explicit Activation(Function function);
  const char* name() const override;
  void setSlope(float slope);
  Status run(const Tensor& input, Tensor& output);
  Status runInPlace(Tensor& data);

 private:
  Function function_;
  float slope_ = 0.5f;
};

/// Works in scratch memory of the caller's.
class Elementwise final : public Operator {
 public:
  enum class Function { Add, Multiply, Maximum };
  explicit Elementwise(Function function);
  const char* name() const override;
  size_t scratchSize() const;
  void setScratch(void* address, size_t bytes);
  Status run(const Tensor& first, const Tensor& second, Tensor& output);

 private:
  Function function_;
  void* scratch_ = nullptr;
  size_t bytes_ = 0;
};

class Softmax final : public Operator {
 public:
  const char* name() const override;
  void setAxis(int32_t axis);
  Status run(const Tensor& input, Tensor& output);

 private:
  int32_t axis_ = 0;
};

/// An op whose table of functions every program has: none of them is the library's alone.
class MatrixMultiply final : public Operator {
 public:
  const char* name() const override { return "MatrixMultiply"; }
  Status run(const Tensor& left, const Tensor& right, Tensor& output);
};

class Reduction final : public Operator {
 public:
  enum class Function { Sum, Mean, Max };
  explicit Reduction(Function function);
  const char* name() const override;
  void setAxes(const std::vector<int32_t>& axes);
  void setKeepDimensions(bool on);
  Status run(const Tensor& input, Tensor& output);

 private:
  Function function_;
  std::vector<int32_t> axes_;
  bool keep_ = false;
};

class Pooling2d final : public Operator {
 public:
  enum class Mode { Max, Average };
  explicit Pooling2d(Mode mode);
  const char* name() const override;
  void setWindow(int32_t y, int32_t x);
  void setStride(int32_t y, int32_t x);
  void setPadding(int32_t y, int32_t x);
  void setCountPadding(bool on);
  Status run(const Tensor& input, Tensor& output);

 private:
  Mode mode_;
  int32_t window_[2] = {1, 1}, stride_[2] = {1, 1}, padding_[2] = {0, 0};
  bool count_ = false;
};

class LayerNormalization final : public Operator {
 public:
  const char* name() const override;
  void setEpsilon(float epsilon);
  void setFirstAxis(int32_t axis);
  /// gamma and beta may be null
  Status run(const Tensor& input, const Tensor* gamma, const Tensor* beta, Tensor& output);

 private:
  float epsilon_ = 0;
  int32_t first_ = 0;
};

class Concatenation final : public Operator {
 public:
  const char* name() const override;
  void setAxis(int32_t axis);
  Status run(const std::vector<Tensor>& inputs, Tensor& output);

 private:
  int32_t axis_ = 0;
};

class Permutation final : public Operator {
 public:
  const char* name() const override;
  void setOrder(const std::vector<int32_t>& order);
  Status run(const Tensor& input, Tensor& output);

 private:
  std::vector<int32_t> order_;
};

}  // namespace avocet
