// An imagined vendor's header.
// An imagined vendor's header.
//
// tilekit/compute_api.h: to be included by compute kernels, which run on the tile cores.
// Kernels are compiled by the host library when a program is made; nothing here can be called by the host.

#pragma once

#include <cstdint>

#define ALWI inline __attribute__((always_inline))
#ifdef TILEKIT_TRISC
#include "llk_math_api.h"
#include "llk_pack_api.h"
#else
namespace tk_llk {
void issue(uint32_t opcode, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
}
#endif

namespace tilekit {

enum class BroadcastType : uint32_t { NONE = 0, COL = 1, ROW = 2, SCALAR = 3 };
enum class PoolType : uint32_t { SUM = 0, AVG = 1, MAX = 2 };
enum class ReduceDim : uint32_t { ROW = 0, COL = 1, SCALAR = 2 };

// ---------------------------------------------------------------------------------------------
// circular buffers in local memory
// ---------------------------------------------------------------------------------------------

/**
 * Blocks until num_tiles are in the buffer.
 * | Argument | Description                  | Type     | Valid range |
 * |----------|------------------------------|----------|-------------|
 * | cbid     | index of the circular buffer | uint32_t | 0 to 31     |
 */
void cb_wait_front(uint32_t cbid, uint32_t num_tiles);
void cb_pop_front(uint32_t cbid, uint32_t num_tiles);
void cb_reserve_back(uint32_t cbid, uint32_t num_tiles);
void cb_push_back(uint32_t cbid, uint32_t num_tiles);
uint32_t get_read_ptr(uint32_t cbid);
uint32_t get_write_ptr(uint32_t cbid);
uint32_t get_tile_size(uint32_t cbid);

// ---------------------------------------------------------------------------------------------
// destination registers
// ---------------------------------------------------------------------------------------------
void tile_regs_acquire();
void tile_regs_commit();
void tile_regs_wait();
void tile_regs_release();

void copy_tile_init(uint32_t cbid);
void copy_tile(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index);
void pack_tile(uint32_t ifrom_dst, uint32_t icb, uint32_t output_tile_index = 0);
void pack_reconfig_data_format(uint32_t new_operand);

// ---------------------------------------------------------------------------------------------
// two tiles of circular buffers -> dst
// ---------------------------------------------------------------------------------------------
void binary_op_init_common(uint32_t icb0, uint32_t icb1, uint32_t ocb = 16);
void add_tiles_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false);
void sub_tiles_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false);
void mul_tiles_init(uint32_t icb0, uint32_t icb1);
/**
 * Elementwise C = A + B of two tiles; the result goes to DST[idst]. DST must be acquired.
 */
void add_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst);
void sub_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst);
void mul_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst);
template <BroadcastType B = BroadcastType::COL>
void add_tiles_bcast(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst);
template <BroadcastType B = BroadcastType::COL>
void mul_tiles_bcast(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst);

void mm_init(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t out_cb_id, uint32_t transpose = 0);
void matmul_tiles(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index, uint32_t idst,
                  uint32_t transpose = 0);
void matmul_block(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index, uint32_t idst,
                  uint32_t transpose, uint32_t ct_dim, uint32_t rt_dim, uint32_t kt_dim);

template <PoolType P, ReduceDim D>
void reduce_init(uint32_t icb, uint32_t icb_scaler, uint32_t ocb);
template <PoolType P, ReduceDim D>
void reduce_tile(uint32_t icb, uint32_t icb_scaler, uint32_t itile, uint32_t itile_scaler, uint32_t idst);

void transpose_wh_init(uint32_t icb, uint32_t ocb);
void transpose_wh_tile(uint32_t icb, uint32_t itile, uint32_t idst);
void tilize_block(uint32_t icb, uint32_t block, uint32_t ocb);
void untilize_block(uint32_t icb, uint32_t block, uint32_t ocb);

// ---------------------------------------------------------------------------------------------
// in place on DST[idst]
// ---------------------------------------------------------------------------------------------
template <bool fast = true> void exp_tile(uint32_t idst);
template <bool fast = true> void gelu_tile(uint32_t idst);
template <bool fast = true> void rsqrt_tile(uint32_t idst);
void exp_tile_init();
void gelu_tile_init();
void recip_tile_init();
void recip_tile(uint32_t idst);
void sqrt_tile(uint32_t idst);
void sigmoid_tile(uint32_t idst);
void tanh_tile(uint32_t idst);
void relu_tile(uint32_t idst);
void leaky_relu_tile(uint32_t idst, uint32_t slope);
void abs_tile(uint32_t idst);
void log_tile(uint32_t idst);
void square_tile(uint32_t idst);
void power_tile(uint32_t idst, uint32_t exponent);
void fill_tile(uint32_t idst, float value);
void typecast_tile(uint32_t in_format, uint32_t out_format, uint32_t idst);
void where_tile(uint32_t idst_cond, uint32_t idst_true, uint32_t idst_false);
void rand_tile(uint32_t idst, uint32_t from, uint32_t scale);

// ---------------------------------------------------------------------------------------------
// NoC, for data movement kernels
// ---------------------------------------------------------------------------------------------
uint64_t get_noc_addr(uint32_t noc_x, uint32_t noc_y, uint32_t addr);
void noc_async_read(uint64_t src_noc_addr, uint32_t dst_local_addr, uint32_t size);
void noc_async_write(uint32_t src_local_addr, uint64_t dst_noc_addr, uint32_t size);
void noc_async_read_barrier();
void noc_async_write_barrier();
void noc_semaphore_wait(volatile uint32_t* sem, uint32_t val);
void noc_semaphore_inc(uint64_t addr, uint32_t incr);
uint32_t get_arg_val(int index);

#define DPRINT_TILE(cb, idx) ::tilekit::debug_print_tile((cb), (idx))
void debug_print_tile(uint32_t cb, uint32_t idx);
ALWI uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

}  // namespace tilekit
