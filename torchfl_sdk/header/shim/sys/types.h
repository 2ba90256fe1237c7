/* Read by libclang where no compiler's own headers are; declares only what vendor headers use in signatures. */
#ifndef TORCHFL_SHIM_SYS_TYPES_H
#define TORCHFL_SHIM_SYS_TYPES_H

#include <stddef.h>

typedef __PTRDIFF_TYPE__ ssize_t;
typedef long off_t;
typedef int pid_t;
typedef unsigned int mode_t;

#endif
