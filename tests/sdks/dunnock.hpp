// Dunnock: an invented accelerator with two generations of ops. The older are set up and run with a handle and tensors
// that are told what they are; the newer are prepared for types and extents, and executed on a pump with addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace dunnock {

enum class Status : int { SUCCESS = 0, INVALID_PARAMETER = 1, ALLOC_FAILED = 2, INTERNAL_ERROR = 3 };

Status device_malloc(void** address, std::size_t bytes);
Status device_free(void* address);
Status memcpy_host_to_device(void* to, const void* from, std::size_t bytes);
Status memcpy_device_to_host(void* to, const void* from, std::size_t bytes);
Status memcpy_device_to_device(void* to, const void* from, std::size_t bytes);
Status device_synchronize();

using MemoryHandler = std::unique_ptr<void, std::function<void(void*)>>;
using MemoryMaintainer = std::function<MemoryHandler(size_t)>;

/// Work of the older ops, done when it is waited for.
class Handle {
 public:
  explicit Handle(int device = 0);
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle();
  Status Synchronize();
  int GetDeviceId() const;

 private:
  struct Impl;
  Impl* impl_;
  friend struct Access;
};

class Tensor {
 public:
  enum class Type { FLOAT, HALF, INT64, BOOL };
  enum class Format { NCHW, NHWC };
  Tensor();
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor();
  Status SetNdInfo(int n, const int64_t* dims, const int64_t* strides = nullptr);
  Status SetAddr(void* addr);
  Status SetType(Type type);
  Status SetFormat(Format format);

 private:
  struct Impl;
  Impl* impl_;
  friend struct Access;
};

class ImplBase {
 public:
  virtual ~ImplBase();

 protected:
  void* impl_ = nullptr;
};

class Unary : public ImplBase {
 public:
  enum class Mode { ABS, EXP, RELU, TANH };
  Unary();
  Status SetMode(Mode mode);
  Status Run(Handle& handle, Tensor& out, const Tensor& in) const;

 private:
  Mode mode_ = Mode::ABS;
};

class Binary : public ImplBase {
 public:
  enum class Mode { ADD, MUL, MAX };
  Binary();
  Status SetMode(Mode mode);
  Status Run(Handle& handle, Tensor& out, const Tensor& l, const Tensor& r) const;

 private:
  Mode mode_ = Mode::ADD;
};

class Reduce : public ImplBase {
 public:
  enum class Mode { ADD, MEAN };
  Reduce();
  Status SetMode(Mode mode);
  Status SetDim(int n, const int* dim);
  Status Run(Handle& handle, Tensor& out, const Tensor& in, const MemoryMaintainer& maintainer) const;

 private:
  Mode mode_ = Mode::ADD;
  std::vector<int> dims_;
};

// ---- the newer ones ----

enum class Grain : uint8_t { Float, Half, Bool };

/// Type and extents of an operand. Holds no memory.
struct Plate {
  Grain grain = Grain::Float;
  std::vector<int32_t> sides;
  std::vector<int32_t> steps;  ///< empty: dense
};

typedef uint64_t DevAddr;
class Pump;  ///< queue of work

class Card {
 public:
  static Pump* newPump(int priority = 0);
  static void deletePump(Pump* pump);
  static Status awaitPump(Pump* pump);
};

class Operation {
 public:
  virtual ~Operation();
  virtual size_t scratchBytes() const;

 protected:
  Operation();
  size_t wanted_ = 0;
  std::vector<Plate> plates_;
};

class Sigmoid final : public Operation {
 public:
  Status prepare(const Plate& x, const Plate& y);
  Status execute(Pump& pump, DevAddr x, DevAddr y);
};

class Softmax final : public Operation {
 public:
  Status prepare(const Plate& x, const Plate& y, int32_t axis);
  Status execute(Pump& pump, DevAddr x, DevAddr y, DevAddr scratch);

 private:
  int32_t axis_ = 0;
};

class Gelu final : public Operation {
 public:
  enum Form { Exact, Tanh };
  Status prepare(const Plate& x, const Plate& y, Form form);
  Status execute(Pump& pump, DevAddr x, DevAddr y);

 private:
  Form form_ = Exact;
};

/** y = op(a) op(b), of matrices, or of stacks of them when the plates have three sides. */
class MatMul final : public Operation {
 public:
  size_t scratchBytes() const override;
  Status prepare(const Plate& a, bool flipA, const Plate& b, bool flipB, const Plate& y);
  Status execute(Pump& pump, DevAddr a, DevAddr b, DevAddr y, DevAddr scratch);
};

}  // namespace dunnock
