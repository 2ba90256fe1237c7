"""Headers whose nouns nobody has heard of: what their functions take together says what they are."""

from __future__ import annotations

from pathlib import Path

from header_helpers import arguments, cpp, matched, ops
from test_match_runtimes import first_of_each_role


def test_streams_and_events_are_told_by_the_functions_that_take_both(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        #include <stdint.h>
        typedef struct hx_lane_s *hx_lane_t;
        typedef struct hx_flag_s *hx_flag_t;
        typedef struct hx_desc_s *hx_desc_t;
        int hx_lane_open(uint32_t flags, hx_lane_t *lane);
        int hx_lane_close(hx_lane_t lane);
        int hx_lane_drain(hx_lane_t lane);
        int hx_lane_idle(hx_lane_t lane, int *idle);
        int hx_flag_new(hx_flag_t *flag);
        int hx_flag_del(hx_flag_t flag);
        int hx_flag_raise(hx_flag_t flag, hx_lane_t lane);
        int hx_flag_hold(hx_flag_t flag, hx_lane_t lane);
        int hx_flag_wait(hx_flag_t flag);
        int hx_flag_test(hx_flag_t flag, int *done);
        int hx_flag_span(hx_flag_t first, hx_flag_t last, float *ms);
        int hx_desc_compare(hx_desc_t first, hx_desc_t last, float *similarity);
        int hx_memory(uint64_t *free_bytes, uint64_t *total_bytes);
        """,
    )
    found = first_of_each_role(result)
    assert {role: found.get(role) for role in found if role.startswith(("stream", "event", "memory_info"))} == {
        "stream_create": "hx_lane_open",
        "stream_destroy": "hx_lane_close",
        "stream_sync": "hx_lane_drain",
        "stream_query": "hx_lane_idle",
        "stream_wait_event": "hx_flag_hold",
        "event_create": "hx_flag_new",
        "event_destroy": "hx_flag_del",
        "event_record": "hx_flag_raise",
        "event_sync": "hx_flag_wait",
        "event_query": "hx_flag_test",
        "event_elapsed": "hx_flag_span",
        "memory_info": "hx_memory",
    }


def test_methods_of_streams_and_names_in_an_inline_namespace(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        #include <stddef.h>
        namespace bs { inline namespace v3 {
        class Event;
        class Queue { public: void wait(); bool idle() const; void wait_for(const Event &event); };
        class Event { public: void record(Queue &queue); void wait() const; };
        namespace platform { void start(); void stop(); int devices(); void use_device(int device); }
        void *allocate(size_t bytes);
        void deallocate(void *memory);
        } }
        """,
    )
    found = first_of_each_role(result)
    assert {role: found.get(role) for role in ("init", "finalize", "device_count", "set_device", "malloc", "free")} == {
        "init": "bs::platform::start",
        "finalize": "bs::platform::stop",
        "device_count": "bs::platform::devices",
        "set_device": "bs::platform::use_device",
        "malloc": "bs::allocate",
        "free": "bs::deallocate",
    }
    assert found["stream_sync"] == "bs::Queue::wait"
    assert found["stream_query"] == "bs::Queue::idle"
    assert found["stream_wait_event"] == "bs::Queue::wait_for"
    assert found["event_record"] == "bs::Event::record"


NUMBERED = """
    typedef int s32; typedef float f32;
    s32 zc_add(s32 sess, s32 r, s32 a, s32 b);
    s32 zc_sub(s32 sess, s32 r, s32 a, s32 b);
    s32 zc_mul(s32 sess, s32 r, s32 a, s32 b);
    s32 zc_abs(s32 sess, s32 r, s32 a);
    s32 zc_exp(s32 sess, s32 r, s32 a);
    s32 zc_log(s32 sess, s32 r, s32 a);
    s32 zc_relu(s32 sess, s32 r, s32 a);
    s32 zc_mm(s32 sess, s32 r, s32 a, s32 b);
    s32 zc_conv(s32 sess, s32 r, s32 x, s32 w, s32 bias, const s32 *stride);
    s32 zc_softmax(s32 sess, s32 r, s32 a, s32 axis);
    s32 zc_wait(s32 sess, s32 ms);
"""


def test_tensors_that_are_places_in_a_table(tmp_path: Path) -> None:
    result = matched(tmp_path, NUMBERED)
    found = ops(result)
    assert (found["zc_add"], found["zc_exp"], found["zc_mm"]) == ("aten::add.Tensor", "aten::exp", "aten::matmul")
    assert arguments(result, "zc_sub") == {"sess": "ctx", "r": "output", "a": "input", "b": "input2"}
    conv = arguments(result, "zc_conv")
    assert (conv["r"], conv["x"], conv["w"], conv["bias"]) == ("output", "input", "weight", "bias")
    assert arguments(result, "zc_softmax")["axis"] == "axis"
    assert "zc_wait" not in found


def test_functions_of_numbers_are_no_tensors(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        int nb_add(int a, int b); int nb_sub(int a, int b); int nb_mul(int a, int b); int nb_abs(int a);
        int nb_min(int a, int b); int nb_max(int a, int b); int nb_neg(int a); int nb_sqrt(int a);
        """,
    )
    assert not ops(result)


def test_a_result_that_may_be_left_out(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        #include <optional>
        namespace tq {
        class Tensor { public: Tensor(); int rank() const; };
        #define TQ_UNARY(op) Tensor op(const Tensor &input, const std::optional<Tensor> &output_tensor = std::nullopt)
        TQ_UNARY(exp); TQ_UNARY(abs); TQ_UNARY(relu); TQ_UNARY(tanh); TQ_UNARY(sqrt);
        Tensor add(const Tensor &a, const Tensor &b); Tensor mul(const Tensor &a, const Tensor &b);
        Tensor sub(const Tensor &a, const Tensor &b); Tensor sum(const Tensor &a, int axis);
        }
        """,
    )
    assert ops(result)["tq::exp"] == "aten::exp"
    assert arguments(result, "tq::tanh") == {"input": "input", "output_tensor": "output"}


def test_two_steps_by_words_of_their_own(tmp_path: Path) -> None:
    names = ("Add", "Sub", "Mul", "Div")
    binary = "\n".join(
        f"int nd{n}Plan(const ndTensor *self, const ndTensor *other, ndTensor *out, uint64_t *workspaceSize,"
        f" ndTask **task); int nd{n}Run(void *workspace, uint64_t workspaceSize, ndTask *task, ndStream stream);"
        for n in names
    )
    unary = "\n".join(
        f"int nd{n}Plan(const ndTensor *self, ndTensor *out, uint64_t *workspaceSize, ndTask **task);"
        f" int nd{n}Run(void *workspace, uint64_t workspaceSize, ndTask *task, ndStream stream);"
        for n in ("Exp", "Relu", "Tanh", "Silu")
    )
    result = matched(
        tmp_path,
        "#include <stdint.h>\ntypedef struct ndTensor ndTensor; typedef struct ndTask ndTask;"
        f"typedef struct ndStream_s *ndStream;\n{binary}\n{unary}\nint ndResetPlan(ndTask *task);",
    )
    found = ops(result)
    assert found["ndAddPlan"] == found["ndAddRun"] == "aten::add.Tensor"
    assert found["ndSiluPlan"] == found["ndSiluRun"] == "aten::silu"
    assert arguments(result, "ndAddRun")["task"] == "plan"
    assert "ndResetPlan" not in found


def test_letters_behind_names_of_blas_and_a_result_of_its_own(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        struct bo_mat { float *pA; int m; int n; };
        void bo_sgemm_nt(int m, int n, int k, float alpha, struct bo_mat *sA, struct bo_mat *sB, float beta,
                         struct bo_mat *sC, struct bo_mat *sD);
        void bo_strsm_llnn(int m, int n, float alpha, struct bo_mat *sA, struct bo_mat *sB, struct bo_mat *sD);
        void bo_spotrf_l(int m, struct bo_mat *sC, struct bo_mat *sD);
        void bo_sgemm_xy(int m, int n, int k, float alpha, struct bo_mat *sA, struct bo_mat *sB, float beta,
                         struct bo_mat *sC, struct bo_mat *sD);
        """,
    )
    found = ops(result)
    assert found["bo_sgemm_nt"] in ("aten::addmm", "aten::mm")
    assert found["bo_strsm_llnn"] == "aten::linalg_solve_triangular"
    assert arguments(result, "bo_strsm_llnn")["sD"] == "output"
    assert found["bo_spotrf_l"] == "aten::linalg_cholesky_ex"
    assert "bo_sgemm_xy" not in found


def test_a_pair_of_iterators_is_one_operand(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        namespace vx { class queue; queue &default_queue();
        template <class InputIterator, class OutputIterator>
        OutputIterator inclusive_scan(InputIterator first, InputIterator last, OutputIterator result,
                                      queue &q = default_queue());
        template <class Iterator> void sort(Iterator first, Iterator last, queue &q = default_queue());
        }
        """,
    )
    assert ops(result)["vx::inclusive_scan"] == "aten::cumsum"
    assert {k: v for k, v in arguments(result, "vx::inclusive_scan").items() if k != "last"} == {
        "first": "input",
        "result": "output",
        "q": "stream",
    }
    assert arguments(result, "vx::sort")["first"] == "inout"


def test_the_enum_by_which_an_object_is_made_chooses_what_it_runs(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        namespace ep {
        class Tensor { public: Tensor(); float *data(); };
        enum class UnaryOp { kExp, kLog, kRelu, kTanh, kSqrt };
        class ElementwiseUnary { public: virtual void Launch(const Tensor &src, Tensor &dst) = 0; };
        class ElementwiseUnaryFactory { public: virtual ElementwiseUnary *New(UnaryOp op) = 0; };
        class Activation { public:
            enum class Function { Relu, Sigmoid, Tanh, Gelu };
            explicit Activation(Function function);
            int run(const Tensor &input, Tensor &output); };
        }
        """,
    )
    found: dict[str, set[str]] = {}
    for m in result.matches:
        found.setdefault(m.function, set()).add(m.aten.removeprefix("aten::"))
    assert found["ep::ElementwiseUnary::Launch"] == {"exp", "log", "relu", "tanh", "sqrt"}
    assert found["ep::Activation::run"] == {"relu", "sigmoid", "tanh", "gelu"}


def test_what_runs_inside_a_kernel_asks_where_it_runs(tmp_path: Path) -> None:
    inside = """
        template <typename T> class LTensor { public: LTensor<T> operator[](int offset) const; };
        int CoreIndex(); int SubCoreIndex(); void SyncAllCores();
        template <typename T> void Add(const LTensor<T> &dst, const LTensor<T> &a, const LTensor<T> &b, int count);
        template <typename T> void Exp(const LTensor<T> &dst, const LTensor<T> &a, int count);
        template <typename T> void Relu(const LTensor<T> &dst, const LTensor<T> &a, int count);
        template <typename T> void Mul(const LTensor<T> &dst, const LTensor<T> &a, const LTensor<T> &b, int count);
    """
    result = cpp(tmp_path, inside)
    assert not result.eager.usable
    assert "CoreIndex" in result.eager.reason
    host = cpp(tmp_path / "host", inside + "void *device_malloc(unsigned long bytes); void device_free(void *p);")
    assert host.eager.usable


def test_command_buffers_are_streams_and_a_common_last_word_is_how_ops_are_called(tmp_path: Path) -> None:
    names = ("Add", "Multiply", "Sigmoid", "ReLU", "Absolute", "Softmax", "Subtract")
    second = {"Add", "Multiply", "Subtract"}
    text = "\n".join(
        f"void MQ{n}Encode(MQCommandBufferRef commandBuffer, MQImageRef first, "
        + ("MQImageRef second, " if n in second else "")
        + "MQImageRef destination);"
        for n in names
    )
    result = matched(
        tmp_path,
        "typedef struct MQCommandBuffer_s *MQCommandBufferRef; typedef struct MQImage_s *MQImageRef;\n" + text,
    )
    assert ops(result)["MQAddEncode"] == "aten::add.Tensor"
    assert arguments(result, "MQSigmoidEncode") == {
        "commandBuffer": "stream",
        "first": "input",
        "destination": "output",
    }


def test_what_makes_and_ends_the_objects_that_carry_tensors(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        typedef struct { unsigned length; float *data; } fv_t;
        fv_t *new_fv(unsigned length); void del_fv(fv_t *s); void fv_print(const fv_t *s);
        void fv_exp(fv_t *s); void fv_log(fv_t *s); void fv_abs(fv_t *s); void fv_sqrt(fv_t *s);
        void fv_add(fv_t *s, const fv_t *other); void fv_mul(fv_t *s, const fv_t *other);
        float fv_sum(const fv_t *s); float fv_mean(const fv_t *s);
        """,
    )
    found = first_of_each_role(result)
    assert (found.get("tensor_create"), found.get("tensor_destroy")) == ("new_fv", "del_fv")


def test_a_class_that_is_waited_for_and_moves_memory_is_a_stream(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        #include <stddef.h>
        namespace hy {
        class Ticket { public: void wait(); bool reached() const; };
        class Timeline { public:
            Ticket write(void *to, const void *from, size_t bytes);
            Ticket copy(void *to, const void *from, size_t bytes);
            Ticket signal();
            void after(const Ticket &ticket);
            void drain();
            bool idle() const; };
        class Device { public: Timeline make_timeline(int priority); };
        }
        """,
    )
    found = first_of_each_role(result)
    assert found["stream_create"] == "hy::Device::make_timeline"
    assert found["stream_sync"] == "hy::Timeline::drain"
    assert found["stream_query"] == "hy::Timeline::idle"
    assert found["stream_wait_event"] == "hy::Timeline::after"
    assert found["event_sync"] == "hy::Ticket::wait"
    assert found["event_query"] == "hy::Ticket::reached"


def test_an_object_made_from_another_that_waits_for_it_is_an_event(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        typedef struct VtExec VtExec; typedef struct VtPoint VtPoint;
        int vt_exec_new(int device, VtExec **out);
        int vt_exec_join(VtExec *exec);
        int vt_exec_follow(VtExec *exec, VtPoint *point);
        int vt_point_mark(VtExec *exec, VtPoint **out);
        int vt_point_join(VtPoint *point);
        """,
    )
    found = first_of_each_role(result)
    assert found["stream_create"] == "vt_exec_new"
    assert found["stream_sync"] == "vt_exec_join"
    assert found["stream_wait_event"] == "vt_exec_follow"
    assert found["event_record"] == "vt_point_mark"
    assert found["event_sync"] == "vt_point_join"
