"""What cannot work, and what it says: the table behind limits.md, whose rows `tests/device/test_limits.py` tries.

`example` is a Python expression; `says` stands in the text of its error, or is its value where it gives one. It sees
`torch` and `t = torch.ones(2, device="xpu")`. A row without an example is shown by the test that it names.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """One row."""

    what: str
    why: str
    says: str
    example: str = ""
    test: str = ""


LIMITS: tuple[Limit, ...] = (
    Limit(
        "messages from PyTorch's C++ side say `fl:0`",
        "torch reserves the name `xpu` in C++ for Intel's backend; torchfl registers `fl` and makes Python see `xpu`",
        "Expected all tensors to be on the same device, but found at least two devices, fl:0 and cpu!",
        "t + torch.ones(2)",
    ),
    Limit("`t.type()` names `fl`", "it is made in C++", "torch.fl.FloatTensor", "t.type()"),
    Limit(
        "`a.device.type` inside TorchScript is `fl`",
        "TorchScript runs in C++",
        "fl",
        'torch.jit.CompilationUnit("def f(a: Tensor):\\n return a.device.type\\n").f(t)',
    ),
    Limit(
        "`t.numpy()` and `numpy.asarray(t)`",
        "as for every device but the CPU",
        "can't convert fl:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
        "t.numpy()",
    ),
    Limit(
        "DLPack from a chip with memory of its own (one that maps host memory exports it as CPU memory)",
        "its addresses are handles of the driver's",
        "a tensor in the device's own memory has no address that another library can use: export t.cpu()",
        "torch.from_dlpack(t)",
    ),
    Limit(
        "device tensors in a multiprocessing queue",
        "a driver's memory belongs to the process that opened it",
        "a device tensor cannot be sent to another process, because its memory belongs to this one: send t.cpu()",
        'torch.multiprocessing.get_context("spawn").SimpleQueue().put(t)',
    ),
    Limit(
        "device calls after a fork whose parent used the device",
        "no vendor driver survives it; DataLoader workers stay on CPU and work",
        "the device cannot be used in a process forked after its first use",
        test="tests/device/test_life_cycle.py",
    ),
    Limit(
        "compressed sparse tensors (CSR, CSC, BSR, BSC)",
        "sparse COO tensors work, on the CPU; no chip has kernels for either",
        "the device holds no compressed sparse tensors; use the sparse COO layout, or the CPU",
        'torch.eye(2).to_sparse_csr().to("xpu")',
    ),
    Limit(
        "quantized tensors (`torch.quantize_per_tensor`); int8 tensors and fake quantization work",
        "torch keeps their kernels with its own backends",
        "the device holds no quantized tensors; quantize and compute on the CPU",
        'torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8).to("xpu")',
    ),
    Limit(
        "an op whose result is a layout of that kind",
        "the same",
        "gives a tensor that the device cannot hold",
        "torch.quantize_per_tensor(t, 0.1, 0, torch.qint8)",
    ),
    Limit(
        "nested tensors of the strided layout; the jagged layout works",
        "the same",
        "the device holds no strided nested tensors; make it with layout=torch.jagged, or on the CPU",
        'torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], device="xpu") + 1',
    ),
    Limit(
        "pinned device tensors",
        "pinning is for host memory",
        "only CPU tensors can be pinned",
        'torch.zeros(1, device="xpu", pin_memory=True)',
    ),
    Limit(
        "streams run in one order: each is a name for the device's one queue",
        "a stronger order than streams promise, so code with streams is right; it gains no overlap",
        "streams share the device's one queue",
        test="tests/device/test_streams.py",
    ),
    Limit(
        "`Event.record()` waits for the queue, so an event is reached when it is recorded",
        "the same",
        "True",
        "(lambda event: (event.record(), event.query())[1])(torch.xpu.Event())",
    ),
    Limit(
        "device graphs",
        "no queue is recorded",
        "a chip's queue records no graphs: run the ops, or torch.compile the model",
        "torch.xpu.XPUGraph()",
    ),
    Limit(
        "Intel's sensors, memory pools and allocation history in `torch.xpu`",
        "a chip's driver interface has none",
        "torch.xpu.temperature: a chip's driver interface has no sensors: ask the vendor's own tool",
        "torch.xpu.temperature()",
    ),
    Limit(
        "AOTInductor for device graphs; for CPU graphs it works, and device programs by `torch.export`",
        "it generates code, and a chip has kernels",
        "AOTInductor generates no code for a chip: save the program with torch.export.save()",
        test="tests/device/test_compile.py",
    ),
    Limit(
        "classes of tensors by dtype, `torch.xpu.FloatTensor` and `torch.set_default_tensor_type`, deprecated since "
        "PyTorch 2.1; `t.type('torch.xpu.FloatTensor')` and `torch.set_default_device` work",
        "torch makes the classes of its own backends alone",
        "module 'torch.xpu' has no attribute 'FloatTensor'",
        "torch.xpu.FloatTensor(2)",
    ),
    Limit(
        "`torch.Tensor(2, device='xpu')` and `t.cpu().new(2, device='xpu')`",
        "as for every device but the CPU: torch's oldest constructors take no other; `torch.empty` does",
        "legacy constructor expects device type: cpu but device type: xpu was passed",
        "torch.Tensor(2, device='xpu')",
    ),
    Limit(
        "a daemon thread that is inside an op when the interpreter ends may abort the process, as with CPU tensors",
        "torch takes the GIL back in a destructor, and CPython before 3.14 ends the thread there: join it",
        "terminate called without an active exception",
        test="tests/device/test_exit.py",
    ),
    Limit(
        "random numbers differ from the CPU's from the second draw after a seed on; the first equals it",
        "each draw is a position (seed, offset), so that its state is 16 bytes",
        "[True, False]",
        "[torch.equal(torch.rand(4, generator=c), torch.rand(4, device='xpu', generator=d).cpu()) for c, d in "
        "[(torch.Generator().manual_seed(7), torch.Generator('xpu').manual_seed(7))] for _ in range(2)]",
    ),
    Limit(
        "safetensors with a device object; names and indices work",
        "safetensors compares strings",
        "device device(type='xpu', index=0) is invalid",
        "__import__('safetensors.torch').torch.load_file(empty_safetensors, device=torch.device('xpu', 0))",
    ),
    Limit(
        "Lightning's accelerator alone",
        "Lightning picks devices only for accelerators on its list; `torchfl.integrations.lightning` has what it needs",
        "strategy is for cpu, whatever the accelerator is: pass **torchfl.integrations.lightning.trainer_arguments()",
        test="tests/ecosystem/test_trainers.py",
    ),
    Limit(
        "at level `alias`, torch.accelerator takes the device by its own name",
        "it compares with the device that it knows",
        "xpu doesn't match the current accelerator fl.",
        test="tests/device/test_identity_modes.py",
    ),
    Limit(
        "another torch or Python, where a change that makes Python see `xpu` does not take",
        "`init()` checks each change. `TORCHFL_IDENTITY=alias` or `off` chooses a level below by hand",
        "tensors say `fl` instead of `xpu` in this process",
        test="tests/device/test_identity_modes.py",
    ),
    Limit(
        "an Intel XPU build of torch: only the name `fl` is offered",
        "the name and its kernels are taken",
        "this torch is built for Intel's XPU",
        test="tests/device/test_identity_modes.py",
    ),
)


def table() -> str:
    """The rows as Markdown."""
    rows = []
    for limit in LIMITS:
        said = f"`{limit.says.replace('`', '')}`"
        seen = f"`{limit.example}`: {said}" if limit.example and len(limit.example) < 90 else said
        rows.append(f"| {limit.what} | {limit.why} | {seen} |")
    return "\n".join(["| limit | why | what you see |", "|---|---|---|", *rows])
