"""Runtimes of styles that real headers had and no rule knew at first: which function has which role."""

from __future__ import annotations

from pathlib import Path

from header_helpers import matched
from torchfl_sdk.match import MatchResult


def first_of_each_role(result: MatchResult) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in result.roles:
        found.setdefault(entry.role, entry.function)
    return found


def test_runtime_of_agents_signals_and_queues(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        #include <stdint.h>
        typedef struct { uint64_t handle; } acme_signal_t;
        typedef struct acme_queue acme_queue_t;
        int acme_init(void);
        int acme_shut_down(void);
        int acme_signal_create(int64_t initial, uint32_t consumers, acme_signal_t *signal);
        int acme_signal_destroy(acme_signal_t signal);
        int acme_memory_register(void *ptr, size_t size);
        int acme_memory_allocate(size_t size, void **ptr);
        int acme_memory_free(void *ptr);
        """,
    )
    found = first_of_each_role(result)
    assert found["init"] == "acme_init"
    assert found["finalize"] == "acme_shut_down"
    assert found["event_create"] == "acme_signal_create"
    assert found["event_destroy"] == "acme_signal_destroy"
    assert found["host_register"] == "acme_memory_register"
    assert found["malloc"] == "acme_memory_allocate"


def test_runtime_of_device_and_buffer_handles(tmp_path: Path) -> None:
    """Freed and mapped is what a handle stands for; what opens a run is no handle of the library."""
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        typedef void *acmeDeviceHandle;
        typedef void *acmeBufferHandle;
        typedef void *acmeRunHandle;
        acmeDeviceHandle acmeDeviceOpen(unsigned int index);
        acmeRunHandle acmeRunOpen(void *kernel);
        acmeBufferHandle acmeBOAlloc(acmeDeviceHandle dhdl, size_t size, int flags);
        int acmeBOFree(acmeBufferHandle bhdl);
        void *acmeBOMap(acmeBufferHandle bhdl);
        """,
    )
    found = first_of_each_role(result)
    assert found["handle_create"] == "acmeDeviceOpen"
    assert found["free"] == "acmeBOFree"
    assert found["host_map"] == "acmeBOMap"


def test_runtime_that_is_an_object(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        #include <stdint.h>
        typedef struct am_rt_t *am_runtime;
        typedef struct am_mem_t *am_memory;
        typedef struct { am_memory memory; uint64_t offset; uint64_t size; } am_memory_slice;
        am_runtime am_create_runtime(int arch, uint32_t device_index);
        void am_destroy_runtime(am_runtime runtime);
        void am_copy_memory_device_to_device(am_runtime rt, const am_memory_slice *dst, const am_memory_slice *src);
        """,
    )
    found = first_of_each_role(result)
    assert found["context_create"] == "am_create_runtime"
    assert found["context_destroy"] == "am_destroy_runtime"
    assert found["memcpy_d2d"] == "am_copy_memory_device_to_device"


def test_runtime_of_objects_made_from_descriptions(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        #include <stdint.h>
        typedef struct acInstanceImpl *acInstance;
        typedef struct acDeviceImpl *acDevice;
        typedef struct acBufferImpl *acBuffer;
        typedef struct acQueueImpl *acQueue;
        typedef struct { uint64_t size; uint32_t usage; } acBufferDescriptor;
        acInstance acCreateInstance(const char *descriptor);
        void acInstanceRelease(acInstance instance);
        acBuffer acDeviceCreateBuffer(acDevice device, acBufferDescriptor const *descriptor);
        void acBufferRelease(acBuffer buffer);
        void acQueueWriteBuffer(acQueue queue, acBuffer buffer, uint64_t offset, void const *data, size_t size);
        void *acBufferGetMappedRange(acBuffer buffer, size_t offset, size_t size);
        """,
    )
    found = first_of_each_role(result)
    assert found["context_create"] == "acCreateInstance"
    assert found["context_destroy"] == "acInstanceRelease"
    assert found["malloc"] == "acDeviceCreateBuffer"
    assert found["free"] == "acBufferRelease"
    assert found["memcpy_h2d"] == "acQueueWriteBuffer"
    assert found["host_map"] == "acBufferGetMappedRange"


def test_runtime_behind_the_name_of_a_part(tmp_path: Path) -> None:
    """A second word that says nothing of a runtime; and capitals that run into a name."""
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        void *ACMEmalloc_device(size_t size, void *queue);
        int acme_zing_stream_synchronize(void *stream);
        void *acme_zing_stream_create(void *context, int priority);
        void acme_zing_stream_destroy(void *context, void *stream);
        void *acme_zing_event_create(void *context, unsigned flags);
        """,
    )
    found = first_of_each_role(result)
    assert found["stream_create"] == "acme_zing_stream_create"
    assert found["stream_sync"] == "acme_zing_stream_synchronize"
    assert found["event_create"] == "acme_zing_event_create"
    assert found["malloc"] == "ACMEmalloc_device"
