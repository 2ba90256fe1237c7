/* Read by libclang where no compiler's own headers are; declares only what vendor headers use in signatures. */
#ifndef TORCHFL_SHIM_STDIO_H
#define TORCHFL_SHIM_STDIO_H

#include <stddef.h>
#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torchfl_shim_file FILE;
extern FILE *stdin, *stdout, *stderr;
int printf(const char *format, ...);
int fprintf(FILE *file, const char *format, ...);
int snprintf(char *to, size_t size, const char *format, ...);
FILE *fopen(const char *path, const char *mode);
int fclose(FILE *file);
#define EOF (-1)

#ifdef __cplusplus
}
#endif

#endif
