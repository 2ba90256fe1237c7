/* torchfl chip ABI, version 1: how a chip library talks to the torchfl core.
 *
 * A chip library is a plain shared library. It needs neither torch nor Python, and it does not link the
 * vendor's runtime: it opens it with dlopen and keeps the symbols in a table that counts calls. It exports
 * one function, torchfl_chip_v1(), which returns a static description of the chip.
 *
 * Growth rule: every struct begins with its own size. A minor version only appends members; a reader checks
 * the size before it touches a member that the first release did not have, and takes what is missing as
 * unsupported. Arrays of structs are walked with the struct_size of their first element as the stride.
 * Another major version is refused. A library built at version 1.0 loads in every 1.x core.
 *
 * Threads: every function may be called from any thread. set_device() and last_error() are per thread.
 * Memory: device memory is a vendor handle (a pointer, or an opaque object) and a byte offset into it.
 */
#ifndef TORCHFL_CHIP_H
#define TORCHFL_CHIP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TFL_ABI_MAJOR 1u
#define TFL_ABI_MINOR 2u

/* What a device function or kernel reports. "Not ready" and "out of memory" are never folded into another error. */
typedef int32_t tfl_status;
enum {
  TFL_OK = 0,
  TFL_UNSUPPORTED = 1,      /* this call is not served; the router goes to its next layer */
  TFL_OUT_OF_MEMORY = 2,    /* device memory is exhausted; the core frees its cache and tries once more */
  TFL_NOT_READY = 3,        /* a query found work still running; not an error */
  TFL_INVALID_ARGUMENT = 4, /* the vendor's runtime refused a value */
  TFL_DEVICE_ERROR = 5,     /* any other vendor error */
  TFL_NO_DRIVER = 6,        /* the runtime library cannot be opened, or finds no device */
  TFL_MISSING_SYMBOL = 7,   /* the runtime library lacks the function; last_error() names it */
  TFL_INTERNAL = 8          /* a C++ exception reached the boundary */
};

typedef int32_t tfl_dtype;
enum {
  TFL_BOOL = 0,
  TFL_U8 = 1,
  TFL_I8 = 2,
  TFL_I16 = 3,
  TFL_I32 = 4,
  TFL_I64 = 5,
  TFL_F16 = 6,
  TFL_BF16 = 7,
  TFL_F32 = 8,
  TFL_F64 = 9,
  TFL_C64 = 10,
  TFL_C128 = 11,
  TFL_DTYPE_COUNT = 12
};

/* A strided view of device memory. */
typedef struct tfl_tensor {
  uint32_t struct_size;
  tfl_dtype dtype;
  int32_t rank;         /* -1: an optional tensor that was not given; nothing else of it is set */
  int32_t device;       /* the chip's own device index, from 0 */
  void* handle;         /* what alloc() gave; NULL for a tensor without elements */
  uint64_t byte_offset; /* of the first element, from the start of the handle */
  int64_t numel;
  const int64_t* sizes;   /* rank entries */
  const int64_t* strides; /* rank entries, in elements; never negative */
} tfl_tensor;

typedef int32_t tfl_attr_kind;
enum { TFL_ATTR_NONE = 0, TFL_ATTR_INT = 1, TFL_ATTR_FLOAT = 2, TFL_ATTR_BOOL = 3, TFL_ATTR_INT_LIST = 4, TFL_ATTR_DTYPE = 5 };

/* A non-tensor argument. INT, BOOL and DTYPE use `i`; FLOAT uses `f`; a scalar that is integral in torch sets
 * both; INT_LIST uses `list` and `count`. NONE: an optional argument that was not given. */
typedef struct tfl_attr {
  uint32_t struct_size;
  tfl_attr_kind kind;
  int64_t i;
  double f;
  const int64_t* list;
  int64_t count;
} tfl_attr;

/* One kernel launch. The order of inputs, outputs and attributes is the one that the op catalogue lists for
 * tfl_kernel.op; an op over a list of tensors has num_inputs of them. Inputs and outputs that are an index come as I64,
 * masks and the results of comparisons as BOOL (one byte, 0 or 1); all others share one dtype. A text attribute of a
 * few choices comes as INT, its place among them. Outputs are allocated by the core; they may alias an input only if the kernel has TFL_KERNEL_INPLACE. */
typedef struct tfl_call {
  uint32_t struct_size;
  int32_t device;
  void* stream; /* from stream_create(), or NULL for the default queue */
  uint32_t num_inputs;
  uint32_t num_outputs;
  uint32_t num_attrs;
  const tfl_tensor* inputs;
  const tfl_tensor* outputs;
  const tfl_attr* attrs;
} tfl_call;

typedef tfl_status (*tfl_kernel_fn)(const tfl_call* call);

enum {
  TFL_KERNEL_INPLACE = 1u,   /* an output may be the same memory as an input of the same shape */
  TFL_KERNEL_BROADCAST = 2u, /* inputs may have size-1 or missing dimensions against the output */
  TFL_KERNEL_STRIDED = 4u,   /* any strides; otherwise every tensor is contiguous */
  TFL_KERNEL_MATRIX = 8u,    /* 2-D inputs may be row- or column-major with a leading dimension */
  TFL_KERNEL_FIRST_OUTPUT = 16u, /* writes the first of several outputs; the others are there only for backward, and
                                 * a call that autograd will go back through goes to the next layer (since 1.1) */
  TFL_KERNEL_NHWC = 32u,      /* images (rank 4 and 5) lie channels-last: inputs, convolution weights and outputs */
  TFL_KERNEL_ANY_ORDER = 64u  /* an image input may be contiguous or channels-last, each by itself: the strides tell */
};

typedef struct tfl_kernel {
  uint32_t struct_size;
  uint32_t flags;
  const char* name; /* the profile's `impl` */
  const char* op;   /* the catalogue's name, e.g. "aten::add" */
  tfl_kernel_fn run;
  const uint32_t* symbols; /* indices into tfl_chip.symbols of every vendor function that run() may enter */
  uint32_t num_symbols;
} tfl_kernel;

enum { TFL_SYMBOL_REAL = 0u, TFL_SYMBOL_NOOP = 1u };

/* One vendor function. `calls` rises by one each time a wrapper enters it. In mode NOOP the wrapper counts the
 * call, does not make it, and returns the vendor's success value: the gate uses this to prove that a result
 * comes from the chip. `mode` and `calls` are accessed with relaxed atomics. */
typedef struct tfl_symbol {
  uint32_t struct_size;
  uint32_t mode;
  const char* name;
  void* address; /* NULL until open() succeeds, and afterwards if the library lacks it */
  uint64_t calls;
} tfl_symbol;

/* The device functions, in the order of entry_points.def. A NULL slot means unsupported. */
typedef struct tfl_device_api {
  uint32_t struct_size;
#define TFL_ENTRY(need, name, params, doc) tfl_status(*name) params;
#include "torchfl/entry_points.def"
#undef TFL_ENTRY
} tfl_device_api;

typedef struct tfl_chip {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t num_kernels;
  uint32_t num_symbols;
  const char* name;        /* the chip project's name */
  const char* header_hash; /* sha256 of the vendor header this library was generated from, or "" */
  const tfl_device_api* device;
  const tfl_kernel* kernels;
  tfl_symbol* symbols;
} tfl_chip;

typedef const tfl_chip* (*tfl_chip_v1_fn)(void);

/* The one exported function of a chip library. */
const tfl_chip* torchfl_chip_v1(void);

#ifdef __cplusplus
}
#endif
#endif
