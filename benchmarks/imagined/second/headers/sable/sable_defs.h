#pragma once
// Sable Deep Learning API - definitions

#include <cstddef>
#include <cstdint>
#include <vector>

#define SDL_EXPORT __attribute__((visibility("default")))

namespace sable {
namespace dl {

struct float16;
struct int4x2;

enum Error {
  SUCCESS = 0,
  INVALID_PARAM = -1,
  RUNTIME_ERROR = -2,
  NO_ENOUGH_WORKSPACE = -3,
  NOT_IMPLEMENT = -4,
};

enum class ActKind { LINEAR = 0, RELU, RELU6, SIGMOID, TANH, HSWISH, LEAKY };

struct Act {
  ActKind kind;
  float leaky_alpha;
};

/// Per-thread state of the library: stream, workspace and debug level.
class SDL_EXPORT Ctx {
 public:
  explicit Ctx(int devid = 0);
  ~Ctx();
  int set_workspace(void* gm, size_t bytes);
  int set_stream(void* stream);
  void* stream() const;
  void set_debug(int level);
  int wait();

 private:
  void* impl_;
};

SDL_EXPORT Ctx* create_ctx(int devid);
SDL_EXPORT void destroy_ctx(Ctx* ctx);
SDL_EXPORT const char* error_text(int code);

}  // namespace dl
}  // namespace sable
