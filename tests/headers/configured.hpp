// Classes whose objects are ops: told their tensors by configure, run later.
#pragma once
#include <cstddef>
#include <vector>

namespace cf {
class ITensor;
class AxesVector;
enum class ReductionOperation { MEAN_SUM, SUM, MIN, MAX };
struct ActivationInfo {
  enum class Function { LOGISTIC, TANH, RELU, IDENTITY };
};
class CFActivationLayer {
 public:
  void configure(ITensor *input, ITensor *output, const ActivationInfo &info);
  void run();
};
class CFReductionOperation {
 public:
  void configure(ITensor *input, ITensor *output, unsigned axis, ReductionOperation op, bool keep_dims = true);
  void run();
};
class CFConcatenateLayer {
 public:
  void configure(std::vector<const ITensor *> inputs_vector, ITensor *output, size_t axis);
  void run();
};
class CFPermute {
 public:
  void configure(const ITensor *input, ITensor *output, const AxesVector &perm);
  void run();
};
class CFGEMM {
 public:
  void configure(const ITensor *a, const ITensor *b, const ITensor *c, ITensor *d, float alpha, float beta);
  void run();
};
class Stream;
class Tensor;
class Pow {  // fluent: told its tensors one by one
 public:
  Pow &base(const Tensor &t);
  Pow &exponent(const Tensor &t);
  Pow &output(Tensor &t);
  int run(Stream &stream);
};
class Convolution {
 public:
  void RunBwdData(ITensor &gradin, const ITensor &gradout, const ITensor &weight);
};
}  // namespace cf
