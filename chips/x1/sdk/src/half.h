/*
 * IEEE binary16, in integer arithmetic so that loops over it vectorise on any target and no compiler
 * extension is needed. Rounding is to nearest, ties to even. Neither direction ever computes with a float32
 * subnormal, so results do not depend on the calling thread's flush-to-zero mode.
 */
#ifndef X1_HALF_H
#define X1_HALF_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mutants.h"

typedef uint16_t x1i_half;

static inline uint32_t x1i_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float x1i_bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float x1i_half_to_float(x1i_half half)
{
    const int32_t magnitude = half & 0x7fff;
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    /* Infinity and NaN keep the all-ones exponent: they are rebiased twice. */
    const uint32_t rebias = magnitude >= 0x7c00 ? 224u << 23 : 112u << 23;
    const uint32_t normal = ((uint32_t)magnitude << 13) + rebias;
    /* A subnormal is m * 2^-24: as the fraction of a number in [2^-14, 2^-13), less 2^-14. Exact. */
    const float subnormal = x1i_bits_float(((uint32_t)magnitude << 13) + (113u << 23)) - 0x1p-14f;
    return x1i_bits_float((magnitude < 0x0400 ? x1i_float_bits(subnormal) : normal) | sign);
}

static inline x1i_half x1i_float_to_half(float value)
{
    const uint32_t bits = x1i_float_bits(value);
    const int32_t magnitude = (int32_t)(bits & 0x7fffffffu);
    /* The carry out of the fraction raises the exponent, up to infinity for 65520 and above. */
    const uint32_t odd = ((uint32_t)magnitude >> 13) & 1u;
    const uint32_t normal = ((uint32_t)magnitude + 0xfffu + odd - (112u << 23)) >> 13;
    /* One half has the unit in the last place of a binary16 subnormal: the addition does the rounding. */
    const uint32_t subnormal = x1i_float_bits(x1i_bits_float((uint32_t)magnitude) + 0.5f) - x1i_float_bits(0.5f);
    const uint32_t special = magnitude > 0x7f800000 ? 0x7e00u : 0x7c00u;
    const uint32_t result = magnitude >= 0x47800000 ? special : magnitude < 0x38800000 ? subnormal : normal;
    return (x1i_half)(result | ((bits >> 16) & 0x8000u));
}

static inline void x1i_halves_to_floats(const x1i_half *from, float *to, size_t n)
{
    for (size_t i = 0; i < n; ++i) to[i] = x1i_half_to_float(from[i]);
}

static inline void x1i_floats_to_halves(const float *from, x1i_half *to, size_t n)
{
    for (size_t i = 0; i < n; ++i) to[i] = x1i_float_to_half(from[i]);
}

/* One multiply-accumulate of a contraction; `half` says whether the operands are binary16. */
static inline float x1i_accumulate(float sum, float a, float b, int half)
{
    if (X1_VARIANT_FMA) return fmaf(a, b, sum);
    sum += a * b;
    /* Eleven significant bits, cut off instead of rounded. */
    if (X1_MUTANT_HALF_ACCUMULATION && half) sum = x1i_bits_float(x1i_float_bits(sum) & 0xffffe000u);
    return sum;
}

#endif
