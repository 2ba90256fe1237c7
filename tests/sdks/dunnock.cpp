// Dunnock, simulated: work waits in a handle or a pump until that is waited for, and is done then.
#include "dunnock.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

extern "C" {
#include "sim.h"
}

namespace dunnock {

namespace {

void made(long by) { __atomic_add_fetch(&alive, by, __ATOMIC_SEQ_CST); }

using Work = std::vector<std::function<void()>>;
void drain(Work& work) {
  for (auto& task : work) task();
  work.clear();
}

std::size_t product(const std::vector<int64_t>& d) {
  std::size_t n = 1;
  for (int64_t e : d) n *= static_cast<std::size_t>(e);
  return n;
}

// The extents around a dimension.
struct Around {
  std::size_t before = 1, along, behind = 1;
  Around(const std::vector<int64_t>& d, std::size_t axis) : along(static_cast<std::size_t>(d.at(axis))) {
    for (std::size_t i = 0; i < axis; ++i) before *= static_cast<std::size_t>(d[i]);
    for (std::size_t i = axis + 1; i < d.size(); ++i) behind *= static_cast<std::size_t>(d[i]);
  }
};

}  // namespace

Status device_malloc(void** address, std::size_t bytes) {
  *address = device_alloc(bytes);
  return *address ? Status::SUCCESS : Status::ALLOC_FAILED;
}
Status device_free(void* address) { return ::device_free(address) ? Status::SUCCESS : Status::INVALID_PARAMETER; }
static Status moved(void* to, const void* from, std::size_t bytes) {
  if (fails()) return Status::INTERNAL_ERROR;
  std::memcpy(to, from, bytes);
  return Status::SUCCESS;
}
Status memcpy_host_to_device(void* to, const void* from, std::size_t bytes) { return moved(to, from, bytes); }
Status memcpy_device_to_host(void* to, const void* from, std::size_t bytes) { return moved(to, from, bytes); }
Status memcpy_device_to_device(void* to, const void* from, std::size_t bytes) { return moved(to, from, bytes); }
Status device_synchronize() { return Status::SUCCESS; }

struct Handle::Impl {
  int device;
  Work work;
};
struct Tensor::Impl {
  std::vector<int64_t> dims;
  float* address = nullptr;
  Type type = Type::HALF;
};
struct Access {
  static Work& of(Handle& h) { return h.impl_->work; }
  static const Tensor::Impl& of(const Tensor& t) { return *t.impl_; }
};

Handle::Handle(int device) : impl_(new Impl{device, {}}) { made(1); }
Handle::~Handle() {
  made(-1);
  delete impl_;
}
Status Handle::Synchronize() {
  drain(impl_->work);
  return fails() ? Status::INTERNAL_ERROR : Status::SUCCESS;
}
int Handle::GetDeviceId() const { return impl_->device; }

Tensor::Tensor() : impl_(new Impl) { made(1); }
Tensor::~Tensor() {
  made(-1);
  delete impl_;
}
Status Tensor::SetNdInfo(int n, const int64_t* dims, const int64_t* strides) {
  if (fails() || n < 1 || strides != nullptr) return Status::INVALID_PARAMETER;
  impl_->dims.assign(dims, dims + n);
  return Status::SUCCESS;
}
Status Tensor::SetAddr(void* addr) {
  impl_->address = static_cast<float*>(addr);
  return Status::SUCCESS;
}
Status Tensor::SetType(Type type) {
  impl_->type = type;
  return type == Type::FLOAT ? Status::SUCCESS : Status::INVALID_PARAMETER;
}
Status Tensor::SetFormat(Format format) {
  return format == Format::NCHW ? Status::SUCCESS : Status::INVALID_PARAMETER;
}

ImplBase::~ImplBase() { made(-1); }
Unary::Unary() { made(1); }
Status Unary::SetMode(Mode mode) {
  mode_ = mode;
  return Status::SUCCESS;
}
Status Unary::Run(Handle& handle, Tensor& out, const Tensor& in) const {
  const auto from = Access::of(in), to = Access::of(out);
  if (fails() || from.dims != to.dims) return Status::INVALID_PARAMETER;
  Access::of(handle).push_back([=, mode = mode_] {
    for (std::size_t i = 0; i < product(to.dims); ++i) {
      const float v = from.address[i];
      to.address[i] = mode == Mode::ABS    ? std::fabs(v)
                      : mode == Mode::EXP  ? std::exp(v)
                      : mode == Mode::TANH ? std::tanh(v)
                      : v < 0              ? 0
                                           : v;
    }
  });
  return Status::SUCCESS;
}

Binary::Binary() { made(1); }
Status Binary::SetMode(Mode mode) {
  mode_ = mode;
  return Status::SUCCESS;
}
Status Binary::Run(Handle& handle, Tensor& out, const Tensor& l, const Tensor& r) const {
  const auto a = Access::of(l), b = Access::of(r), to = Access::of(out);
  if (fails() || a.dims != b.dims || a.dims != to.dims) return Status::INVALID_PARAMETER;
  Access::of(handle).push_back([=, mode = mode_] {
    for (std::size_t i = 0; i < product(to.dims); ++i) {
      const float x = a.address[i], y = b.address[i];
      to.address[i] = mode == Mode::ADD                    ? x + y
                      : mode == Mode::MUL                  ? x * y
                      : std::isnan(x) || std::isnan(y)     ? std::numeric_limits<float>::quiet_NaN()
                                                           : std::max(x, y);
    }
  });
  return Status::SUCCESS;
}

Reduce::Reduce() { made(1); }
Status Reduce::SetMode(Mode mode) {
  mode_ = mode;
  return Status::SUCCESS;
}
Status Reduce::SetDim(int n, const int* dim) {
  dims_.assign(dim, dim + n);
  return Status::SUCCESS;
}
// Sums in memory that the caller lends.
Status Reduce::Run(Handle& handle, Tensor& out, const Tensor& in, const MemoryMaintainer& maintainer) const {
  const auto from = Access::of(in), to = Access::of(out);
  if (fails()) return Status::INVALID_PARAMETER;
  drain(Access::of(handle));
  const MemoryHandler lent = maintainer(product(from.dims) * sizeof(double));
  if (lent == nullptr) return Status::ALLOC_FAILED;
  double* const values = static_cast<double*>(lent.get());
  for (std::size_t i = 0; i < product(from.dims); ++i) values[i] = from.address[i];
  auto dims = from.dims;
  double divisor = 1;
  for (int d : dims_) {
    const Around a(dims, static_cast<std::size_t>(d));
    std::vector<double> next(a.before * a.behind);
    for (std::size_t o = 0; o < a.before; ++o)
      for (std::size_t k = 0; k < a.along; ++k)
        for (std::size_t i = 0; i < a.behind; ++i) next[o * a.behind + i] += values[(o * a.along + k) * a.behind + i];
    std::copy(next.begin(), next.end(), values);
    dims[static_cast<std::size_t>(d)] = 1;
    divisor *= static_cast<double>(a.along);
  }
  if (product(dims) != product(to.dims)) return Status::INVALID_PARAMETER;
  for (std::size_t i = 0; i < product(dims); ++i)
    to.address[i] = static_cast<float>(mode_ == Mode::MEAN ? values[i] / divisor : values[i]);
  return Status::SUCCESS;
}

class Pump {
 public:
  Work work;
};
Pump* Card::newPump(int) {
  made(1);
  return new Pump;
}
void Card::deletePump(Pump* pump) {
  made(-1);
  delete pump;
}
Status Card::awaitPump(Pump* pump) {
  drain(pump->work);
  return fails() ? Status::INTERNAL_ERROR : Status::SUCCESS;
}

Operation::Operation() { made(1); }
Operation::~Operation() { made(-1); }
size_t Operation::scratchBytes() const { return wanted_; }

namespace {
float* at(DevAddr a) { return reinterpret_cast<float*>(static_cast<uintptr_t>(a)); }
std::vector<int64_t> sides(const Plate& p) { return {p.sides.begin(), p.sides.end()}; }
// Steps are those of dense rows, or none.
bool dense(const Plate& p) {
  int32_t step = 1;
  for (std::size_t i = p.sides.size(); i-- > 0 && !p.steps.empty(); step *= p.sides[i])
    if (p.sides[i] != 1 && p.steps[i] != step) return false;
  return p.grain == Grain::Float;
}
}  // namespace

Status Sigmoid::prepare(const Plate& x, const Plate& y) {
  plates_ = {x, y};
  return fails() || !dense(x) || !dense(y) || x.sides != y.sides ? Status::INVALID_PARAMETER : Status::SUCCESS;
}
Status Sigmoid::execute(Pump& pump, DevAddr x, DevAddr y) {
  if (fails() || plates_.empty()) return Status::INTERNAL_ERROR;
  pump.work.push_back([=, n = product(sides(plates_[0]))] {
    for (std::size_t i = 0; i < n; ++i) at(y)[i] = 1 / (1 + std::exp(-at(x)[i]));
  });
  return Status::SUCCESS;
}

Status Gelu::prepare(const Plate& x, const Plate& y, Form form) {
  plates_ = {x, y};
  form_ = form;
  return fails() || !dense(x) || !dense(y) || x.sides != y.sides ? Status::INVALID_PARAMETER : Status::SUCCESS;
}
Status Gelu::execute(Pump& pump, DevAddr x, DevAddr y) {
  if (fails() || plates_.empty()) return Status::INTERNAL_ERROR;
  pump.work.push_back([=, n = product(sides(plates_[0])), form = form_] {
    for (std::size_t i = 0; i < n; ++i) {
      const double v = at(x)[i];
      const double inner = form == Exact ? std::erf(v / std::sqrt(2.0))
                                         : std::tanh(std::sqrt(2 / 3.14159265358979323846) * (v + 0.044715 * v * v * v));
      at(y)[i] = static_cast<float>(0.5 * v * (1 + inner));
    }
  });
  return Status::SUCCESS;
}

Status Softmax::prepare(const Plate& x, const Plate& y, int32_t axis) {
  plates_ = {x, y};
  axis_ = axis;
  wanted_ = 256;
  return fails() || !dense(x) || !dense(y) || x.sides != y.sides ? Status::INVALID_PARAMETER : Status::SUCCESS;
}
Status Softmax::execute(Pump& pump, DevAddr x, DevAddr y, DevAddr scratch) {
  if (fails() || scratch == 0) return Status::INTERNAL_ERROR;
  const Around a(sides(plates_[0]), static_cast<std::size_t>(axis_));
  drain(pump.work);
  std::memset(at(scratch), 0, 256);
  for (std::size_t o = 0; o < a.before; ++o)
    for (std::size_t i = 0; i < a.behind; ++i) {
      const float* from = at(x) + o * a.along * a.behind + i;
      float* to = at(y) + o * a.along * a.behind + i;
      float most = -std::numeric_limits<float>::infinity();
      double sum = 0;
      for (std::size_t k = 0; k < a.along; ++k) most = std::max(most, from[k * a.behind]);
      for (std::size_t k = 0; k < a.along; ++k) sum += std::exp(static_cast<double>(from[k * a.behind]) - most);
      for (std::size_t k = 0; k < a.along; ++k)
        to[k * a.behind] = static_cast<float>(std::exp(static_cast<double>(from[k * a.behind]) - most) / sum);
    }
  return Status::SUCCESS;
}

size_t MatMul::scratchBytes() const { return 64; }
Status MatMul::prepare(const Plate& a, bool flipA, const Plate& b, bool flipB, const Plate& y) {
  plates_ = {a, b, y};
  const std::size_t d = a.sides.size();
  const bool fits = d == b.sides.size() && (d == 2 || d == 3) && a.sides[d - 1] == b.sides[d - 2];
  return fails() || flipA || flipB || !fits || !dense(a) || !dense(b) ? Status::INVALID_PARAMETER : Status::SUCCESS;
}
Status MatMul::execute(Pump& pump, DevAddr a, DevAddr b, DevAddr y, DevAddr scratch) {
  if (fails() || scratch == 0) return Status::INTERNAL_ERROR;
  const auto l = sides(plates_[0]), r = sides(plates_[1]);
  const std::size_t d = l.size(), m = static_cast<std::size_t>(l[d - 2]), k = static_cast<std::size_t>(l[d - 1]);
  const std::size_t n = static_cast<std::size_t>(r[d - 1]), stack = d == 3 ? static_cast<std::size_t>(l[0]) : 1;
  pump.work.push_back([=] {
    for (std::size_t s = 0; s < stack; ++s)
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          float sum = 0;
          for (std::size_t x = 0; x < k; ++x) sum += at(a)[(s * m + i) * k + x] * at(b)[(s * k + x) * n + j];
          at(y)[(s * m + i) * n + j] = sum;
        }
  });
  return Status::SUCCESS;
}

}  // namespace dunnock
