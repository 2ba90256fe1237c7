// Vendor objects in kernels: descriptors, operators and workspaces for the length of a call, handles and queues for
// as long as the runtime is open. Everything is given back on every path out of a kernel.
//
// Used by generated kernels and meant for hand-written ones too. C++17, no torch, no Python.
#ifndef TORCHFL_OBJECTS_HPP
#define TORCHFL_OBJECTS_HPP

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <pthread.h>
#endif

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <type_traits>
#include <vector>

#include "torchfl/extents.hpp"
#include "torchfl/kernel.hpp"

// Leaves the kernel with the status of a step that failed; what it owns is given back on the way out.
#define TFL_TRY(step)                                  \
  do {                                                 \
    const tfl_status tfl_result = (step);              \
    if (tfl_result != TFL_OK) return tfl_result;       \
  } while (false)

namespace torchfl {

// A vendor object that its destructor gives back with `Destroy`, a vendor::Symbol or anything that is called alike.
// A library that lacks the function loses the object, not the process.
template <class T, class Destroy>
class Owned {
  static_assert(std::is_pointer_v<T>, "a vendor object is a pointer");

 public:
  explicit Owned(Destroy destroy) : destroy_(destroy) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (object_ != nullptr && destroy_) destroy_(object_);
  }

  // Where a vendor's function writes the object that it makes.
  T* out() { return &object_; }
  // For functions that return what they make. None is the vendor's way to say that it does not take these values.
  tfl_status take(T made) {
    object_ = made;
    return made != nullptr ? TFL_OK : unsupported("the vendor's library made no object of these values");
  }
  // For functions that give the object back themselves.
  void release() { object_ = nullptr; }
  operator T() const { return object_; }

 private:
  T object_ = nullptr;
  Destroy destroy_;
};

// For objects that no function of the vendor gives back.
struct NoEnd {
  template <class T>
  void operator()(T) const {}
  explicit operator bool() const { return false; }
};

template <class T, class Destroy>
Owned<T, Destroy> owned(Destroy destroy) {
  return Owned<T, Destroy>(destroy);
}

// As many objects as a list of tensors has, each given back in the end.
template <class T, class Destroy>
class OwnedList {
  static_assert(std::is_pointer_v<T>, "a vendor object is a pointer");

 public:
  explicit OwnedList(Destroy destroy) : destroy_(destroy) {}
  OwnedList(const OwnedList&) = delete;
  OwnedList& operator=(const OwnedList&) = delete;
  ~OwnedList() {
    for (T object : objects_)
      if (object != nullptr && destroy_) destroy_(object);
  }

  // Where a vendor's function writes the next object; good until the one after it is asked for.
  T* out() { return &objects_.emplace_back(nullptr); }
  const T* data() const { return objects_.data(); }
  size_t size() const { return objects_.size(); }
  T operator[](size_t i) const { return objects_[i]; }

 private:
  std::vector<T> objects_;
  Destroy destroy_;
};

template <class T, class Destroy>
OwnedList<T, Destroy> owned_list(Destroy destroy) {
  return OwnedList<T, Destroy>(destroy);
}

// A number for the calling thread that no other thread gets, also none that comes after it.
inline uint64_t thread_number() {
  static uint64_t last = 0;
  thread_local const uint64_t mine = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
  return mine;
}

// The objects that a chip library keeps: one of each kind per thread and device, made at their first use. Vendors'
// handles are rarely safe to share between threads. A thread that ends gives its own back. Those of the main thread,
// which ends with the process, stay for clear(): by then the vendor's library may be gone.
class Kept {
 public:
  static Kept& all() {
    static Kept* const kept = new Kept;  // never destroyed: threads outlive static destructors
    return *kept;
  }

  // `kind` tells the objects of one caller from another's; `make(&object)` makes one, `destroy(object)` undoes it.
  template <class T, class Make, class Destroy>
  tfl_status get(const void* kind, int32_t device, T* object, Make&& make, Destroy destroy) {
    static_assert(std::is_pointer_v<T> && std::is_empty_v<Destroy> && std::is_convertible_v<Destroy, void (*)(T)>);
    const uint64_t thread = thread_number();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (const Entry& e : entries_) {
        if (e.kind == kind && e.device == device && e.thread == thread) {
          *object = static_cast<T>(e.object);
          return TFL_OK;
        }
      }
    }
    *object = nullptr;
    const tfl_status made = make(object);  // outside the lock: one object may need another
    if (made != TFL_OK) return made;
    const auto undo = [](void* p, void (*function)()) { reinterpret_cast<void (*)(T)>(function)(static_cast<T>(p)); };
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      entries_.push_back({kind, device, thread, const_cast<void*>(static_cast<const void*>(*object)), undo,
                          reinterpret_cast<void (*)()>(static_cast<void (*)(T)>(destroy))});
    }
    thread_local const End end(*this);
    static const Exit exit(*this);  // registered after the vendor's library is loaded, so it comes before its own
    return TFL_OK;
  }

  // Gives everything back, the youngest first; called before the vendor's runtime is shut down, when no kernel runs.
  void clear() noexcept {
    undo([](const Entry&) { return true; });
  }

 private:
  struct Entry {
    const void* kind;
    int32_t device;
    uint64_t thread;
    void* object;
    void (*undo)(void*, void (*)());
    void (*function)();
  };
  // What a thread does as it ends.
  struct End {
    explicit End(Kept& of) : kept(of) {}
    ~End() { kept.end(thread); }
    Kept& kept;
    const uint64_t thread = thread_number();
  };
  // From here on the process ends, and other libraries with it.
  struct Exit {
    explicit Exit(Kept& of) : kept(of) {}
    ~Exit() { __atomic_store_n(&kept.exiting_, true, __ATOMIC_RELEASE); }
    Kept& kept;
  };

  static bool is_main() {
#if defined(__linux__)
    return syscall(SYS_gettid) == getpid();
#elif defined(__APPLE__)
    return pthread_main_np() != 0;
#else
    return true;  // not known: its objects stay until clear()
#endif
  }

  void end(uint64_t thread) noexcept {
    if (is_main() || __atomic_load_n(&exiting_, __ATOMIC_ACQUIRE)) return;
    undo([thread](const Entry& e) { return e.thread == thread; });
  }

  // Whoever clears waits for a thread that is ending, and leaves nothing to it.
  template <class Chosen>
  void undo(Chosen chosen) noexcept {
    const std::lock_guard<std::mutex> one_at_a_time(undoing_);
    std::vector<Entry> mine;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto rest = std::stable_partition(entries_.begin(), entries_.end(), [&](const Entry& e) { return !chosen(e); });
      mine.assign(rest, entries_.end());
      entries_.erase(rest, entries_.end());
    }
    for (auto e = mine.rbegin(); e != mine.rend(); ++e) e->undo(e->object, e->function);
  }

  std::mutex mutex_, undoing_;
  std::vector<Entry> entries_;
  bool exiting_ = false;
};

// Device memory that a vendor's function works in, for the length of a call. Before it is given back the call's
// queue is waited for: the function may still be running when it returns.
class Workspace {
 public:
  Workspace(const tfl_device_api& api, const tfl_call& call) : api_(api), call_(call) {}
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    if (handle_ == nullptr) return;
    if (call_.stream != nullptr && api_.stream_synchronize != nullptr) {
      api_.stream_synchronize(call_.device, call_.stream);
    } else if (api_.synchronize != nullptr) {
      api_.synchronize(call_.device);
    }
    api_.free(call_.device, handle_);
  }

  tfl_status reserve(uint64_t bytes) {
    return bytes == 0 ? TFL_OK : api_.alloc(call_.device, bytes, &handle_);
  }
  void* data() const { return handle_; }

 private:
  const tfl_device_api& api_;
  const tfl_call& call_;
  void* handle_ = nullptr;
};

// A factor that a vendor's function reads through void*: by convention a double for elements of that type, else a float.
class Factor {
 public:
  Factor(tfl_dtype dtype, double value) : wide_(dtype == TFL_F64), double_(value), float_(static_cast<float>(value)) {}
  const void* data() const { return wide_ ? static_cast<const void*>(&double_) : &float_; }

 private:
  bool wide_;
  double double_;
  float float_;
};

// The extents by which a dense tensor is described to the vendor, row-major.
struct Shape {
  int32_t rank;
  int64_t sizes[ExtentSpace::max_rank];
  int64_t strides[ExtentSpace::max_rank];
};

inline Shape shape(std::initializer_list<int64_t> sizes) {
  Shape made{};
  for (const int64_t size : sizes) made.sizes[made.rank++] = size;
  int64_t step = 1;
  for (int32_t i = made.rank - 1; i >= 0; --i) {
    made.strides[i] = step;
    step *= made.sizes[i] > 0 ? made.sizes[i] : 1;
  }
  return made;
}

// For ops that look at one element at a time: all of them along the last of four dimensions, which every SDK takes.
inline Shape flat(const tfl_tensor& t) { return shape({1, 1, 1, t.numel}); }

// The tensor's own extents; a single number has one dimension of one. Of more dimensions than fit, none.
inline Shape whole(const tfl_tensor& t) {
  if (t.rank == 0) return shape({1});
  if (t.rank < 0 || t.rank > ExtentSpace::max_rank) return Shape{};
  Shape made{};
  made.rank = t.rank;
  int64_t step = 1;
  for (int32_t i = t.rank - 1; i >= 0; --i) {
    made.sizes[i] = t.sizes[i];
    made.strides[i] = step;
    step *= t.sizes[i] > 0 ? t.sizes[i] : 1;
  }
  return made;
}

// A convolution's weight, with its groups as a dimension of their own in front where there are several.
inline Shape grouped(const tfl_tensor& weight, int64_t groups) {
  if (groups == 1 || weight.rank != 4) return whole(weight);
  return shape({groups, weight.sizes[0] / groups, weight.sizes[1], weight.sizes[2], weight.sizes[3]});
}

// Dimension `dim` (negative: from the end) as the second of four, as descriptors have their channels.
inline Shape around(const tfl_tensor& t, int64_t dim) {
  if (t.rank == 0) return shape({1, 1, 1, 1});
  const int64_t at = dim < 0 ? dim + t.rank : dim;
  int64_t before = 1, behind = 1;
  for (int64_t i = 0; i < at; ++i) before *= t.sizes[i];
  for (int64_t i = at + 1; i < t.rank; ++i) behind *= t.sizes[i];
  return shape({before, t.sizes[at], behind, 1});
}

// What is left of a tensor when its dimensions `dims` (a number, a list; none or no entries: all) are reduced to one
// element each, which is how results of reductions are described whether or not PyTorch keeps those dimensions.
inline Shape reduced(const tfl_tensor& t, const tfl_attr& dims) {
  Shape made = whole(t);
  const bool all = dims.kind == TFL_ATTR_NONE || (dims.kind == TFL_ATTR_INT_LIST && dims.count == 0);
  const int64_t count = all ? made.rank : dims.kind == TFL_ATTR_INT_LIST ? dims.count : 1;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t dim = all ? i : at(dims, i, 0);
    const int64_t front = dim < 0 ? dim + made.rank : dim;
    if (front >= 0 && front < made.rank) made.sizes[front] = 1;
  }
  int64_t step = 1;
  for (int32_t i = made.rank - 1; i >= 0; --i) {
    made.strides[i] = step;
    step *= made.sizes[i];
  }
  return made;
}

// A dimension counted from the front.
inline int64_t from_front(const tfl_tensor& t, int64_t dim) {
  if (t.rank == 0) return 0;
  return dim < 0 ? dim + t.rank : dim;
}

// A tensor's extents as an array of the vendor's integer type, in room of its own.
template <class T>
struct Extents {
  T values[ExtentSpace::max_rank];

  bool fill(const int64_t* from, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
      if (!assign(values[i], from[i])) return false;
    }
    return true;
  }
};

// Dimensions that an op works along, counted from the front, as an array of the vendor's integer type. A tensor without
// dimensions counts as one with a single element along its only one, as it is described to the vendor.
template <class T>
struct Dims {
  T values[ExtentSpace::max_rank];
  int64_t count = 0;

  // Those of `dims` (a number, a list; none or no entries: all), in rising order.
  bool among(const tfl_tensor& t, const tfl_attr& dims) {
    uint64_t mask = 0;
    if (t.rank > ExtentSpace::max_rank || !dimension_mask(t.rank, dims, &mask)) return false;
    for (int32_t i = 0; i < ExtentSpace::max_rank; ++i) {
      if (mask >> i & 1u) values[count++] = static_cast<T>(i);
    }
    return true;
  }

  // An order of all of a tensor's dimensions, as `dims` lists it.
  bool order(const tfl_tensor& t, const tfl_attr& dims) {
    if (t.rank == 0) values[count++] = 0;
    if (t.rank > ExtentSpace::max_rank || dims.kind != TFL_ATTR_INT_LIST || dims.count != t.rank) return false;
    for (int64_t i = 0; i < dims.count; ++i) values[count++] = static_cast<T>(from_front(t, dims.list[i]));
    return true;
  }
};

}  // namespace torchfl

#endif
