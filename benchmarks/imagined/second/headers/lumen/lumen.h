// lumen.h - host library of the Lumen L2 photonic matrix board
// An imagined vendor's header.
//
// The board holds up to LUM_BANKS programmed matrices of at most 256 x 256.
// Analog results carry noise; see lum_estimate_enob(). Values are scaled to the
// converters' range by the library. The vector unit behind the converters does
// the pointwise functions in fp16.

#pragma once

#include <stdint.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LUM_BANKS 16
#define LUM_API_LEVEL 4

typedef int lum_board;       // small non-negative number, or negative error
typedef uint32_t lum_ptr;    // byte address in the board's SRAM; 0 is never valid
typedef uint64_t lum_cookie; // identifies queued work, increasing

enum lum_error { LUM_EIO = -1, LUM_EBUSY = -2, LUM_ERANGE = -3, LUM_ENOMEM = -4, LUM_ELASER = -5, LUM_ETEMP = -6 };

struct lum_status {
  float laser_mw[8];
  float die_celsius;
  uint32_t uptime_s;
  uint32_t faults;
};

struct lum_tile {
  lum_ptr base;
  uint16_t rows, cols;
  uint16_t pitch;  // elements between rows
  uint16_t reserved;
};

// board
int lum_board_count(void);
lum_board lum_open(int index);
int lum_close(lum_board b);
int lum_get_status(lum_board b, struct lum_status *st);
const char *lum_error_text(int err);
int lum_set_laser(lum_board b, int on);
int lum_firmware_update(lum_board b, const void *image, size_t bytes, void (*progress)(int percent));

// calibration
int lum_calibrate_phases(lum_board b, int bank);
int lum_calibrate_adc(lum_board b, int samples);
int lum_trim(lum_board b, int bank, int row, int col, float delta);
double lum_estimate_enob(lum_board b, int bank);

// SRAM
lum_ptr lum_sram_alloc(lum_board b, uint32_t bytes);
void lum_sram_release(lum_board b, lum_ptr p);
int lum_sram_store(lum_board b, lum_ptr p, const void *host, uint32_t bytes);
int lum_sram_fetch(lum_board b, void *host, lum_ptr p, uint32_t bytes);
int lum_sram_move(lum_board b, lum_ptr to, lum_ptr from, uint32_t bytes);

// queue
lum_cookie lum_last(lum_board b);
int lum_wait(lum_board b, lum_cookie upto, int timeout_ms);
int lum_poll(lum_board b, lum_cookie upto);

// matrices
int lum_program(lum_board b, int bank, const float *w, int rows, int cols);
int lum_program_dft(lum_board b, int bank, int n);
// y = W x
int lum_mvm(lum_board b, int bank, lum_ptr x, lum_ptr y);
// same, for count vectors one after the other
int lum_mvm_burst(lum_board b, int bank, lum_ptr x, lum_ptr y, int count);
// y = W x, W straight from SRAM without programming (slow)
int lum_mvm_streamed(lum_board b, struct lum_tile w, lum_ptr x, lum_ptr y);
int lum_matmul(lum_board b, struct lum_tile lhs, struct lum_tile rhs, struct lum_tile out);
int lum_matmul_acc(lum_board b, struct lum_tile lhs, struct lum_tile rhs, struct lum_tile inout);

// vector unit, fp16
int lum_vu_add(lum_board b, lum_ptr dst, lum_ptr s0, lum_ptr s1, int n);
int lum_vu_mul(lum_board b, lum_ptr dst, lum_ptr s0, lum_ptr s1, int n);
int lum_vu_axpb(lum_board b, lum_ptr dst, lum_ptr s, float a, float c, int n);
int lum_vu_relu(lum_board b, lum_ptr dst, lum_ptr s, int n);
int lum_vu_sigm(lum_board b, lum_ptr dst, lum_ptr s, int n);
int lum_vu_absmax(lum_board b, lum_ptr dst, lum_ptr s, int n);
int lum_vu_lut(lum_board b, lum_ptr dst, lum_ptr s, const uint16_t table[1024], int n);
int lum_vu_softmax(lum_board b, lum_ptr dst, lum_ptr s, int rows, int row_len);
int lum_vu_f32_to_f16(lum_board b, lum_ptr dst, lum_ptr s, int n);
int lum_vu_transpose(lum_board b, struct lum_tile dst, struct lum_tile s);
int lum_vu_sum(lum_board b, lum_ptr dst, lum_ptr s, int n);
int lum_vu_bcast(lum_board b, lum_ptr dst, float v, int n);

// ring resonators as comparators
int lum_spectrum(lum_board b, int channel, float *power, int bins);
int lum_ising_anneal(lum_board b, struct lum_tile coupling, lum_ptr spins, int sweeps);

#ifdef __cplusplus
}
#endif
