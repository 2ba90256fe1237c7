#include "godwit.h"

#include "sim.h"

#define STEP() do { if (fails()) return GW_NOT_SUPPORTED; } while (0)
#define REQUIRE(x) do { if (!(x)) return GW_INVALID_ARGUMENT; } while (0)
enum { FILLED = 0x60d51 };

gw_status gw_matrix_create_with_buffer(gw_type type, int64_t m, int64_t n, void *p, int64_t rs, int64_t cs,
                                         gw_matrix *obj) {
  STEP();
  REQUIRE((type == GW_FLOAT || type == GW_DOUBLE) && m >= 0 && n >= 0 && rs >= 0 && cs >= 0 && !obj->info);
  *obj = (gw_matrix){type, {m, n}, {rs, cs}, FILLED, p};
  return GW_SUCCESS;
}

static double load(const gw_matrix *a, int64_t i, int64_t j) {
  const int64_t at = i * a->step[0] + j * a->step[1];
  return a->type == GW_DOUBLE ? ((const double *)a->buffer)[at] : ((const float *)a->buffer)[at];
}
static void store(gw_matrix *a, int64_t i, int64_t j, double value) {
  const int64_t at = i * a->step[0] + j * a->step[1];
  if (a->type == GW_DOUBLE) ((double *)a->buffer)[at] = value;
  else ((float *)a->buffer)[at] = (float)value;
}
static int is(const gw_matrix *a, int64_t m, int64_t n, gw_type type) {
  return a && a->info == FILLED && a->type == type && a->dim[0] == m && a->dim[1] == n;
}

/* C = alpha A B + beta C, over whatever those are: vectors are matrices of one column. */
static void product(double alpha, const gw_matrix *a, const gw_matrix *b, double beta, gw_matrix *c, int across) {
  const int64_t depth = across ? 1 : a->dim[1];
  for (int64_t i = 0; i < c->dim[0]; ++i) {
    for (int64_t j = 0; j < c->dim[1]; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k) sum += load(a, i, k) * (across ? load(b, j, 0) : load(b, k, j));
      store(c, i, j, alpha * sum + (beta == 0 ? 0 : beta * load(c, i, j)));
    }
  }
}

gw_status gw_axpy(const gw_matrix *alpha, const gw_matrix *x, gw_matrix *y) {
  STEP();
  REQUIRE(is(x, y->dim[0], y->dim[1], y->type) && is(alpha, 1, 1, y->type) && y->info == FILLED);
  const double factor = load(alpha, 0, 0);
  for (int64_t i = 0; i < y->dim[0]; ++i) {
    for (int64_t j = 0; j < y->dim[1]; ++j) {
      if (y->type == GW_DOUBLE) store(y, i, j, factor * load(x, i, j) + load(y, i, j));
      else store(y, i, j, (float)((float)factor * (float)load(x, i, j)) + (float)load(y, i, j));
    }
  }
  return GW_SUCCESS;
}
gw_status gw_scal(const gw_matrix *alpha, gw_matrix *x) {
  STEP();
  REQUIRE(x->info == FILLED && is(alpha, 1, 1, x->type));
  for (int64_t i = 0; i < x->dim[0]; ++i) {
    for (int64_t j = 0; j < x->dim[1]; ++j) store(x, i, j, load(alpha, 0, 0) * load(x, i, j));
  }
  return GW_SUCCESS;
}
gw_status gw_dot(const gw_matrix *x, const gw_matrix *y, gw_matrix *rho) {
  STEP();
  REQUIRE(x->dim[1] == 1 && is(x, y->dim[0], 1, rho->type) && is(y, x->dim[0], 1, rho->type));
  REQUIRE(is(rho, 1, 1, rho->type));
  double sum = 0;
  for (int64_t i = 0; i < x->dim[0]; ++i) sum += load(x, i, 0) * load(y, i, 0);
  store(rho, 0, 0, sum);
  return GW_SUCCESS;
}
gw_status gw_gemv(const gw_matrix *alpha, const gw_matrix *a, const gw_matrix *x, const gw_matrix *beta,
                    gw_matrix *y) {
  STEP();
  REQUIRE(y->info == FILLED && is(a, y->dim[0], x->dim[0], y->type) && is(x, a->dim[1], 1, y->type));
  REQUIRE(y->dim[1] == 1 && is(alpha, 1, 1, y->type) && is(beta, 1, 1, y->type));
  product(load(alpha, 0, 0), a, x, load(beta, 0, 0), y, 0);
  return GW_SUCCESS;
}
gw_status gw_ger(const gw_matrix *alpha, const gw_matrix *x, const gw_matrix *y, gw_matrix *a) {
  STEP();
  REQUIRE(a->info == FILLED && is(x, a->dim[0], 1, a->type) && is(y, a->dim[1], 1, a->type));
  REQUIRE(is(alpha, 1, 1, a->type));
  product(load(alpha, 0, 0), x, y, 1, a, 1);
  return GW_SUCCESS;
}
gw_status gw_gemm(const gw_matrix *alpha, const gw_matrix *a, const gw_matrix *b, const gw_matrix *beta,
                    gw_matrix *c) {
  STEP();
  REQUIRE(c->info == FILLED && is(a, c->dim[0], b->dim[0], c->type) && is(b, a->dim[1], c->dim[1], c->type));
  REQUIRE(is(alpha, 1, 1, c->type) && is(beta, 1, 1, c->type));
  product(load(alpha, 0, 0), a, b, load(beta, 0, 0), c, 0);
  return GW_SUCCESS;
}
