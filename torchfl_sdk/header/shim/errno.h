/* Read by libclang where no compiler's own headers are; declares only what vendor headers use in signatures. */
#ifndef TORCHFL_SHIM_ERRNO_H
#define TORCHFL_SHIM_ERRNO_H

extern int *torchfl_shim_errno(void);
#define errno (*torchfl_shim_errno())
#define ENOMEM 12
#define EINVAL 22

#endif
