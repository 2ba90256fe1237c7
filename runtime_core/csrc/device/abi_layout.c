/* Freezes version 1 of the chip ABI: a chip library built at 1.0 must load in every 1.x core.
 *
 * A failure here means that a change moved or resized a published member. Append instead, and raise TFL_ABI_MINOR;
 * sizes may then grow, so the size checks are ">=", while every offset stays.
 */
#include "torchfl/chip.h"

#define AT(type, member, offset) _Static_assert(offsetof(type, member) == (offset), #type "." #member " moved")
#define AT_LEAST(type, size) _Static_assert(sizeof(type) >= (size), #type " shrank")

_Static_assert(sizeof(void*) == 8, "the ABI is defined for 64-bit platforms");
_Static_assert(sizeof(tfl_status) == 4 && sizeof(tfl_dtype) == 4 && sizeof(tfl_attr_kind) == 4, "enum width");

AT(tfl_tensor, struct_size, 0);
AT(tfl_tensor, dtype, 4);
AT(tfl_tensor, rank, 8);
AT(tfl_tensor, device, 12);
AT(tfl_tensor, handle, 16);
AT(tfl_tensor, byte_offset, 24);
AT(tfl_tensor, numel, 32);
AT(tfl_tensor, sizes, 40);
AT(tfl_tensor, strides, 48);
AT_LEAST(tfl_tensor, 56);

AT(tfl_attr, struct_size, 0);
AT(tfl_attr, kind, 4);
AT(tfl_attr, i, 8);
AT(tfl_attr, f, 16);
AT(tfl_attr, list, 24);
AT(tfl_attr, count, 32);
AT_LEAST(tfl_attr, 40);

AT(tfl_call, struct_size, 0);
AT(tfl_call, device, 4);
AT(tfl_call, stream, 8);
AT(tfl_call, num_inputs, 16);
AT(tfl_call, num_outputs, 20);
AT(tfl_call, num_attrs, 24);
AT(tfl_call, inputs, 32);
AT(tfl_call, outputs, 40);
AT(tfl_call, attrs, 48);
AT_LEAST(tfl_call, 56);

AT(tfl_kernel, struct_size, 0);
AT(tfl_kernel, flags, 4);
AT(tfl_kernel, name, 8);
AT(tfl_kernel, op, 16);
AT(tfl_kernel, run, 24);
AT(tfl_kernel, symbols, 32);
AT(tfl_kernel, num_symbols, 40);
AT_LEAST(tfl_kernel, 48);

AT(tfl_symbol, struct_size, 0);
AT(tfl_symbol, mode, 4);
AT(tfl_symbol, name, 8);
AT(tfl_symbol, address, 16);
AT(tfl_symbol, calls, 24);
AT_LEAST(tfl_symbol, 32);

AT(tfl_chip, struct_size, 0);
AT(tfl_chip, abi_major, 4);
AT(tfl_chip, abi_minor, 8);
AT(tfl_chip, num_kernels, 12);
AT(tfl_chip, num_symbols, 16);
AT(tfl_chip, name, 24);
AT(tfl_chip, header_hash, 32);
AT(tfl_chip, device, 40);
AT(tfl_chip, kernels, 48);
AT(tfl_chip, symbols, 56);
AT_LEAST(tfl_chip, 64);

/* Device functions: one pointer each, in the order of the 1.0 list. */
AT(tfl_device_api, struct_size, 0);
AT(tfl_device_api, open, 8);
AT(tfl_device_api, close, 16);
AT(tfl_device_api, init, 24);
AT(tfl_device_api, finalize, 32);
AT(tfl_device_api, device_count, 40);
AT(tfl_device_api, set_device, 48);
AT(tfl_device_api, device_name, 56);
AT(tfl_device_api, synchronize, 64);
AT(tfl_device_api, memory_info, 72);
AT(tfl_device_api, alloc, 80);
AT(tfl_device_api, free, 88);
AT(tfl_device_api, copy_h2d, 96);
AT(tfl_device_api, copy_d2h, 104);
AT(tfl_device_api, copy_d2d, 112);
AT(tfl_device_api, fill, 120);
AT(tfl_device_api, map_host, 128);
AT(tfl_device_api, unmap_host, 136);
AT(tfl_device_api, last_error, 144);
AT(tfl_device_api, stream_create, 152);
AT(tfl_device_api, stream_destroy, 160);
AT(tfl_device_api, stream_query, 168);
AT(tfl_device_api, stream_synchronize, 176);
AT(tfl_device_api, event_create, 184);
AT(tfl_device_api, event_destroy, 192);
AT(tfl_device_api, event_record, 200);
AT(tfl_device_api, event_query, 208);
AT(tfl_device_api, event_synchronize, 216);
AT(tfl_device_api, event_elapsed, 224);
AT(tfl_device_api, stream_wait_event, 232);
AT(tfl_device_api, address, 240);
AT_LEAST(tfl_device_api, 240);

_Static_assert(TFL_OK == 0 && TFL_UNSUPPORTED == 1 && TFL_OUT_OF_MEMORY == 2 && TFL_NOT_READY == 3 &&
                   TFL_INVALID_ARGUMENT == 4 && TFL_DEVICE_ERROR == 5 && TFL_NO_DRIVER == 6 &&
                   TFL_MISSING_SYMBOL == 7 && TFL_INTERNAL == 8,
               "status values are published");
_Static_assert(TFL_BOOL == 0 && TFL_U8 == 1 && TFL_I8 == 2 && TFL_I16 == 3 && TFL_I32 == 4 && TFL_I64 == 5 &&
                   TFL_F16 == 6 && TFL_BF16 == 7 && TFL_F32 == 8 && TFL_F64 == 9 && TFL_C64 == 10 && TFL_C128 == 11,
               "dtype values are published");
_Static_assert(TFL_ATTR_NONE == 0 && TFL_ATTR_INT == 1 && TFL_ATTR_FLOAT == 2 && TFL_ATTR_BOOL == 3 &&
                   TFL_ATTR_INT_LIST == 4 && TFL_ATTR_DTYPE == 5,
               "attribute kinds are published");
_Static_assert(TFL_KERNEL_INPLACE == 1u && TFL_KERNEL_BROADCAST == 2u && TFL_KERNEL_STRIDED == 4u &&
                   TFL_KERNEL_MATRIX == 8u && TFL_KERNEL_FIRST_OUTPUT == 16u && TFL_KERNEL_NHWC == 32u &&
                   TFL_KERNEL_ANY_ORDER == 64u,
               "kernel flags are published");

/* What a 1.0 library fills; chip.cpp refuses smaller structs. */
const uint32_t tfl_v1_chip_size = 64, tfl_v1_device_api_size = 240, tfl_v1_kernel_size = 48, tfl_v1_symbol_size = 32;
