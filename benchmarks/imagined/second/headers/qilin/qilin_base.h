#pragma once
// Qilin DNN - base types (C++14)

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

struct qlStream_st;
typedef struct qlStream_st* qlStream_t;

namespace qilin {
namespace dnn {

enum class Status : int { SUCCESS = 0, INVALID_PARAMETER = 1, NOT_INITIALIZED = 2, ALLOC_FAILED = 3, NOT_SUPPORTED = 4, INTERNAL_ERROR = 5 };

#define QILIN_API __attribute__((visibility("default")))

using MemoryHandler = std::unique_ptr<void, std::function<void(void*)>>;
using MemoryMaintainer = std::function<MemoryHandler(size_t)>;

class QILIN_API Handle {
 public:
  explicit Handle(int device = 0);
  ~Handle();
  Status SetStream(qlStream_t stream);
  qlStream_t GetStream() const;
  Status SetAllowTF32(bool allow);
  int GetDeviceId() const;

 private:
  struct Impl;
  Impl* impl_;
};

class QILIN_API Tensor {
 public:
  enum class Type { FLOAT, HALF, BFLOAT16, INT8, INT32, INT64, BOOL };
  enum class Format { NCW, NCHW, NHWC, NCDHW, UNKNOWN };

  Tensor();
  ~Tensor();
  Status SetNdInfo(int n, const int64_t* dims, const int64_t* strides = nullptr);
  Status SetAddr(void* addr);
  Status SetType(Type type);
  Status SetFormat(Format format);
  Status SetQuantizationInfo(float scale, unsigned zero_point);
  Status GetNdInfo(int* n, int64_t* dims) const;
  void* GetAddr() const;

 private:
  struct Impl;
  Impl* impl_;
};

class QILIN_API ImplBase {
 public:
  virtual ~ImplBase();

 protected:
  void* impl_;
};

}  // namespace dnn
}  // namespace qilin
