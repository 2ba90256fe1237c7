/**
 * An imagined vendor's header.
 *
 * \file tilix.h
 * \brief Vector and cube interface for kernels running on a TX core.
 *
 * To be included in device code only (compile with tlxcc --device).
 */
#ifndef TILIX_KERNEL_API_H
#define TILIX_KERNEL_API_H

#include "tlx_core_intrin.h"  // __gm__, __ub__, half, set_flag/wait_flag

#include <stdint.h>

#ifndef __tlx_inline__
#define __tlx_inline__ static inline
#endif

namespace tlx {

enum class Pos : uint8_t { GM, UB, L1, L0A, L0B, L0C };
enum class Pipe : uint8_t { MTE_IN, MTE_OUT, VEC, CUBE, SCALAR, ALL };
enum class CmpOp : uint8_t { LT, GT, EQ, LE, GE, NE };
enum class RoundTo : uint8_t { NONE, RINT, FLOOR, CEIL, TRUNC };

struct CopyParams {
  uint16_t bursts, burst_len, src_gap, dst_gap;
};

struct RepeatParams {
  uint8_t dst_blk, src0_blk, src1_blk;
  uint8_t dst_rep, src0_rep, src1_rep;
};

template <typename T>
class LTensor {  // in local memory
 public:
  LTensor<T> operator[](uint32_t offset) const;
  T GetValue(uint32_t i) const;
  void SetValue(uint32_t i, T v) const;
  uint32_t GetSize() const;

 private:
  uint32_t addr_;
  uint32_t size_;
};

template <typename T>
class GTensor {  // in global memory
 public:
  void SetBuffer(uint64_t addr, uint64_t elements);
  GTensor<T> operator[](uint64_t offset) const;

 private:
  uint64_t addr_;
};

class Pool {
 public:
  template <typename T> LTensor<T> Get(uint32_t elements);
  void Reset();
};

// ---- core ------------------------------------------------------------------
int64_t CoreIndex();
int64_t CoreCount();
int64_t SubCoreIndex();
uint64_t CycleCounter();
template <Pipe P> void Barrier();
void SyncAllCores();
void Print(const char* fmt, ...);
void Trap();

// ---- moves ------------------------------------------------------------------
template <typename T> void Load(const LTensor<T>& dst, const GTensor<T>& src, uint32_t count);
template <typename T> void Load(const LTensor<T>& dst, const GTensor<T>& src, const CopyParams& params);
template <typename T> void Store(const GTensor<T>& dst, const LTensor<T>& src, uint32_t count);
template <typename T> void Store(const GTensor<T>& dst, const LTensor<T>& src, const CopyParams& params);
template <typename T> void StoreAtomicAdd(const GTensor<T>& dst, const LTensor<T>& src, uint32_t count);
template <typename T> void LocalMove(const LTensor<T>& dst, const LTensor<T>& src, uint32_t count);

// ---- vector, one operand ----------------------------------------------------
template <typename T> void VExp(const LTensor<T>& dst, const LTensor<T>& src, int32_t count);
template <typename T> void VLn(const LTensor<T>& dst, const LTensor<T>& src, int32_t count);
template <typename T> void VAbs(const LTensor<T>& dst, const LTensor<T>& src, int32_t count);
template <typename T> void VRec(const LTensor<T>& dst, const LTensor<T>& src, int32_t count);
template <typename T> void VSqrt(const LTensor<T>& dst, const LTensor<T>& src, int32_t count);
template <typename T> void VRsqrt(const LTensor<T>& dst, const LTensor<T>& src, int32_t count);
template <typename T> void VRelu(const LTensor<T>& dst, const LTensor<T>& src, int32_t count);
template <typename T> void VNot(const LTensor<T>& dst, const LTensor<T>& src, int32_t count);
template <typename T> void VTanh(const LTensor<T>& dst, const LTensor<T>& src, const LTensor<uint8_t>& tmp, int32_t count);
template <typename T> void VErf(const LTensor<T>& dst, const LTensor<T>& src, const LTensor<uint8_t>& tmp, int32_t count);
template <typename D, typename S> void VCast(const LTensor<D>& dst, const LTensor<S>& src, RoundTo mode, int32_t count);

// ---- vector, two operands; the second form is by mask and repeats -------------
template <typename T> void VAdd(const LTensor<T>& dst, const LTensor<T>& src0, const LTensor<T>& src1, int32_t count);
template <typename T> void VAdd(const LTensor<T>& dst, const LTensor<T>& src0, const LTensor<T>& src1, uint64_t mask, uint8_t repeat, const RepeatParams& params);
template <typename T> void VSub(const LTensor<T>& dst, const LTensor<T>& src0, const LTensor<T>& src1, int32_t count);
template <typename T> void VMul(const LTensor<T>& dst, const LTensor<T>& src0, const LTensor<T>& src1, int32_t count);
template <typename T> void VDiv(const LTensor<T>& dst, const LTensor<T>& src0, const LTensor<T>& src1, int32_t count);
template <typename T> void VMax(const LTensor<T>& dst, const LTensor<T>& src0, const LTensor<T>& src1, int32_t count);
template <typename T> void VMin(const LTensor<T>& dst, const LTensor<T>& src0, const LTensor<T>& src1, int32_t count);
template <typename T> void VAnd(const LTensor<T>& dst, const LTensor<T>& src0, const LTensor<T>& src1, int32_t count);
template <typename T> void VOr(const LTensor<T>& dst, const LTensor<T>& src0, const LTensor<T>& src1, int32_t count);
/// dst += src0 * src1
template <typename T> void VMla(const LTensor<T>& dst, const LTensor<T>& src0, const LTensor<T>& src1, int32_t count);
template <typename T> void VAddRelu(const LTensor<T>& dst, const LTensor<T>& src0, const LTensor<T>& src1, int32_t count);

// ---- vector and scalar --------------------------------------------------------
template <typename T> void VAdds(const LTensor<T>& dst, const LTensor<T>& src, T scalar, int32_t count);
template <typename T> void VMuls(const LTensor<T>& dst, const LTensor<T>& src, T scalar, int32_t count);
template <typename T> void VMaxs(const LTensor<T>& dst, const LTensor<T>& src, T scalar, int32_t count);
template <typename T> void VMins(const LTensor<T>& dst, const LTensor<T>& src, T scalar, int32_t count);
/// dst += src * scalar
template <typename T> void VAxpy(const LTensor<T>& dst, const LTensor<T>& src, T scalar, int32_t count);
template <typename T> void VDup(const LTensor<T>& dst, T scalar, int32_t count);
template <typename T> void VIndex(const LTensor<T>& dst, T first, int32_t count);

// ---- reductions, selection, sort ----------------------------------------------
template <typename T> void VCmp(const LTensor<uint8_t>& dst, const LTensor<T>& src0, const LTensor<T>& src1, CmpOp op, int32_t count);
template <typename T> void VSel(const LTensor<T>& dst, const LTensor<uint8_t>& bits, const LTensor<T>& src0, const LTensor<T>& src1, int32_t count);
template <typename T> void WholeReduceSum(const LTensor<T>& dst, const LTensor<T>& src, const LTensor<T>& work, int32_t count);
template <typename T> void WholeReduceMax(const LTensor<T>& dst, const LTensor<T>& src, const LTensor<T>& work, int32_t count, bool with_index);
template <typename T> void BlockReduceMax(const LTensor<T>& dst, const LTensor<T>& src, int32_t repeat, int32_t mask);
template <typename T> void VGather(const LTensor<T>& dst, const LTensor<T>& src, const LTensor<uint32_t>& offsets, uint32_t base, uint32_t count);
template <typename T> void Transpose16x16(const LTensor<T>& dst, const LTensor<T>& src);
template <typename T> void MrgSort4(const LTensor<T>& dst, const LTensor<T>* const src[4], const uint16_t lengths[4]);
template <typename T> void Sort32(const LTensor<T>& dst, const LTensor<T>& src, const LTensor<uint32_t>& index, int32_t repeat);

// ---- cube ---------------------------------------------------------------------
template <typename T> void LoadFractalA(const LTensor<T>& l0a, const LTensor<T>& l1, uint16_t m, uint16_t k, bool transpose);
template <typename T> void LoadFractalB(const LTensor<T>& l0b, const LTensor<T>& l1, uint16_t k, uint16_t n, bool transpose);
template <typename Acc, typename T> void Mmad(const LTensor<Acc>& l0c, const LTensor<T>& l0a, const LTensor<T>& l0b, uint16_t m, uint16_t n, uint16_t k, bool clear);
template <typename D, typename Acc> void Fixpipe(const GTensor<D>& dst, const LTensor<Acc>& l0c, uint16_t m, uint16_t n, uint32_t dst_stride, float quant_scale);

}  // namespace tlx

#endif  // TILIX_KERNEL_API_H
