"""What getting started costs: the command line, the imports, init, the compile of a chip, and reading a large header.

    python benchmarks/startup.py --project x1 [--rounds 5] [--lines 5000]

help      `torchfl --help`, as a process
import    `import torchfl` and `import torch`, each in a process, less the start of Python; and `import torch` where the
          entry point of an installed torchfl is loaded with it
init      torchfl.init() of a built chip after `import torch`: the first one of a process, and one after shutdown()
compile   `torchfl-build --clean` of the chip library and its module, without a compiler cache, beside the smallest
          extension that includes torch/extension.h and the smallest pybind11 module, each one file, compiled and linked
new-chip  reading a header of so many lines, matching and writing it, with the compile check and without

Everything takes turns, and ratios are of CPU seconds. Writes results/startup.json.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

import big_header
import timing

_INIT = """
import json, sys, time
import torch, torchfl
def cost(chip):
    wall, cpu = time.perf_counter(), time.process_time()
    torchfl.init([chip])
    return [time.perf_counter() - wall, time.process_time() - cpu]
cold = cost(sys.argv[1])
torchfl.shutdown()
warm = cost(sys.argv[1])
print(json.dumps({"cold": cold, "warm": warm}))
"""
_NO_AUTOLOAD = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}

_TORCH = """#include <torch/extension.h>
torch::Tensor twice(const torch::Tensor& x) { return x + x; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("twice", &twice); }
"""
_PYBIND11 = """#include <pybind11/pybind11.h>
PYBIND11_MODULE(smallest, m) { m.def("twice", [](int x) { return x + x; }); }
"""


def seconds(cost: timing.Cost) -> dict[str, float]:
    """As the results file has it."""
    return {"wall": round(cost.wall, 3), "cpu": round(cost.cpu, 3)}


def less(cost: timing.Cost, start: timing.Cost) -> timing.Cost:
    """A cost without that of starting Python."""
    return timing.Cost(max(cost.wall - start.wall, 0.0), max(cost.cpu - start.cpu, 1e-4))


def ratio(cost: timing.Cost, to: timing.Cost) -> float:
    """Of CPU seconds."""
    return round(cost.cpu / to.cpu, 4 if cost.cpu < to.cpu / 10 else 3)


def commands(rounds: int) -> dict[str, Any]:
    """`--help`, and imports."""
    python = [sys.executable, "-c"]
    script = shutil.which("torchfl")
    if script is None:
        raise SystemExit("torchfl is not on PATH: activate the environment that it is installed in")
    plain = timing.processes(
        {"python": [*python, ""], "help": [script, "--help"], "torchfl": [*python, "import torchfl"],
         "torch": [*python, "import torch"]},
        rounds, _NO_AUTOLOAD,
    )  # fmt: skip
    loading = timing.processes({"torch": [*python, "import torch"]}, rounds)["torch"]
    start = plain["python"]
    torch, torchfl = less(plain["torch"], start), less(plain["torchfl"], start)
    return {
        "python": seconds(start),
        "help": seconds(plain["help"]),
        "import": {
            "torch": {**seconds(torch), "ratio": 1.0},
            "torchfl": {**seconds(torchfl), "ratio": ratio(torchfl, torch)},
            "torch_with_entry_point": {
                **seconds(less(loading, start)), "ratio": ratio(less(loading, start), torch)
            },
        },
    }  # fmt: skip


def init(chip: Path, rounds: int, torch: dict[str, float]) -> dict[str, Any]:
    """The first init() of a process and one after shutdown(), beside torch's own import."""
    found: dict[str, list[timing.Cost]] = {"cold": [], "warm": []}
    for _ in range(rounds):
        done = subprocess.run(
            [sys.executable, "-c", _INIT, str(chip)], check=True, capture_output=True, text=True,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        for name, (wall, cpu) in json.loads(done.stdout.splitlines()[-1]).items():
            found[name].append(timing.Cost(wall, cpu))
    costs = {name: timing.median(every) for name, every in found.items()}
    imported = timing.Cost(torch["wall"], torch["cpu"])
    return {name: {**seconds(cost), "ratio": ratio(cost, imported)} for name, cost in costs.items()}


def compile_chip(project: Path, folder: Path, rounds: int) -> dict[str, Any]:
    """A clean compile of a chip, and of the smallest modules, in turns and without ccache."""
    import pybind11
    from torch.utils.cpp_extension import include_paths

    from torchfl_sdk.build.tools import find_compiler

    compiler = find_compiler()
    if compiler is None:
        raise SystemExit("no C++ compiler")
    copy = _copy(project, folder / "chip")
    plain = [
        compiler,
        "-std=c++20",
        "-O2",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-DTORCH_EXTENSION_NAME=smallest",
    ]
    plain += ["-isystem", sysconfig.get_paths()["include"]]
    build = shutil.which("torchfl-build")
    assert build is not None  # beside torchfl
    chosen = {"chip": [build, str(copy), "--clean"]}
    for name, text, paths in (("torch", _TORCH, include_paths()), ("pybind11", _PYBIND11, [pybind11.get_include()])):
        source = folder / f"{name}.cpp"
        source.write_text(text)
        where = [word for path in paths for word in ("-isystem", path)]
        chosen[name] = [*plain, *where, str(source), "-o", str(folder / f"{name}.so")]
    costs = timing.processes(chosen, rounds, {"CCACHE_DISABLE": "1"})
    return {name: {**seconds(cost), "ratio": ratio(cost, costs["torch"])} for name, cost in costs.items()}


def _copy(project: Path, folder: Path) -> Path:
    """A project of its own to build in; its recipe's paths out of the project stay true."""
    shutil.copytree(project, folder, ignore=shutil.ignore_patterns("build", "dist", "*.so"))
    recipe = folder / "CMakeLists.txt"
    recipe.write_text(recipe.read_text().replace("${CMAKE_CURRENT_SOURCE_DIR}/..", str(project.parent)))
    return folder


def new_chip(lines: int, folder: Path, rounds: int) -> dict[str, Any]:
    """`torchfl new-chip` on a large header. Its own compile check is one of the figures."""
    header = folder / "big.h"
    header.write_text(big_header.text(lines))
    command = [sys.executable, "-m", "torchfl_sdk.cli", "new-chip", "big", "--header", str(header)]
    found: dict[str, list[timing.Cost]] = {"checked": [], "plain": []}
    for number in range(rounds):
        for name, costs in found.items():
            out = folder / f"{name}{number}"
            out.mkdir()
            costs.append(timing.process([*command, "--out", str(out), *(["--no-check"] if name == "plain" else [])]))
    return {"lines": lines, **{name: seconds(timing.median(costs)) for name, costs in found.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--project", required=True, type=Path, help="x1 as new-chip wrote it, built")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lines", type=int, default=5000)
    options = parser.parse_args()
    project = options.project.resolve()
    figures = commands(options.rounds)
    figures["init"] = init(project, options.rounds, figures["import"]["torch"])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures["compile"] = compile_chip(project, folder, options.rounds)
        figures["new_chip"] = new_chip(options.lines, folder, options.rounds)
    print(json.dumps(figures, indent=1))
    print(timing.write("startup", {"rounds": options.rounds, **figures}))


if __name__ == "__main__":
    main()
