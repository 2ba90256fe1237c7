"""Runtime functions whose names say less than their arguments: which function has which role."""

from __future__ import annotations

from pathlib import Path

from header_helpers import cpp, matched
from test_match_runtimes import first_of_each_role


def test_layouts_made_of_sizes_describe_tensors_and_delete_is_of_what_it_takes(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        typedef struct pv_prim_s *pvPrimitive_t;
        typedef struct pv_layout_s *pvLayout_t;
        int pvSetup(void);
        int pvTeardown(void);
        int pvLayoutCreate_F32(pvLayout_t *pLayout, size_t dimension, const size_t size[], const size_t strides[]);
        int pvLayoutDelete_F32(pvLayout_t layout);
        int pvExecute_F32(pvPrimitive_t primitive, void *resources[]);
        int pvDelete_F32(pvPrimitive_t primitive);
        """,
    )
    found = first_of_each_role(result)
    assert found["init"] == "pvSetup"
    assert found["tensor_desc_create"] == "pvLayoutCreate_F32"
    assert found["tensor_desc_destroy"] == "pvLayoutDelete_F32"
    assert found["op_destroy"] == "pvDelete_F32"
    assert "handle_destroy" not in found


def test_layouts_of_something_else_and_the_deletion_of_a_handle(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        typedef struct rq_ctx *rq_handle_t;
        typedef struct rq_pl *rq_layout_t;
        int rq_create(rq_handle_t *handle);
        int rq_delete(rq_handle_t handle);
        int rq_layout_create(rq_handle_t handle, rq_layout_t *layout);
        """,
    )
    found = first_of_each_role(result)
    assert found["handle_destroy"] == "rq_delete"
    assert not {"op_destroy", "tensor_desc_create"} & set(found)


def test_memory_behind_an_address_and_tensors_that_are_disposed_of(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        #include <stddef.h>
        #include <stdint.h>
        namespace lumen {
        class BlockDevice {
        public:
          virtual void read(uint32_t address, void *data, size_t size) = 0;
          virtual void write(uint32_t address, const void *data, size_t size) = 0;
        };
        class Log { public: virtual void write(uint32_t level, const void *data, size_t size) = 0; };
        }
        """,
    )
    found = first_of_each_role(result)
    assert (found["memcpy_h2d"], found["memcpy_d2h"]) == ("lumen::BlockDevice::write", "lumen::BlockDevice::read")
    disposed = matched(
        tmp_path,
        """
        typedef struct qz_tensor qz_tensor;
        int tensor_rank(qz_tensor *tensor);
        int tensor_size(qz_tensor *tensor);
        int tensor_dtype(qz_tensor *tensor);
        void tensor_dispose(qz_tensor *tensor);
        qz_tensor *qz_exp(qz_tensor *x);
        qz_tensor *qz_add(qz_tensor *x, qz_tensor *y);
        """,
    )
    assert first_of_each_role(disposed)["tensor_destroy"] == "tensor_dispose"
