/* Read by libclang where no compiler's own headers are; declares only what vendor headers use in signatures. */
#ifndef TORCHFL_SHIM_STDARG_H
#define TORCHFL_SHIM_STDARG_H

typedef __builtin_va_list va_list;
#define va_start(list, last) __builtin_va_start(list, last)
#define va_arg(list, type) __builtin_va_arg(list, type)
#define va_copy(to, from) __builtin_va_copy(to, from)
#define va_end(list) __builtin_va_end(list)

#endif
