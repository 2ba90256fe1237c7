// An op is a class: a setter chooses its mode, "Run" computes.
#pragma once
namespace oc {
class Handle;
class Tensor;
class Unary {
  public:
    enum class Mode { IDENTITY, RELU, SIGMOID, POW };
    int SetMode(Mode mode);
    int Run(Handle &handle, Tensor &out, const Tensor &in) const;
};
class MatMul {
  public:
    int Run(Handle &handle, Tensor &out, const Tensor &a, const Tensor &b) const;
};
}  // namespace oc
