/* Read by libclang where no compiler's own headers are; declares only what vendor headers use in signatures. */
#ifndef TORCHFL_SHIM_ASSERT_H
#define TORCHFL_SHIM_ASSERT_H

#define assert(condition) ((void)0)
#ifndef __cplusplus
#define static_assert _Static_assert
#endif

#endif
