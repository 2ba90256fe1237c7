#include "plover.h"

#include <math.h>
#include <string.h>

#include "sim.h"

#define STEP() do { if (fails()) return pl_unimplemented; } while (0)
#define REQUIRE(x) do { if (!(x)) return pl_invalid_arguments; } while (0)

enum { ELTWISE = 0x101, BINARY, SOFTMAX, CONVOLUTION };
struct pl_engine { size_t index; };
struct pl_memory { pl_tensor_desc_t desc; char *data; };
union any_op {
  int kind;
  pl_eltwise_desc_t eltwise;
  pl_binary_desc_t binary;
  pl_softmax_desc_t softmax;
  pl_convolution_desc_t conv;
};
struct pl_primitive_desc { union any_op op; };
struct pl_primitive { union any_op op; };

pl_status_t pl_malloc(void **ptr, size_t bytes) {
  return (*ptr = device_alloc(bytes)) ? pl_success : pl_out_of_memory;
}
pl_status_t pl_free(void *ptr) { REQUIRE(device_free(ptr)); return pl_success; }
pl_status_t pl_memcpy_host_to_device(void *dst, const void *src, size_t bytes) {
  STEP();
  REQUIRE(on_device(dst, bytes));
  memcpy(dst, src, bytes);
  return pl_success;
}
pl_status_t pl_memcpy_device_to_host(void *dst, const void *src, size_t bytes) {
  STEP();
  REQUIRE(on_device(src, bytes));
  memcpy(dst, src, bytes);
  return pl_success;
}
pl_status_t pl_device_synchronize(void) { return pl_success; }

pl_status_t pl_engine_create(pl_engine_t *engine, size_t index) {
  STEP();
  if (!(*engine = make(sizeof **engine))) return pl_out_of_memory;
  (*engine)->index = index;
  return pl_success;
}
pl_status_t pl_engine_destroy(pl_engine_t engine) { unmake(engine); return pl_success; }

static int known(pl_data_type_t type) { return type == pl_f32 || type == pl_f64; }
static int size_of(pl_data_type_t type) { return type == pl_f64 ? 8 : 4; }
static int64_t numel(const pl_tensor_desc_t *t) {
  int64_t n = 1;
  for (int i = 0; i < t->rank; ++i) n *= t->dims[i];
  return n;
}
/* Row-major without space, as every kernel here wants it. */
static int dense(const pl_tensor_desc_t *t) {
  int64_t step = 1;
  for (int i = t->rank - 1; i >= 0; --i) {
    if (t->dims[i] > 1 && t->strides[i] != step) return 0;
    step *= t->dims[i];
  }
  return known(t->data_type);
}
static int alike(const pl_tensor_desc_t *a, const pl_tensor_desc_t *b) {
  return a->rank == b->rank && a->data_type == b->data_type && !memcmp(a->dims, b->dims, sizeof(int64_t) * a->rank);
}

pl_status_t pl_tensor_desc_init_by_strides(pl_tensor_desc_t *tensor_desc, int rank, const pl_dims_t dims,
                                           pl_data_type_t data_type, const pl_dims_t strides) {
  STEP();
  REQUIRE(tensor_desc && rank > 0);
  if (rank > PL_MAX_RANK || !known(data_type)) return pl_unimplemented;
  memset(tensor_desc, 0, sizeof *tensor_desc);
  tensor_desc->rank = rank;
  tensor_desc->data_type = data_type;
  memcpy(tensor_desc->dims, dims, sizeof(int64_t) * rank);
  memcpy(tensor_desc->strides, strides, sizeof(int64_t) * rank);
  return pl_success;
}
pl_status_t pl_tensor_desc_init_part(pl_tensor_desc_t *tensor_desc, const pl_tensor_desc_t *parent_desc,
                                     const pl_dims_t dims, const pl_dims_t offsets) {
  STEP();
  (void)offsets;
  *tensor_desc = *parent_desc;
  memcpy(tensor_desc->dims, dims, sizeof(int64_t) * parent_desc->rank);
  return pl_success;
}
pl_status_t pl_memory_create(pl_memory_t *memory, const pl_tensor_desc_t *tensor_desc, pl_engine_t engine,
                             void *handle) {
  STEP();
  REQUIRE(engine && dense(tensor_desc));
  REQUIRE(!numel(tensor_desc) || on_device(handle, size_of(tensor_desc->data_type) * numel(tensor_desc)));
  if (!(*memory = make(sizeof **memory))) return pl_out_of_memory;
  (*memory)->desc = *tensor_desc;
  (*memory)->data = handle;
  return pl_success;
}
pl_status_t pl_memory_get_desc(pl_memory_t memory, const pl_tensor_desc_t **tensor_desc) {
  *tensor_desc = &memory->desc;
  return pl_success;
}
pl_status_t pl_memory_destroy(pl_memory_t memory) { unmake(memory); return pl_success; }

pl_status_t pl_eltwise_forward_desc_init(pl_eltwise_desc_t *eltwise_desc, pl_prop_kind_t prop_kind,
                                         pl_alg_kind_t alg_kind, const pl_tensor_desc_t *data_desc, float alpha,
                                         float beta) {
  STEP();
  REQUIRE(prop_kind == pl_forward_inference && alg_kind >= pl_eltwise_tanh && alg_kind <= pl_eltwise_abs);
  *eltwise_desc = (pl_eltwise_desc_t){ELTWISE, alg_kind, *data_desc, alpha, beta};
  return pl_success;
}
pl_status_t pl_binary_desc_init(pl_binary_desc_t *binary_desc, pl_alg_kind_t alg_kind,
                                const pl_tensor_desc_t *src0_desc, const pl_tensor_desc_t *src1_desc,
                                const pl_tensor_desc_t *dst_desc) {
  STEP();
  REQUIRE((alg_kind == pl_binary_add || alg_kind == pl_binary_mul) && alike(src0_desc, src1_desc));
  REQUIRE(alike(src0_desc, dst_desc));
  *binary_desc = (pl_binary_desc_t){BINARY, alg_kind, {*src0_desc, *src1_desc}, *dst_desc};
  return pl_success;
}
pl_status_t pl_softmax_forward_desc_init(pl_softmax_desc_t *softmax_desc, pl_prop_kind_t prop_kind,
                                         const pl_tensor_desc_t *data_desc, int softmax_axis) {
  STEP();
  REQUIRE(prop_kind == pl_forward_inference && softmax_axis >= 0 && softmax_axis < data_desc->rank);
  *softmax_desc = (pl_softmax_desc_t){SOFTMAX, *data_desc, softmax_axis};
  return pl_success;
}
pl_status_t pl_dilated_convolution_forward_desc_init(
    pl_convolution_desc_t *conv_desc, pl_prop_kind_t prop_kind, pl_alg_kind_t alg_kind,
    const pl_tensor_desc_t *src_desc, const pl_tensor_desc_t *weights_desc, const pl_tensor_desc_t *bias_desc,
    const pl_tensor_desc_t *dst_desc, const pl_dims_t strides, const pl_dims_t dilates, const pl_dims_t padding_l,
    const pl_dims_t padding_r) {
  STEP();
  REQUIRE(prop_kind == pl_forward_inference && alg_kind == pl_convolution_direct);
  REQUIRE(src_desc->rank == 4 && (weights_desc->rank == 4 || weights_desc->rank == 5) && dst_desc->rank == 4);
  memset(conv_desc, 0, sizeof *conv_desc);
  conv_desc->kind = CONVOLUTION;
  conv_desc->src_desc = *src_desc;
  conv_desc->weights_desc = *weights_desc;
  if (bias_desc) conv_desc->bias_desc = *bias_desc;
  conv_desc->dst_desc = *dst_desc;
  for (int i = 0; i < 2; ++i) {
    REQUIRE(strides[i] > 0 && dilates[i] >= 0 && padding_l[i] >= 0 && padding_l[i] == padding_r[i]);
    conv_desc->strides[i] = strides[i];
    conv_desc->dilates[i] = dilates[i];
    conv_desc->padding[i] = padding_l[i];
  }
  return pl_success;
}

pl_status_t pl_primitive_desc_create(pl_primitive_desc_t *primitive_desc, const_pl_op_desc_t op_desc,
                                     const_pl_primitive_attr_t attr, pl_engine_t engine,
                                     const_pl_primitive_desc_t hint_forward_primitive_desc) {
  static const size_t sizes[] = {sizeof(pl_eltwise_desc_t), sizeof(pl_binary_desc_t), sizeof(pl_softmax_desc_t),
                                 sizeof(pl_convolution_desc_t)};
  STEP();
  const int kind = *(const int *)op_desc;
  REQUIRE(!attr && engine && !hint_forward_primitive_desc && kind >= ELTWISE && kind <= CONVOLUTION);
  if (!(*primitive_desc = make(sizeof **primitive_desc))) return pl_out_of_memory;
  memcpy(&(*primitive_desc)->op, op_desc, sizes[kind - ELTWISE]);
  return pl_success;
}
pl_status_t pl_primitive_desc_destroy(pl_primitive_desc_t primitive_desc) { unmake(primitive_desc); return pl_success; }
pl_status_t pl_primitive_create(pl_primitive_t *primitive, const_pl_primitive_desc_t primitive_desc) {
  STEP();
  if (!(*primitive = make(sizeof **primitive))) return pl_out_of_memory;
  (*primitive)->op = primitive_desc->op;
  return pl_success;
}
pl_status_t pl_primitive_destroy(pl_primitive_t primitive) { unmake(primitive); return pl_success; }

static double load(const struct pl_memory *m, int64_t i) {
  return m->desc.data_type == pl_f64 ? ((const double *)m->data)[i] : ((const float *)m->data)[i];
}
static void store(struct pl_memory *m, int64_t i, double value) {
  if (m->desc.data_type == pl_f64) ((double *)m->data)[i] = value;
  else ((float *)m->data)[i] = (float)value;
}
static double eltwise(const pl_eltwise_desc_t *op, double x) {
  if (op->alg_kind == pl_eltwise_tanh) return tanh(x);
  if (op->alg_kind == pl_eltwise_abs) return fabs(x);
  return x > 0 ? x : op->alpha * expm1(x);
}
static void softmax(const struct pl_memory *src, struct pl_memory *dst, int axis) {
  const pl_tensor_desc_t *t = &src->desc;
  int64_t inner = 1, outer = 1;
  for (int i = 0; i < axis; ++i) outer *= t->dims[i];
  for (int i = axis + 1; i < t->rank; ++i) inner *= t->dims[i];
  for (int64_t row = 0; row < outer * inner; ++row) {
    const int64_t first = row / inner * t->dims[axis] * inner + row % inner;
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < t->dims[axis]; ++i) {
      const double x = load(src, first + i * inner);
      if (x > most || x != x) most = x;
    }
    for (int64_t i = 0; i < t->dims[axis]; ++i) sum += exp(load(src, first + i * inner) - most);
    for (int64_t i = 0; i < t->dims[axis]; ++i) {
      store(dst, first + i * inner, exp(load(src, first + i * inner) - most) / sum);
    }
  }
}
static void convolution(const pl_convolution_desc_t *op, const struct pl_memory *x, const struct pl_memory *w,
                        const struct pl_memory *bias, struct pl_memory *y) {
  const int64_t *xs = op->src_desc.dims, *ys = op->dst_desc.dims;
  const int64_t *ws = op->weights_desc.dims + (op->weights_desc.rank == 5);
  const int64_t groups = op->weights_desc.rank == 5 ? op->weights_desc.dims[0] : 1, each = ys[1] / groups;
  for (int64_t at = 0; at < numel(&op->dst_desc); ++at) {
    const int64_t q = at % ys[3], p = at / ys[3] % ys[2], k = at / (ys[3] * ys[2]) % ys[1];
    const int64_t n = at / (ys[3] * ys[2] * ys[1]), from = k / each * ws[1];
    double sum = bias ? load(bias, k) : 0;
    for (int64_t c = 0; c < ws[1]; ++c) {
      for (int64_t r = 0; r < ws[2]; ++r) {
        for (int64_t s = 0; s < ws[3]; ++s) {
          const int64_t h = p * op->strides[0] - op->padding[0] + r * (op->dilates[0] + 1);
          const int64_t v = q * op->strides[1] - op->padding[1] + s * (op->dilates[1] + 1);
          if (h < 0 || v < 0 || h >= xs[2] || v >= xs[3]) continue;
          sum += load(x, ((n * xs[1] + from + c) * xs[2] + h) * xs[3] + v) *
                 load(w, ((k * ws[1] + c) * ws[2] + r) * ws[3] + s);
        }
      }
    }
    store(y, at, sum);
  }
}

pl_status_t pl_primitive_execute(const struct pl_primitive *primitive, pl_stream_t stream, int nargs,
                                 const pl_exec_arg_t *args) {
  struct pl_memory *given[64] = {0};
  const union any_op *op = &primitive->op;
  STEP();
  REQUIRE(!stream);
  for (int i = 0; i < nargs; ++i) {
    REQUIRE(args[i].arg > 0 && args[i].arg < 64);
    given[args[i].arg] = args[i].memory;
  }
  struct pl_memory *src = given[PL_ARG_SRC], *dst = given[PL_ARG_DST];
  REQUIRE(src && dst);
  if (op->kind == ELTWISE) {
    REQUIRE(alike(&op->eltwise.data_desc, &src->desc) && alike(&src->desc, &dst->desc));
    for (int64_t i = 0; i < numel(&src->desc); ++i) store(dst, i, eltwise(&op->eltwise, load(src, i)));
  } else if (op->kind == BINARY) {
    const struct pl_memory *other = given[PL_ARG_SRC_1];
    REQUIRE(other && alike(&op->binary.src_desc[0], &src->desc) && alike(&op->binary.src_desc[1], &other->desc));
    for (int64_t i = 0; i < numel(&src->desc); ++i) {
      const double a = load(src, i), b = load(other, i);
      store(dst, i, op->binary.alg_kind == pl_binary_add ? a + b : a * b);
    }
  } else if (op->kind == SOFTMAX) {
    REQUIRE(alike(&op->softmax.data_desc, &src->desc) && alike(&src->desc, &dst->desc));
    softmax(src, dst, op->softmax.axis);
  } else {
    const struct pl_memory *weights = given[PL_ARG_WEIGHTS], *bias = given[PL_ARG_BIAS];
    REQUIRE(weights && alike(&op->conv.weights_desc, &weights->desc) && alike(&op->conv.src_desc, &src->desc));
    REQUIRE(!op->conv.bias_desc.rank == !bias);
    convolution(&op->conv, src, weights, bias, dst);
  }
  return pl_success;
}
