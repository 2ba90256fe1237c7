/* Godwit: an invented library for processors. Matrices are structs of the caller that a function fills in; factors are
 * such structs of one number. */
#ifndef GODWIT_H
#define GODWIT_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum gw_status { GW_SUCCESS = 0, GW_NOT_SUPPORTED = 1, GW_INVALID_ARGUMENT = 2 } gw_status;
typedef enum gw_type { GW_FLOAT = 0, GW_DOUBLE = 1, GW_FIRST = GW_FLOAT, GW_LAST = GW_DOUBLE } gw_type;

typedef struct gw_matrix {
  gw_type type;
  int64_t dim[2];
  int64_t step[2];
  unsigned info;
  void *buffer;
} gw_matrix;

/* Element (i, j) of an m by n matrix lies i * rs + j * cs elements behind p. */
gw_status gw_matrix_create_with_buffer(gw_type type, int64_t m, int64_t n, void *p, int64_t rs, int64_t cs,
                                         gw_matrix *obj);

/* Y = alpha X + Y */
gw_status gw_axpy(const gw_matrix *alpha, const gw_matrix *x, gw_matrix *y);
gw_status gw_scal(const gw_matrix *alpha, gw_matrix *x);
/* rho = x^T y */
gw_status gw_dot(const gw_matrix *x, const gw_matrix *y, gw_matrix *rho);
/* y = alpha A x + beta y */
gw_status gw_gemv(const gw_matrix *alpha, const gw_matrix *a, const gw_matrix *x, const gw_matrix *beta,
                    gw_matrix *y);
/* A = alpha x y^T + A */
gw_status gw_ger(const gw_matrix *alpha, const gw_matrix *x, const gw_matrix *y, gw_matrix *a);
/* C = alpha A B + beta C */
gw_status gw_gemm(const gw_matrix *alpha, const gw_matrix *a, const gw_matrix *b, const gw_matrix *beta,
                    gw_matrix *c);

#ifdef __cplusplus
}
#endif
#endif
