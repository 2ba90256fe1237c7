/* Read by libclang where no compiler's own headers are; declares only what vendor headers use in signatures. */
#ifndef TORCHFL_SHIM_COMPLEX_H
#define TORCHFL_SHIM_COMPLEX_H

#ifndef __cplusplus
#define complex _Complex
#define _Complex_I (__extension__ 1.0iF)
#define I _Complex_I
#endif

#endif
