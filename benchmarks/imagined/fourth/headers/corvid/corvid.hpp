//===-- corvid.hpp - Corvid Array Programming Interface ---------------------------------------===//
//
// Copyright (c) 2021-2025 Corvid Semiconductor GmbH. All rights reserved.
//
// Redistribution and use in source and binary forms, with or without modification, are permitted
// provided that the above copyright notice and this paragraph are retained.
// THIS SOFTWARE IS PROVIDED "AS IS" WITHOUT WARRANTY OF ANY KIND.
//
//===------------------------------------------------------------------------------------------===//
#ifndef CORVID_CORVID_HPP_
#define CORVID_CORVID_HPP_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#define CORVID_VERSION_MAJOR 4
#define CORVID_VERSION_MINOR 11

#if defined(_WIN32)
#define CVD_EXPORT __declspec(dllexport)
#else
#define CVD_EXPORT __attribute__((visibility("default")))
#endif

namespace cvd {

/// Element formats. Not every function takes every format, see the programming guide, chapter 7.
enum class Elem : std::uint8_t { f32 = 0, f16 = 1, bf16 = 2, i32 = 8, i16, i8, u8, b1 = 16 };

/// Thrown by all functions of this interface.
class CVD_EXPORT Fault : public std::runtime_error {
 public:
  Fault(int number, const char* text);
  int number() const noexcept;
};

/// A track is an ordered sequence of work on one card. Work that is given no track runs on the
/// card's trunk track.
class CVD_EXPORT Track {
 public:
  Track();
  ~Track();
  void drain();               ///< waits till the work on this track is done
  bool drained() const;
 private:
  void* impl_;
};

/// An array of the card's memory. Copies of a Slab share the memory.
class CVD_EXPORT Slab {
 public:
  Slab();
  Slab(std::initializer_list<std::int64_t> extents, Elem elem);
  Slab(void* card_memory, const std::vector<std::int64_t>& extents, Elem elem);
  Slab(void* card_memory, const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& pitches, Elem elem);
  ~Slab();

  int order() const;                         ///< how many extents
  std::int64_t extent(int i) const;
  std::int64_t pitch(int i) const;           ///< in elements
  Elem elem() const;
  void* where() const;
  Slab window(int axis, std::int64_t from, std::int64_t upto) const;

 private:
  std::shared_ptr<struct SlabBody> body_;
};

// ---- cards --------------------------------------------------------------------------------------
CVD_EXPORT int  cards();
CVD_EXPORT void select_card(int index);
CVD_EXPORT int  selected_card();
CVD_EXPORT void settle();                                ///< everything on the selected card
CVD_EXPORT void* reserve(std::size_t bytes);             ///< memory of the selected card
CVD_EXPORT void  unreserve(void* where);
CVD_EXPORT void  send(void* card, const void* host, std::size_t bytes);
CVD_EXPORT void  fetch(void* host, const void* card, std::size_t bytes);
CVD_EXPORT const char* describe(int number);

// ---- one operand --------------------------------------------------------------------------------
// Every one writes r, which must have the extents of a.

CVD_EXPORT void magnitude(Slab& r, const Slab& a, Track* t = nullptr);    // |a|
CVD_EXPORT void negate(Slab& r, const Slab& a, Track* t = nullptr);
CVD_EXPORT void invert(Slab& r, const Slab& a, Track* t = nullptr);       ///< 1 / a, floating point
CVD_EXPORT void invert_bits(Slab& r, const Slab& a, Track* t = nullptr);  ///< ones' complement
CVD_EXPORT void root(Slab& r, const Slab& a, Track* t = nullptr);
CVD_EXPORT void inverse_root(Slab& r, const Slab& a, Track* t = nullptr); ///< a^(-1/2)
CVD_EXPORT void exponential(Slab& r, const Slab& a, Track* t = nullptr);
CVD_EXPORT void logarithm(Slab& r, const Slab& a, Track* t = nullptr);    ///< natural one
CVD_EXPORT void logarithm2(Slab& r, const Slab& a, Track* t = nullptr);
CVD_EXPORT void sine(Slab& r, const Slab& a, Track* t = nullptr);
CVD_EXPORT void cosine(Slab& r, const Slab& a, Track* t = nullptr);
CVD_EXPORT void tangent_h(Slab& r, const Slab& a, Track* t = nullptr);    ///< hyperbolic
CVD_EXPORT void error_function(Slab& r, const Slab& a, Track* t = nullptr);
CVD_EXPORT void round_down(Slab& r, const Slab& a, Track* t = nullptr);
CVD_EXPORT void round_up(Slab& r, const Slab& a, Track* t = nullptr);
CVD_EXPORT void round_even(Slab& r, const Slab& a, Track* t = nullptr);   ///< to nearest, ties to even
CVD_EXPORT void round_zero(Slab& r, const Slab& a, Track* t = nullptr);   ///< drops the fraction

// Neural functions.
CVD_EXPORT void rectify(Slab& r, const Slab& a, Track* t = nullptr);
/// a where a > 0, else slope * a
CVD_EXPORT void rectify(Slab& r, const Slab& a, float slope, Track* t = nullptr);
CVD_EXPORT void logistic(Slab& r, const Slab& a, Track* t = nullptr);
CVD_EXPORT void swish(Slab& r, const Slab& a, Track* t = nullptr);        ///< a * logistic(a)
CVD_EXPORT void gauss_gate(Slab& r, const Slab& a, bool tanh_form, Track* t = nullptr);  ///< GELU
CVD_EXPORT void swish_mul(Slab& r, const Slab& gate, const Slab& up, Track* t = nullptr); ///< swish(gate) * up

// ---- two operands -------------------------------------------------------------------------------
// Extents must agree or be 1. The forms with a double apply the number to every element.

CVD_EXPORT void plus(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);
CVD_EXPORT void plus(Slab& r, const Slab& a, double b, Track* t = nullptr);
CVD_EXPORT void minus(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);
CVD_EXPORT void minus(Slab& r, const Slab& a, double b, Track* t = nullptr);
CVD_EXPORT void times(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);
CVD_EXPORT void times(Slab& r, const Slab& a, double b, Track* t = nullptr);
CVD_EXPORT void over(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);   ///< true division
CVD_EXPORT void over(Slab& r, const Slab& a, double b, Track* t = nullptr);
CVD_EXPORT void raised(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);  ///< a to the power of b
CVD_EXPORT void raised(Slab& r, const Slab& a, double b, Track* t = nullptr);
/// The rest has the sign of a (as C's fmod has it).
CVD_EXPORT void rest(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);
CVD_EXPORT void larger(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);
CVD_EXPORT void smaller(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);
CVD_EXPORT void between(Slab& r, const Slab& a, double low, double high, Track* t = nullptr); ///< saturates a into [low, high]

// results are of Elem::b1
CVD_EXPORT void is_same(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);
CVD_EXPORT void is_other(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);
CVD_EXPORT void is_below(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);
CVD_EXPORT void is_below(Slab& r, const Slab& a, double b, Track* t = nullptr);
CVD_EXPORT void is_above(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);
CVD_EXPORT void is_above(Slab& r, const Slab& a, double b, Track* t = nullptr);
CVD_EXPORT void both(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);     ///< logical, b1
CVD_EXPORT void either(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);   ///< logical, b1
/// r = c ? a : b
CVD_EXPORT void choose(Slab& r, const Slab& c, const Slab& a, const Slab& b, Track* t = nullptr);

// ---- along an axis ------------------------------------------------------------------------------
/// keep: the axis stays in r with extent 1.
CVD_EXPORT void total(Slab& r, const Slab& a, int axis, bool keep, Track* t = nullptr);
CVD_EXPORT void total(Slab& r, const Slab& a, Track* t = nullptr);              ///< over all of a
CVD_EXPORT void average(Slab& r, const Slab& a, int axis, bool keep, Track* t = nullptr);
CVD_EXPORT void largest(Slab& r, const Slab& a, int axis, bool keep, Track* t = nullptr);
CVD_EXPORT void smallest(Slab& r, const Slab& a, int axis, bool keep, Track* t = nullptr);
CVD_EXPORT void where_largest(Slab& r, const Slab& a, int axis, bool keep, Track* t = nullptr);  ///< position, i32
CVD_EXPORT void running_total(Slab& r, const Slab& a, int axis, Track* t = nullptr);  ///< inclusive
CVD_EXPORT void soft_largest(Slab& r, const Slab& a, int axis, Track* t = nullptr);   ///< exp(a) / total(exp(a))
CVD_EXPORT void log_soft_largest(Slab& r, const Slab& a, int axis, Track* t = nullptr);

/// Over the last axis. bias may be empty.
CVD_EXPORT void normalise_layer(Slab& r, const Slab& a, const Slab& gain, const Slab& bias, float tiny, Track* t = nullptr);
CVD_EXPORT void normalise_rms(Slab& r, const Slab& a, const Slab& gain, float tiny, Track* t = nullptr);
/// \overload adds carry to a first and writes the sum back to carry
CVD_EXPORT void normalise_rms_carry(Slab& r, Slab& carry, const Slab& a, const Slab& gain, float tiny, Track* t = nullptr);

// ---- linear algebra -----------------------------------------------------------------------------
CVD_EXPORT void product(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr);      ///< [m,k] x [k,n]
CVD_EXPORT void product_many(Slab& r, const Slab& a, const Slab& b, Track* t = nullptr); ///< [b,m,k] x [b,k,n]
/// r = a * transposed(w) + bias, w is [out, in]
CVD_EXPORT void dense(Slab& r, const Slab& a, const Slab& w, const Slab& bias, Track* t = nullptr);
/// int8 w with a scale for each row
CVD_EXPORT void dense_w8(Slab& r, const Slab& a, const Slab& w, const Slab& row_scale, const Slab& bias, Track* t = nullptr);
/// a is [n, c, h, w], k is [o, c / groups, kh, kw]
CVD_EXPORT void convolve(Slab& r, const Slab& a, const Slab& k, const Slab& bias, std::pair<int, int> step,
                         std::pair<int, int> pad, std::pair<int, int> spread, int groups, Track* t = nullptr);
CVD_EXPORT void pool_largest(Slab& r, const Slab& a, std::pair<int, int> window, std::pair<int, int> step,
                             std::pair<int, int> pad, Track* t = nullptr);
CVD_EXPORT void pool_average(Slab& r, const Slab& a, std::pair<int, int> window, std::pair<int, int> step,
                             std::pair<int, int> pad, Track* t = nullptr);

// ---- moving data --------------------------------------------------------------------------------
CVD_EXPORT void duplicate(Slab& r, const Slab& a, Track* t = nullptr);
CVD_EXPORT void reformat(Slab& r, const Slab& a, Track* t = nullptr);   ///< converts to the element format of r
CVD_EXPORT void fill(Slab& r, double number, Track* t = nullptr);
/// Axis i of r is axis axes[i] of a. Despite the name, of any number of axes.
CVD_EXPORT void transpose(Slab& r, const Slab& a, const std::vector<int>& axes, Track* t = nullptr);
CVD_EXPORT void join(Slab& r, const std::vector<Slab>& parts, int axis, Track* t = nullptr);
/// Takes whole rows of table; rows is i32 of any extents.
CVD_EXPORT void look_up(Slab& r, const Slab& table, const Slab& rows, Track* t = nullptr);
/// Slices of a along an axis, in the order of places (one axis, i32).
CVD_EXPORT void gather(Slab& r, const Slab& a, const Slab& places, int axis, Track* t = nullptr);
CVD_EXPORT void keep_lower(Slab& r, const Slab& a, int diagonal, Track* t = nullptr);
CVD_EXPORT void keep_upper(Slab& r, const Slab& a, int diagonal, Track* t = nullptr);

// ---- others -------------------------------------------------------------------------------------
CVD_EXPORT void fourier(Slab& r_re, Slab& r_im, const Slab& a, Track* t = nullptr);
CVD_EXPORT void gauss_noise(Slab& r, std::uint64_t seed, Track* t = nullptr);  ///< added to what is in r
CVD_EXPORT void share_sum(Slab& r, const Slab& a, int ring, Track* t = nullptr); ///< sum over all cards of a ring
CVD_EXPORT void rotate_halves(Slab& r, const Slab& a, const Slab& cosines, const Slab& sines, Track* t = nullptr);
[[deprecated("use between")]] CVD_EXPORT void limit(Slab& r, const Slab& a, double low, double high, Track* t = nullptr);

}  // namespace cvd

#endif  // CORVID_CORVID_HPP_
