// A C++ SDK: templates, overloads and member functions.
#pragma once
#include <cstdint>
namespace tm {
class Context;
struct Tensor;
template <typename T> int add(Context *ctx, const T *x, const T *y, T *z, int64_t len);
int relu(Context *ctx, const float *x, float *y, int len);
int relu(Context *ctx, const double *x, double *y, int len);
class Engine {
  public:
    int MatMul(const Tensor &a, const Tensor &b, Tensor &out);

  private:
    int Exp(const Tensor &a, Tensor &out);
};
}  // namespace tm
