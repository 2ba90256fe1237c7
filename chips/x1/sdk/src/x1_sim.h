/*
 * Controls of the simulated X1-Edge board. A real board has none of this: the functions are not in
 * x1_runtime.h, no chip project may call them, and `torchfl new-chip` never sees them. They are for tests.
 *
 * Environment, read by the x1_init() that brings the board up:
 *
 *   X1_SIM_MEMORY   memory of each core in bytes, with an optional suffix K, M or G (default 2G)
 *   X1_SIM_DEVICES  number of cores, 0 to 4 (default 2)
 *   X1_SIM_FAULTS   faults, in the grammar below
 *
 * A value that does not parse makes x1_init() return X1_ERROR_INVALID_VALUE.
 *
 * Faults:   FAULT[,FAULT...]       FAULT = KIND@FUNCTION:N[+]
 *
 *   KIND      oom (X1_ERROR_OUT_OF_MEMORY), device (X1_ERROR_DEVICE), unsupported (X1_ERROR_UNSUPPORTED),
 *             hang (the call never returns), segv (the process gets SIGSEGV), abort (SIGABRT)
 *   FUNCTION  a function of x1_runtime.h, or `kernel`: every element-wise function, x1_gemm and x1_conv2d
 *   N         which matching call, counted from 1 since the fault was set; with `+` that call and all later ones
 *
 *   X1_SIM_FAULTS=oom@x1_malloc:3            the third allocation fails
 *   X1_SIM_FAULTS=device@kernel:5+           the board is broken from the fifth kernel on
 *   X1_SIM_FAULTS=hang@x1_conv2d:1,segv@x1_exp:2
 *
 * An injected fault strikes before the function does anything.
 */
#ifndef X1_SIM_H
#define X1_SIM_H

#include "x1_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Replace all faults; NULL or "" clears them. X1_ERROR_INVALID_VALUE (and the old faults stay) for a bad text. */
X1_API x1_status_t x1_sim_set_faults(const char *faults);

/* How often a function of x1_runtime.h was entered in this process; UINT64_MAX for an unknown name. */
X1_API uint64_t x1_sim_calls(const char *function);
X1_API void x1_sim_reset_calls(void);

#ifdef __cplusplus
}
#endif
#endif
