/**
 * @file    SiroccoOps.hpp
 * @brief   Operation objects of the Sirocco NPU library (libsirocco-ops)
 *
 * @copyright Copyright (C) 2022 - 2026 Sirocco Microelectronics Inc.
 *            Use of this file is governed by the Sirocco SDK agreement.
 *
 * How to use an operation
 * -----------------------
 *   1. make the object (cheap)
 *   2. prepare() it for shapes and attributes; this compiles the microcode and may take milliseconds
 *   3. ask scratchBytes() and provide that much device memory
 *   4. execute() it as often as wanted, with any addresses
 *
 * Objects aren't thread safe.
 */
#ifndef SIROCCO_OPS_HPP
#define SIROCCO_OPS_HPP

#include <cstddef>
#include <cstdint>
#include <array>
#include <vector>

#define SIROCCO_OPS_API_LEVEL 31

namespace sirocco {

enum class Outcome : int32_t {
    Done = 0,
    Refused = -1,        ///< the attributes are not supported
    BadPlate = -2,
    NotPrepared = -3,
    ScratchTooSmall = -4,
    DeviceLost = -100
};

enum class Grain : uint8_t { Float, Half, BFloat, Int, Short, Char, Bool, QChar };

/// Shape and element type of an operand. Holds no memory.
struct Plate {
    Grain grain = Grain::Float;
    std::vector<int32_t> sides;
    std::vector<int32_t> steps;      ///< empty: dense
    float qscale = 1.f;              ///< of QChar
    int32_t qzero = 0;
};

typedef uint64_t DevAddr;
class Pump;                          ///< queue of work

// ------------------------------------------------------------------ device --
class Npu {
public:
    static int howMany();
    static Outcome choose(int which);
    static Outcome quiesce();
    static Outcome obtain(DevAddr* addr, size_t bytes, size_t align = 128);
    static Outcome giveBack(DevAddr addr);
    static Outcome push(DevAddr dst, const void* src, size_t bytes);
    static Outcome pull(void* dst, DevAddr src, size_t bytes);
    static Outcome shift(DevAddr dst, DevAddr src, size_t bytes);
    static const char* explain(Outcome o);
    static Pump* newPump(int priority = 0);
    static void deletePump(Pump* pump);
    static Outcome awaitPump(Pump* pump);
};

// -------------------------------------------------------------------- base --
class Operation {
public:
    virtual ~Operation();
    virtual size_t scratchBytes() const;
    Outcome setName(const char* name);     ///< shown by the profiler
    double lastMicroseconds() const;
protected:
    Operation();
    void* body_ = nullptr;
};

// ------------------------------------------------------------- elementwise --

enum class MapKind {
    Abs, Neg, Exp, Log, Sqrt, Rsqrt, Recip, Sin, Cos, Floor, Ceil, Round, Erf
};

/** One function of one operand. */
class Map final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y, MapKind kind);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y, DevAddr scratch = 0);
};

enum class MixKind { Plus, Minus, Times, Over, Pow, Greater, Smaller };

/** One function of two operands, which are broadcast. */
class Mix final : public Operation {
public:
    Outcome prepare(const Plate& a, const Plate& b, const Plate& y, MixKind kind);
    Outcome execute(Pump& pump, DevAddr a, DevAddr b, DevAddr y, DevAddr scratch = 0);
};

enum class JudgeKind { Eq, Ne, Lt, Le, Gt, Ge };

/** Compares; y is Bool. */
class Judge final : public Operation {
public:
    Outcome prepare(const Plate& a, const Plate& b, const Plate& y, JudgeKind kind);
    Outcome execute(Pump& pump, DevAddr a, DevAddr b, DevAddr y);
};

class LogicAnd final : public Operation {
public:
    Outcome prepare(const Plate& a, const Plate& b, const Plate& y);
    Outcome execute(Pump& pump, DevAddr a, DevAddr b, DevAddr y);
};
class LogicNot final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};

/** y = cond ? a : b */
class Select final : public Operation {
public:
    Outcome prepare(const Plate& cond, const Plate& a, const Plate& b, const Plate& y);
    Outcome execute(Pump& pump, DevAddr cond, DevAddr a, DevAddr b, DevAddr y);
};

// Activations have a class each since their microcode differs a lot.
class Relu final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};
class LeakyRelu final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y, float slope);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};
class Sigmoid final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};
class Tanh final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};
class Gelu final : public Operation {
public:
    enum Form { Exact, Tanh };
    Outcome prepare(const Plate& x, const Plate& y, Form form);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};
class HardSigmoid final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};
class Saturate final : public Operation {   ///< y = min(max(x, lo), hi)
public:
    Outcome prepare(const Plate& x, const Plate& y, float lo, float hi);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};

// ------------------------------------------------------------------ linear --

/** y = op(a) op(b), of matrices, or of stacks of them when the plates have three sides. */
class MatMul final : public Operation {
public:
    Outcome prepare(const Plate& a, bool flipA, const Plate& b, bool flipB, const Plate& y);
    Outcome execute(Pump& pump, DevAddr a, DevAddr b, DevAddr y, DevAddr scratch);
};

/** y = x wT + bias; bias may be 0 */
class Dense final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& w, const Plate* bias, const Plate& y);
    Outcome execute(Pump& pump, DevAddr x, DevAddr w, DevAddr bias, DevAddr y, DevAddr scratch);
};

/** Dense with QChar operands; the scales are taken from the plates. */
class QDense final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& w, const Plate* bias, const Plate& y);
    Outcome execute(Pump& pump, DevAddr x, DevAddr w, DevAddr bias, DevAddr y, DevAddr scratch);
};

struct ConvSpec {
    std::array<int32_t, 2> step{{1, 1}};
    std::array<int32_t, 4> border{{0, 0, 0, 0}};   ///< top, bottom, left, right
    std::array<int32_t, 2> gap{{1, 1}};            ///< dilatation
    int32_t teams = 1;                             ///< groups
};

class Conv2 final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& w, const Plate* bias, const Plate& y, const ConvSpec& spec);
    Outcome execute(Pump& pump, DevAddr x, DevAddr w, DevAddr bias, DevAddr y, DevAddr scratch);
};
/** Conv2, then the running statistics, then Relu, in one pass. */
class ConvNormRelu final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& w, const Plate& y, const ConvSpec& spec, float eps);
    Outcome execute(Pump& pump, DevAddr x, DevAddr w, DevAddr mean, DevAddr var, DevAddr y, DevAddr scratch);
};

struct PoolSpec {
    std::array<int32_t, 2> window{{2, 2}}, step{{2, 2}};
    std::array<int32_t, 2> border{{0, 0}};
};
class MaxPool2 final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y, const PoolSpec& spec);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};
class AvgPool2 final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y, const PoolSpec& spec, bool countBorder);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};
class GlobalAvgPool final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};

// --------------------------------------------------------------- reduction --

enum class FoldKind { Sum, Mean, Max, Min, Prod };

class Fold final : public Operation {
public:
    /** @param axes  which sides are folded away (they stay in y with size 1 if @p keep) */
    Outcome prepare(const Plate& x, const Plate& y, const std::vector<int32_t>& axes, bool keep, FoldKind kind);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y, DevAddr scratch);
};

class ArgMax final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y, int32_t axis);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};
class ArgMin final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y, int32_t axis);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};
class Softmax final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y, int32_t axis);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y, DevAddr scratch);
};
class LogSoftmax final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y, int32_t axis);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y, DevAddr scratch);
};
class CumSum final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y, int32_t axis);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};

class LayerNorm final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y, int32_t firstAxis, float eps);
    Outcome execute(Pump& pump, DevAddr x, DevAddr gain, DevAddr shift, DevAddr y, DevAddr scratch);
};
class BatchNormInfer final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y, float eps);
    Outcome execute(Pump& pump, DevAddr x, DevAddr mean, DevAddr var, DevAddr gain, DevAddr shift, DevAddr y);
};

// --------------------------------------------------------------- movement ---

/** Permutes the sides: side i of y is side order[i] of x. */
class Transpose final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y, const std::vector<int32_t>& order);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};
class Concat final : public Operation {
public:
    Outcome prepare(const std::vector<Plate>& xs, const Plate& y, int32_t axis);
    Outcome execute(Pump& pump, const std::vector<DevAddr>& xs, DevAddr y);
};
class Cast final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};
/** ONNX' Gather: slices of x along axis at idx. */
class Gather final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& idx, const Plate& y, int32_t axis);
    Outcome execute(Pump& pump, DevAddr x, DevAddr idx, DevAddr y);
};
/** ONNX' GatherElements: idx and y have the same shape. */
class GatherElements final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& idx, const Plate& y, int32_t axis);
    Outcome execute(Pump& pump, DevAddr x, DevAddr idx, DevAddr y);
};
class Embedding final : public Operation {
public:
    Outcome prepare(const Plate& table, const Plate& ids, const Plate& y);
    Outcome execute(Pump& pump, DevAddr table, DevAddr ids, DevAddr y);
};
class Quantize final : public Operation {
public:
    Outcome prepare(const Plate& x, const Plate& y);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};
class ColorConvert final : public Operation {
public:
    enum Code { NV12ToRGB, RGBToGray, BGRToRGB };
    Outcome prepare(const Plate& x, const Plate& y, Code code);
    Outcome execute(Pump& pump, DevAddr x, DevAddr y);
};
class NonMaxSuppression final : public Operation {
public:
    Outcome prepare(const Plate& boxes, const Plate& scores, int32_t most, float iou, float score);
    Outcome execute(Pump& pump, DevAddr boxes, DevAddr scores, DevAddr kept, DevAddr count, DevAddr scratch);
};

} // namespace sirocco

#endif /* SIROCCO_OPS_HPP */
