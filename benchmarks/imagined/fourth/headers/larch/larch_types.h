/*
 * larch_types.h
 *
 * Part of LARCH, the Linear Algebra Routines of the C-Hawk accelerators.
 * Copyright (c) 2018-2026, C-Hawk Systems AB.  All rights reserved.
 */
#ifndef LARCH_TYPES_H
#define LARCH_TYPES_H

#include <stddef.h>
#include <stdint.h>

#if defined(_MSC_VER)
# define LARCH_CALL __cdecl
#else
# define LARCH_CALL
#endif
#ifndef LARCH_EXTERN
# define LARCH_EXTERN extern
#endif

/* 32 bits unless the ILP64 library is linked */
#ifdef LARCH_ILP64
typedef int64_t larch_int;
#else
typedef int32_t larch_int;
#endif

typedef struct { float re, im; }  larch_c8;
typedef struct { double re, im; } larch_c16;
typedef uint16_t larch_h2;              /* IEEE half */

/* A bench holds the card, its scratch and the crew that works for it. */
typedef struct larch_bench_st *larch_bench;
typedef struct larch_crew_st  *larch_crew;
typedef struct larch_bell_st  *larch_bell;

typedef enum {
    LARCH_WELL        = 0,
    LARCH_NO_BENCH    = 1,
    LARCH_BAD_NUMBER  = 2,     /* a dimension, increment or leading dimension */
    LARCH_BAD_LETTER  = 3,
    LARCH_NO_SCRATCH  = 4,
    LARCH_SINGULAR    = 5,
    LARCH_CARD_FAULT  = 6,
    LARCH_NOT_BUILT   = 7
} larch_verdict;

typedef char larch_flip;     /* 'N', 'T', 'C' */
typedef char larch_half;     /* 'U', 'L'      */
typedef char larch_hand;     /* 'L', 'R'      */
typedef char larch_unit;     /* 'U', 'N'      */

#endif
