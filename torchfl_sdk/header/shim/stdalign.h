/* Read by libclang where no compiler's own headers are; declares only what vendor headers use in signatures. */
#ifndef TORCHFL_SHIM_STDALIGN_H
#define TORCHFL_SHIM_STDALIGN_H

#ifndef __cplusplus
#define alignas _Alignas
#define alignof _Alignof
#endif

#endif
