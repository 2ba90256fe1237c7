#ifndef LUMEN_HPP
#define LUMEN_HPP

/*
 * Lumen photonic accelerator: operator objects.
 *
 * An operator is configured with setters and may then be run any number of times. Objects are not thread safe.
 */

#include <cstdint>
#include <cstddef>
#include <memory>
#include <vector>

namespace lumen {

enum class Status : int { Ok = 0, InvalidArgument = 1, Unsupported = 2, OutOfMemory = 3, DeviceLost = 4 };
enum class DataType : uint8_t { Float32, Float16, BFloat16, Int8, UInt8, Int32 };
enum class MemoryKind { HostToDevice, DeviceToHost, DeviceToDevice };

class Shape {
public:
    Shape() = default;
    Shape(std::initializer_list<int32_t> dims);
    int32_t operator[](size_t i) const;
    size_t rank() const;
    size_t count() const;
private:
    std::vector<int32_t> m_dims;
};

class Device;
class Stream {
public:
    static std::shared_ptr<Stream> create(const std::shared_ptr<Device>& device);
    Status synchronize();
    bool isIdle() const;
};
using StreamPtr = std::shared_ptr<Stream>;

class Device {
public:
    static int count();
    static std::shared_ptr<Device> open(int ordinal);
    Status synchronize();
    Status allocate(size_t bytes, void** address);
    Status deallocate(void* address);
    Status copy(void* to, const void* from, size_t bytes, MemoryKind kind);
    Status copyAsync(void* to, const void* from, size_t bytes, MemoryKind kind, const StreamPtr& stream);
    float laserPower() const;
    Status calibrate();
};

/// Device memory with a type and a shape. The memory stays the caller's.
class Tensor {
public:
    Tensor(void* address, DataType type, const Shape& shape);
    Tensor(void* address, DataType type, const Shape& shape, const std::vector<int64_t>& strides);
    void* address() const;
    DataType type() const;
    const Shape& shape() const;
    Status setQuantization(float scale, int32_t zeroPoint);
private:
    struct Impl;
    std::shared_ptr<Impl> m_impl;
};

class Operator {
public:
    virtual ~Operator() = default;
    virtual const char* name() const = 0;
    void setStream(const StreamPtr& stream);
    void setProfiling(bool on);
    double lastMicroseconds() const;
};

class Convolution2d final : public Operator {
public:
    Convolution2d();
    const char* name() const override;
    void setStride(int32_t y, int32_t x);
    void setPadding(int32_t top, int32_t left, int32_t bottom, int32_t right);
    void setDilation(int32_t y, int32_t x);
    void setGroups(int32_t groups);
    size_t scratchSize(const Tensor& input, const Tensor& weights, const Tensor& output) const;
    void setScratch(void* address, size_t bytes);
    /// bias may be null
    Status run(const Tensor& input, const Tensor& weights, const Tensor* bias, Tensor& output);
};

class FullyConnected final : public Operator {
public:
    const char* name() const override;
    void setWeightsTransposed(bool on);   // true: weights are (out, in), which is the default
    Status run(const Tensor& input, const Tensor& weights, const Tensor* bias, Tensor& output);
};

class MatrixMultiply final : public Operator {
public:
    const char* name() const override;
    void setTranspose(bool left, bool right);
    void setScale(float alpha);
    Status run(const Tensor& left, const Tensor& right, Tensor& output);
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
};

class Activation final : public Operator {
public:
    enum class Function { Relu, Relu6, Sigmoid, Tanh, Gelu, Swish, LeakyRelu, HardSwish };
    explicit Activation(Function function);
    const char* name() const override;
    void setSlope(float slope);
    Status run(const Tensor& input, Tensor& output);
    Status runInPlace(Tensor& data);
};

class Softmax final : public Operator {
public:
    const char* name() const override;
    void setAxis(int32_t axis);
    void setLog(bool on);
    Status run(const Tensor& input, Tensor& output);
};

class Elementwise final : public Operator {
public:
    enum class Function { Add, Subtract, Multiply, Divide, Minimum, Maximum, Power };
    explicit Elementwise(Function function);
    const char* name() const override;
    Status run(const Tensor& first, const Tensor& second, Tensor& output);
};

class Unary final : public Operator {
public:
    enum class Function { Abs, Negate, Exp, Log, Sqrt, Rsqrt, Sin, Cos, Floor, Ceil, Round };
    explicit Unary(Function function);
    const char* name() const override;
    Status run(const Tensor& input, Tensor& output);
};

class Reduction final : public Operator {
public:
    enum class Function { Sum, Mean, Max, Min, Product, SumOfSquares };
    explicit Reduction(Function function);
    const char* name() const override;
    void setAxes(const std::vector<int32_t>& axes);
    void setKeepDimensions(bool on);
    Status run(const Tensor& input, Tensor& output);
};

class LayerNormalization final : public Operator {
public:
    const char* name() const override;
    void setEpsilon(float epsilon);
    void setFirstAxis(int32_t axis);
    Status run(const Tensor& input, const Tensor* gamma, const Tensor* beta, Tensor& output);
};

class BatchNormalization final : public Operator {
public:
    const char* name() const override;
    void setEpsilon(float epsilon);
    Status run(const Tensor& input, const Tensor& mean, const Tensor& variance, const Tensor* gamma, const Tensor* beta, Tensor& output);
};

class Concatenation final : public Operator {
public:
    const char* name() const override;
    void setAxis(int32_t axis);
    Status run(const std::vector<Tensor>& inputs, Tensor& output);
};

class Permutation final : public Operator {
public:
    const char* name() const override;
    void setOrder(const std::vector<int32_t>& order);
    Status run(const Tensor& input, Tensor& output);
};

class Gather final : public Operator {
public:
    const char* name() const override;
    void setAxis(int32_t axis);
    Status run(const Tensor& input, const Tensor& indices, Tensor& output);
};

/// Feeds a whole transformer block through the mesh without leaving it.
class FusedAttentionBlock final : public Operator {
public:
    const char* name() const override;
    void setHeads(int32_t heads);
    Status run(const Tensor& input, const Tensor& qkvWeights, const Tensor& outWeights, Tensor& output);
};

/// Analog fast Fourier transform.
class Fourier final : public Operator {
public:
    const char* name() const override;
    void setInverse(bool on);
    Status run(const Tensor& input, Tensor& output);
};

class MeshCompensation final : public Operator {
public:
    const char* name() const override;
    Status run(const Tensor& reference, Tensor& phases);
};

const char* toString(Status status);
const char* version();

}  // namespace lumen

#endif
