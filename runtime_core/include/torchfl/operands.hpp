// Operands that a vendor's function wants in another form than PyTorch has them: elements of another type, a matrix in
// another order, what is added as one row, arrays of addresses. Each is made on the host where it has to be made at all,
// and lives for the length of a call.
//
// Used by generated kernels and meant for hand-written ones too. C++17, no torch, no Python.
#ifndef TORCHFL_OPERANDS_HPP
#define TORCHFL_OPERANDS_HPP

#include "torchfl/objects.hpp"

namespace torchfl {

// An index or a mask as elements of the vendor's type T. PyTorch's indices have 64 bits and its masks one byte that is 0 or
// 1; `fill` makes the vendor's of an input, `reserve` room for a result, and `give` puts what the vendor wrote there into the
// result. Nothing is made where the elements are the vendor's own.
template <class T>
class Recast {
 public:
  Recast(const tfl_device_api& api, const tfl_call& call) : api_(api), call_(call), own_(api, call) {}

  tfl_status fill(const tfl_tensor& t) {
    if (is_own(t.dtype)) {
      data_ = torchfl::data<T>(t);
      return TFL_OK;
    }
    const auto count = static_cast<size_t>(t.numel);
    if (count == 0) return TFL_OK;
    std::vector<T> made(count);
    bool held = true;
    if (t.dtype == TFL_BOOL) {
      TFL_TRY(read<uint8_t>(t, [&](size_t i, uint8_t value) { made[i] = static_cast<T>(value != 0); }));
    } else if (t.dtype == TFL_I64) {
      TFL_TRY(read<int64_t>(t, [&](size_t i, int64_t value) {
        if constexpr (std::is_integral_v<T>) held = held && fits<T>(value);
        made[i] = static_cast<T>(value);
      }));
    } else {
      return unsupported("neither a mask nor an index");
    }
    if (!held) return unsupported("an index beyond the vendor's type");
    TFL_TRY(make_room(count));
    return api_.copy_h2d(call_.device, own_.data(), 0, made.data(), count * sizeof(T), call_.stream);
  }

  tfl_status reserve(const tfl_tensor& t) {
    if (!is_own(t.dtype)) return make_room(static_cast<size_t>(t.numel));
    data_ = torchfl::data<T>(t);
    return TFL_OK;
  }

  tfl_status give(const tfl_tensor& t) {
    const auto count = static_cast<size_t>(t.numel);
    if (own_.data() == nullptr || count == 0) return TFL_OK;
    std::vector<T> written(count);
    TFL_TRY(api_.copy_d2h(call_.device, written.data(), own_.data(), 0, count * sizeof(T), call_.stream));
    if (t.dtype == TFL_BOOL) return write<uint8_t>(t, written, [](T value) { return static_cast<uint8_t>(value != 0); });
    if (t.dtype == TFL_I64) return write<int64_t>(t, written, [](T value) { return static_cast<int64_t>(value); });
    return unsupported("neither a mask nor an index");
  }

  T* data() const { return data_; }

 private:
  static constexpr bool is_own(tfl_dtype dtype) {
    return (dtype == TFL_I32 && std::is_same_v<T, int32_t>) || (dtype == TFL_I64 && std::is_same_v<T, int64_t>);
  }
  tfl_status make_room(size_t count) {
    TFL_TRY(own_.reserve(count * sizeof(T)));
    data_ = static_cast<T*>(own_.data());
    return TFL_OK;
  }
  template <class From, class Each>
  tfl_status read(const tfl_tensor& t, Each each) {
    std::vector<From> values(static_cast<size_t>(t.numel));
    const uint64_t bytes = values.size() * sizeof(From);
    TFL_TRY(api_.copy_d2h(call_.device, values.data(), t.handle, t.byte_offset, bytes, call_.stream));
    for (size_t i = 0; i < values.size(); ++i) each(i, values[i]);
    return TFL_OK;
  }
  template <class To, class Change>
  tfl_status write(const tfl_tensor& t, const std::vector<T>& written, Change change) {
    std::vector<To> values(written.size());
    for (size_t i = 0; i < values.size(); ++i) values[i] = change(written[i]);
    return api_.copy_h2d(call_.device, t.handle, t.byte_offset, values.data(), values.size() * sizeof(To), call_.stream);
  }

  const tfl_device_api& api_;
  const tfl_call& call_;
  Workspace own_;
  T* data_ = nullptr;
};

// A matrix for functions that know no distance between rows: row-major and dense, itself or its transpose. PyTorch's is
// passed as it is where it lies so.
class DenseMatrix {
 public:
  DenseMatrix(const tfl_device_api& api, const tfl_call& call) : api_(api), call_(call), own_(api, call) {}

  // `turned`: the vendor wants the transpose.
  tfl_status fill(const tfl_tensor& t, bool turned) {
    if (t.rank != 2) return unsupported("no matrix");
    const int64_t rows = t.sizes[turned ? 1 : 0], cols = t.sizes[turned ? 0 : 1];
    const int64_t row_step = t.strides[turned ? 1 : 0], col_step = t.strides[turned ? 0 : 1];
    data_ = torchfl::data(t);
    if ((cols <= 1 || col_step == 1) && (rows <= 1 || row_step == cols)) return TFL_OK;
    const auto item = static_cast<size_t>(element_size(t.dtype));
    const auto span = static_cast<size_t>((rows - 1) * row_step + (cols - 1) * col_step + 1);
    std::vector<char> from(span * item), made(static_cast<size_t>(rows * cols) * item);
    TFL_TRY(api_.copy_d2h(call_.device, from.data(), t.handle, t.byte_offset, from.size(), call_.stream));
    char* to = made.data();
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < cols; ++j, to += item) {
        std::memcpy(to, from.data() + static_cast<size_t>(i * row_step + j * col_step) * item, item);
      }
    }
    TFL_TRY(own_.reserve(made.size()));
    data_ = own_.data();
    return api_.copy_h2d(call_.device, data_, 0, made.data(), made.size(), call_.stream);
  }

  template <class T>
  T* data() const {
    return static_cast<T*>(data_);
  }

 private:
  const tfl_device_api& api_;
  const tfl_call& call_;
  Workspace own_;
  void* data_ = nullptr;
};

// What is added to a matrix, for functions that add one row to every row of their result: one row for a whole call, or a
// row for each of as many calls as the result has rows.
class AddedRows {
 public:
  AddedRows(const tfl_device_api& api, const tfl_call& call) : api_(api), call_(call), own_(api, call) {}

  // `t` expands to `out`, a matrix, and is contiguous.
  tfl_status fill(const tfl_tensor& t, const tfl_tensor& out) {
    const int64_t cols = out.sizes[1];
    const int64_t last = t.rank > 0 ? t.sizes[t.rank - 1] : 1, rows = t.rank > 1 ? t.sizes[0] : 1;
    step_ = rows == 1 ? 0 : cols;
    data_ = static_cast<char*>(torchfl::data(t));
    if (last == cols) return TFL_OK;
    const auto item = static_cast<size_t>(element_size(t.dtype));
    std::vector<char> numbers(static_cast<size_t>(rows) * item);
    TFL_TRY(api_.copy_d2h(call_.device, numbers.data(), t.handle, t.byte_offset, numbers.size(), call_.stream));
    std::vector<char> made;
    made.reserve(numbers.size() * static_cast<size_t>(cols));
    for (size_t i = 0; i < numbers.size(); i += item) {
      for (int64_t j = 0; j < cols; ++j) made.insert(made.end(), &numbers[i], &numbers[i] + item);
    }
    return put(made);
  }

  // Nothing is added.
  tfl_status zeros(const tfl_tensor& out) {
    step_ = 0;
    return put(std::vector<char>(static_cast<size_t>(out.sizes[1]) * static_cast<size_t>(element_size(out.dtype))));
  }

  // The row for the calls from row `i` of the result on, and how many of `all` rows it is for.
  template <class T>
  T* row(int64_t i) const {
    return reinterpret_cast<T*>(data_) + i * step_;
  }
  int64_t rows(int64_t all) const { return step_ == 0 ? all : 1; }

 private:
  tfl_status put(const std::vector<char>& made) {
    TFL_TRY(own_.reserve(made.size()));
    data_ = static_cast<char*>(own_.data());
    return made.empty() ? TFL_OK : api_.copy_h2d(call_.device, own_.data(), 0, made.data(), made.size(), call_.stream);
  }

  const tfl_device_api& api_;
  const tfl_call& call_;
  Workspace own_;
  char* data_ = nullptr;
  int64_t step_ = 0;
};

// An array in the device's memory.
template <class T>
class DeviceArray {
 public:
  DeviceArray(const tfl_device_api& api, const tfl_call& call) : api_(api), call_(call), own_(api, call) {}

  tfl_status fill(const std::vector<T>& values) {
    const uint64_t bytes = values.size() * sizeof(T);
    if (bytes == 0) return TFL_OK;
    TFL_TRY(own_.reserve(bytes));
    return api_.copy_h2d(call_.device, own_.data(), 0, values.data(), bytes, call_.stream);
  }
  T* data() const { return static_cast<T*>(own_.data()); }

 private:
  const tfl_device_api& api_;
  const tfl_call& call_;
  Workspace own_;
};

// Where the tensors of a list lie.
template <class T>
std::vector<T*> addresses(const tfl_call& call) {
  std::vector<T*> found;
  found.reserve(call.num_inputs);
  for (uint32_t i = 0; i < call.num_inputs; ++i) found.push_back(torchfl::data<T>(call.inputs[i]));
  return found;
}

// How many runs of `each` elements every tensor of a list has; false where the vendor's type does not hold one.
template <class T>
bool runs(const tfl_call& call, int64_t each, std::vector<T>* to) {
  to->resize(call.num_inputs);
  for (uint32_t i = 0; i < call.num_inputs; ++i) {
    if (each == 0 || !assign((*to)[i], call.inputs[i].numel / each)) return false;
  }
  return true;
}

// Puts one tensor's elements into another of the same form, for functions that overwrite an operand: within the device
// where it copies there, else by way of the host.
inline tfl_status begin_as(const tfl_device_api& api, const tfl_call& call, const tfl_tensor& from, const tfl_tensor& to) {
  const uint64_t bytes = static_cast<uint64_t>(to.numel) * element_size(to.dtype);
  if (same_memory(from, to) || bytes == 0) return TFL_OK;
  if (api.copy_d2d != nullptr) {
    return api.copy_d2d(call.device, to.handle, to.byte_offset, from.handle, from.byte_offset, bytes, call.stream);
  }
  std::vector<char> held(static_cast<size_t>(bytes));
  TFL_TRY(api.copy_d2h(call.device, held.data(), from.handle, from.byte_offset, bytes, call.stream));
  return api.copy_h2d(call.device, to.handle, to.byte_offset, held.data(), bytes, call.stream);
}

// A cast as one number, for a switch.
constexpr int32_t cast(tfl_dtype from, tfl_dtype to) { return from * TFL_DTYPE_COUNT + to; }

// A cast by way of elements of another type, in memory of their own.
template <class First, class Second>
tfl_status cast_twice(const tfl_device_api& api, const tfl_call& call, tfl_dtype between, First first, Second second) {
  const tfl_tensor &self = call.inputs[0], &out = call.outputs[0];
  Workspace room(api, call);
  TFL_TRY(room.reserve(static_cast<uint64_t>(self.numel) * element_size(between)));
  tfl_tensor middle = out;
  middle.dtype = between;
  middle.handle = room.data();
  middle.byte_offset = 0;
  TFL_TRY(first(self, middle));
  return second(middle, out);
}

}  // namespace torchfl

#endif
