"""The simulated X1 board's runtime: life cycle, devices, memory, copies, faults, and how the SDK is built."""

from __future__ import annotations

import ctypes
import itertools
import mmap
import re
import signal
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from torchfl_sdk.chips import compile_sdk, simulated_sdks

import x1_helpers as helpers
from torchfl.errors import TorchflError
from x1_helpers import DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE, X1

SOURCES = Path(__file__).parent.parent / "chips" / "x1" / "sdk"


@pytest.fixture
def x1() -> Iterator[X1]:
    with helpers.load().running() as board:
        yield board
        board.x1_sim_set_faults(b"")


def child(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in its own process with `lib` loaded and a malloc helper."""
    head = f"""
import ctypes, os, threading
lib = ctypes.CDLL({str(helpers.sdk_dir() / "lib" / "libx1.so")!r})
lib.x1_get_last_error.restype = ctypes.c_char_p
p = ctypes.c_void_p()
def malloc(n): return lib.x1_malloc(ctypes.byref(p), ctypes.c_size_t(n))
"""
    command = [sys.executable, "-c", head + script]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)


def declared(header: Path) -> set[str]:
    return set(re.findall(r"^X1_API [^;(]*?(\w+)\(", header.read_text(), re.M))


# ---- the library ------------------------------------------------------------


def test_every_function_of_the_headers_is_exported_and_nothing_else() -> None:
    library = helpers.sdk_dir() / "lib" / "libx1.so"
    listing = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True)
    exported = {line.split()[-1] for line in listing.stdout.splitlines()}
    vendor, sim = declared(SOURCES / "include" / "x1_runtime.h"), declared(SOURCES / "src" / "x1_sim.h")
    assert len(vendor) == 60
    assert exported == vendor | sim
    assert not vendor & sim


def test_the_shipped_header_is_the_pinned_one() -> None:
    shipped = helpers.sdk_dir() / "include"
    assert [path.name for path in shipped.iterdir()] == ["x1_runtime.h"]
    assert (shipped / "x1_runtime.h").read_bytes() == (SOURCES / "include" / "x1_runtime.h").read_bytes()


def test_the_sources_compile_without_a_warning(tmp_path: Path) -> None:
    sources = [str(path) for path in (SOURCES / "src").glob("*.c")]
    command = ["cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Werror", "-fPIC", "-shared"]
    done = subprocess.run(
        [*command, f"-I{SOURCES / 'include'}", "-o", str(tmp_path / "x.so"), *sources, "-lm"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_compile_sdk_replaces_its_own_output(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libx1.so").write_text("old")
    assert compile_sdk("x1", tmp_path) == tmp_path
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.*")) == [
        "include/x1_runtime.h",
        "lib/libx1.so",
    ]
    assert (tmp_path / "lib" / "libx1.so").read_bytes()[:4] == b"\x7fELF"


def test_compile_sdk_says_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "x1" in simulated_sdks()
    with pytest.raises(TorchflError, match=r"TFL0580 .*no simulated SDK 'x'; fix: 'x1'"):
        compile_sdk("x", tmp_path / "a")
    with pytest.raises(TorchflError, match=r"TFL0581 CC: 'no-such-cc' is not a program"):
        compile_sdk("x1", tmp_path / "a", cc="no-such-cc")
    monkeypatch.setenv("CC", "false")
    with pytest.raises(TorchflError, match=r"TFL0582 .*false failed"):
        compile_sdk("x1", tmp_path / "a")
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TorchflError, match=r"TFL0581 CC: neither cc, gcc nor clang is on PATH"):
        compile_sdk("x1", tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_compile_sdk_names_a_folder_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TorchflError, match="TFL0583"):
        compile_sdk("x1", tmp_path / "file")


# ---- life cycle -------------------------------------------------------------


def test_nothing_works_before_init_and_init_counts() -> None:
    done = child("""
n = ctypes.c_int()
assert lib.x1_get_device_count(ctypes.byref(n)) == 1 and malloc(8) == 1 and lib.x1_shutdown() == 1
assert b"x1_init() has not been called" in lib.x1_get_last_error()
assert lib.x1_init() == 0 and lib.x1_init() == 0
assert lib.x1_shutdown() == 0 and malloc(8) == 0
assert lib.x1_shutdown() == 0 and malloc(8) == 1 and lib.x1_shutdown() == 1
assert lib.x1_init() == 0 and lib.x1_get_device_count(ctypes.byref(n)) == 0 and n.value == 2
print("ok")
""")
    assert done.stdout == "ok\n", done.stderr


def test_devices_and_names(x1: X1) -> None:
    device, text = ctypes.c_int(), ctypes.create_string_buffer(64)
    x1.ok(x1.x1_set_device(1))
    x1.ok(x1.x1_get_device(ctypes.byref(device)))
    x1.ok(x1.x1_get_device_name(1, text, ctypes.c_size_t(64)))
    assert (device.value, text.value) == (1, b"X1-Edge core 1")
    for bad in (-1, 2):
        assert x1.x1_set_device(bad) == helpers.INVALID_VALUE
        assert f"device {bad} does not exist" in x1.error
    celsius = ctypes.c_float()
    x1.ok(x1.x1_get_temperature(0, ctypes.byref(celsius)))
    assert 0 < celsius.value < 100


def test_current_device_and_error_text_belong_to_a_thread(x1: X1) -> None:
    seen: list[object] = []

    def other() -> None:
        device = ctypes.c_int(9)
        x1.x1_get_device(ctypes.byref(device))
        seen.extend([device.value, x1.error])

    x1.ok(x1.x1_set_device(1))
    x1.x1_set_device(7)
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert seen == [0, ""]
    assert "device 7" in x1.error


def test_a_forked_child_cannot_use_the_board() -> None:
    done = child("""
assert lib.x1_init() == 0 and malloc(4096) == 0
pid = os.fork()
if pid == 0:
    codes = lib.x1_init(), malloc(8), lib.x1_shutdown()
    os._exit(0 if codes == (5, 5, 5) and b"fork" in lib.x1_get_last_error() else 1)
assert os.waitpid(pid, 0)[1] == 0 and malloc(8) == 0
pid = os.fork()
if pid == 0:
    ctypes.memset(p.value, 0, 1)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
""")
    assert done.stdout == f"{-signal.SIGSEGV}\n", done.stderr


# ---- memory -----------------------------------------------------------------


@pytest.mark.parametrize(
    "touch",
    [
        "ctypes.string_at(p.value, 1)",
        "ctypes.memset(p.value + 100, 1, 1)",
        "t = threading.Thread(target=lambda: ctypes.string_at(p.value, 1)); t.start(); t.join()",
    ],
    ids=["read", "write", "other-thread"],
)
def test_the_host_cannot_touch_device_memory(touch: str) -> None:
    done = child(f"assert lib.x1_init() == 0 and malloc(256) == 0\n{touch}\nprint('survived')")
    assert done.returncode == -signal.SIGSEGV
    assert done.stdout == ""


def test_copies_go_round_and_memset_fills(x1: X1) -> None:
    data = np.random.default_rng(0).integers(0, 256, 100_000, np.uint8)
    first, second = x1.upload(data), x1.malloc(data.nbytes)
    x1.ok(x1.x1_memcpy(second + 7, first + 3, 50_000, DEVICE_TO_DEVICE))
    x1.ok(x1.x1_memset(second + 50_007, 0x5A, 100))
    result = x1.download(second + 7, 50_100, "uint8")
    assert (result[:50_000] == data[3:50_003]).all()
    assert (result[50_000:] == 0x5A).all()
    crc = ctypes.c_uint32()
    x1.ok(x1.x1_crc32(first, data.nbytes, ctypes.byref(crc)))
    assert crc.value == zlib.crc32(data.tobytes())
    x1.free(first, second)


def test_copies_check_both_sides(x1: X1) -> None:
    host = np.zeros(4096, np.uint8)
    device = x1.malloc(1000)
    here = host.ctypes.data
    bad = [
        (device, here, 1001, HOST_TO_DEVICE, "runs past the end"),
        (device + 1000, here, 1, HOST_TO_DEVICE, "runs past the end"),
        (device + 4096 * 64, here, 1, HOST_TO_DEVICE, "is not in a live allocation"),
        (here, here, 1, HOST_TO_DEVICE, "is not device memory"),
        (device, device, 1, HOST_TO_DEVICE, "host memory was expected"),
        (device, device, 1, DEVICE_TO_HOST, "host memory was expected"),
        (device, None, 1, HOST_TO_DEVICE, "is NULL"),
        (None, device, 1, DEVICE_TO_HOST, "is NULL"),
        (device, here, 1, DEVICE_TO_DEVICE, "is not device memory"),
        (device, here, 1, 4, "kind 4"),
    ]
    for dst, src, size, kind, text in bad:
        assert x1.x1_memcpy(dst, src, size, kind) == helpers.INVALID_VALUE
        assert text in x1.error
    for kind in (HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE):
        x1.ok(x1.x1_memcpy(None, None, 0, kind))
    x1.free(device)


def test_memory_belongs_to_the_device_it_was_allocated_on(x1: X1) -> None:
    host = np.zeros(16, np.uint8)
    x1.ok(x1.x1_set_device(1))
    pointer = x1.malloc(16)
    x1.ok(x1.x1_memcpy(pointer, host.ctypes.data, 16, HOST_TO_DEVICE))
    x1.ok(x1.x1_set_device(0))
    assert x1.x1_memcpy(pointer, host.ctypes.data, 16, HOST_TO_DEVICE) == helpers.INVALID_VALUE
    assert "another device" in x1.error
    assert x1.x1_relu(pointer, pointer, 4, 0) == helpers.INVALID_VALUE
    x1.free(pointer)


def test_free_takes_live_allocations_only(x1: X1) -> None:
    pointer = x1.malloc(5000)
    assert x1.x1_free(pointer + 4096) == helpers.INVALID_VALUE
    x1.ok(x1.x1_free(None))
    x1.free(pointer)
    assert x1.x1_free(pointer) == helpers.INVALID_VALUE
    assert x1.x1_malloc(ctypes.byref(ctypes.c_void_p()), 0) == helpers.INVALID_VALUE


def test_accounting_is_exact_and_memory_runs_out() -> None:
    done = child(
        """
free, total = ctypes.c_size_t(), ctypes.c_size_t()
def left():
    assert lib.x1_mem_get_info(ctypes.byref(free), ctypes.byref(total)) == 0
    return free.value
M = 1 << 20
assert lib.x1_init() == 0 and left() == total.value == 4 * M
held = []
for _ in range(4):
    assert malloc(M) == 0
    held.append(p.value)
assert left() == 0 and malloc(1) == 3 and p.value is None
assert b"1 bytes on device 0, where 0 are free" in lib.x1_get_last_error()
assert lib.x1_set_device(1) == 0 and left() == 4 * M and malloc(5 * M) == 3 and lib.x1_set_device(0) == 0
for i in (1, 3, 0, 2):
    assert lib.x1_free(ctypes.c_void_p(held[i])) == 0
assert left() == 4 * M and malloc(4 * M) == 0
print("ok")
""",
        X1_SIM_MEMORY="4M",
    )
    assert done.stdout == "ok\n", done.stderr


def test_allocator_survives_random_use(x1: X1) -> None:
    """Live allocations never share a byte, keep their contents, and everything comes back at the end."""
    rng = np.random.default_rng(1)
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    x1.ok(x1.x1_mem_get_info(ctypes.byref(free), ctypes.byref(total)))
    before = free.value
    live: list[tuple[int, np.ndarray]] = []
    for _ in range(600):
        if live and rng.random() < 0.45:
            pointer, data = live.pop(int(rng.integers(len(live))))
            assert (x1.download(pointer, data.size, "uint8") == data).all()
            x1.free(pointer)
        else:
            data = rng.integers(0, 256, int(rng.integers(1, 40_000)), np.uint8)
            live.append((x1.upload(data), data))
    spans = sorted((pointer, pointer + data.size) for pointer, data in live)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
    for pointer, data in live:
        assert (x1.download(pointer, data.size, "uint8") == data).all()
        x1.free(pointer)
    x1.ok(x1.x1_mem_get_info(ctypes.byref(free), ctypes.byref(total)))
    assert free.value == before


def test_mapped_host_memory_is_shared_without_a_copy(x1: X1) -> None:
    area = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    host = np.frombuffer(area, np.float32)
    host[:] = np.arange(host.size) - 5
    pointer = ctypes.c_void_p()
    x1.ok(x1.x1_mem_map(host.ctypes.data, host.nbytes, ctypes.byref(pointer)))
    assert pointer.value not in (None, host.ctypes.data)
    x1.ok(x1.x1_set_device(1))  # every core reaches it
    x1.ok(x1.x1_relu(pointer.value, pointer.value, host.size, 0))
    assert (host == np.maximum(np.arange(host.size) - 5, 0)).all()
    assert x1.x1_relu(host.ctypes.data, host.ctypes.data, 4, 0) == helpers.INVALID_VALUE
    assert x1.x1_relu(pointer.value, pointer.value, host.size + 1, 0) == helpers.INVALID_VALUE
    assert x1.x1_mem_map(host.ctypes.data, 1, ctypes.byref(ctypes.c_void_p())) == helpers.INVALID_VALUE
    assert "mapped already" in x1.error
    x1.ok(x1.x1_mem_unmap(host.ctypes.data))
    assert x1.x1_relu(pointer.value, pointer.value, 4, 0) == helpers.INVALID_VALUE
    assert x1.x1_mem_unmap(host.ctypes.data) == helpers.INVALID_VALUE


def test_mapping_wants_page_aligned_memory_that_exists(x1: X1) -> None:
    area = mmap.mmap(-1, mmap.PAGESIZE)
    here, pointer = np.frombuffer(area, np.uint8).ctypes.data, ctypes.c_void_p()
    device = x1.malloc(4096)
    for host, size in ((here + 16, 16), (here, 0), (None, 16), (4096, 16), (device, 16)):
        assert x1.x1_mem_map(host, size, ctypes.byref(pointer)) == helpers.INVALID_VALUE
    x1.free(device)


def test_dma_benchmark_returns_a_figure_and_its_memory(x1: X1) -> None:
    rate = ctypes.c_double()
    x1.ok(x1.x1_dma_benchmark(1 << 20, ctypes.byref(rate)))
    assert rate.value > 0


# ---- simulation controls ----------------------------------------------------


def test_faults_strike_the_call_they_name(x1: X1) -> None:
    pointer = x1.malloc(64)
    x1.ok(x1.x1_sim_set_faults(b"oom@x1_malloc:2,device@kernel:3,unsupported@x1_exp:1+"))
    spare = ctypes.c_void_p()
    assert [x1.x1_malloc(ctypes.byref(spare), 8) for _ in range(3)] == [0, helpers.OUT_OF_MEMORY, 0]
    assert [x1.x1_neg(pointer, pointer, 16, 0) for _ in range(4)] == [0, 0, helpers.DEVICE_ERROR, 0]
    assert x1.error == "x1_neg: injected fault"
    assert [x1.x1_exp(pointer, pointer, 16, 0) for _ in range(2)] == [helpers.UNSUPPORTED] * 2
    x1.ok(x1.x1_sim_set_faults(b""))
    x1.ok(x1.x1_exp(pointer, pointer, 16, 0))


@pytest.mark.parametrize(
    "text", [b"oom", b"oom@x1_malloc", b"oom@nothing:1", b"odd@x1_add:1", b"oom@x1_add:0", b"oom@x1_add:1,"]
)
def test_a_misspelt_fault_is_refused(x1: X1, text: bytes) -> None:
    assert x1.x1_sim_set_faults(text) == helpers.INVALID_VALUE


def test_faults_from_the_environment() -> None:
    script = "print(lib.x1_init(), flush=True)\nlib.x1_relu(None, None, ctypes.c_size_t(0), 0)\nprint('survived')"
    assert child(script, X1_SIM_FAULTS="device@x1_init:1").stdout.startswith("5\n")
    assert child(script, X1_SIM_FAULTS="nonsense").stdout.startswith("2\n")
    assert child(script, X1_SIM_MEMORY="much").stdout.startswith("2\n")
    assert child(script, X1_SIM_DEVICES="9").stdout.startswith("2\n")
    assert child(script, X1_SIM_FAULTS="segv@x1_relu:1").returncode == -signal.SIGSEGV
    assert child(script, X1_SIM_FAULTS="abort@kernel:1").returncode == -signal.SIGABRT


def test_a_hang_hangs() -> None:
    script = f"""
import ctypes
lib = ctypes.CDLL({str(helpers.sdk_dir() / "lib" / "libx1.so")!r})
lib.x1_init()
print("up", flush=True)
lib.x1_relu(None, None, ctypes.c_size_t(0), 0)
print("back", flush=True)
"""
    environment = {"X1_SIM_FAULTS": "hang@x1_relu:1"}
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.kill()
        assert process.stdout.read() == b""


def test_a_board_without_cores() -> None:
    script = "n = ctypes.c_int(7)\nprint(lib.x1_init(), lib.x1_get_device_count(ctypes.byref(n)), n.value, malloc(8))"
    assert child(script, X1_SIM_DEVICES="0").stdout == "0 0 0 2\n"


def test_calls_are_counted(x1: X1) -> None:
    x1.x1_sim_reset_calls()
    pointer = x1.malloc(64)
    for _ in range(3):
        x1.ok(x1.x1_abs(pointer, pointer, 16, 0))
    assert (x1.x1_sim_calls(b"x1_abs"), x1.x1_sim_calls(b"x1_malloc"), x1.x1_sim_calls(b"x1_add")) == (3, 1, 0)
    assert x1.x1_sim_calls(b"no_such") == 2**64 - 1
    x1.free(pointer)
