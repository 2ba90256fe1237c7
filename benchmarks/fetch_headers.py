"""Fetches the public SDK headers that benchmarks/headers.py reads: by package name, through apt-get and pip.

    python benchmarks/fetch_headers.py [--to /tmp/headers] [NAME ...]

Only the headers are kept; packages are unpacked, never installed, so no root is needed beyond ``apt-get update``.
The headers stay under their vendors' licences and are no part of this project.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

#: folder -> (Debian packages, PyPI packages)
SOURCES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "cblas": (("libopenblas-pthread-dev",), ()),
    "npp": ((), ("nvidia-npp-cu12",)),
    "ipp": ((), ("ipp-include",)),
    "mkl": ((), ("mkl-include",)),
    "onednn": (("libdnnl-dev",), ()),
    "xnnpack": (("libxnnpack-dev", "libpthreadpool-dev"), ()),
    "clblast": (("libclblast-dev",), ()),
    "opencl": (("opencl-c-headers",), ()),
    "level_zero": (("libze-dev",), ()),
    "cuda_runtime": ((), ("nvidia-cuda-runtime-cu12", "nvidia-cuda-nvcc-cu12")),
    "cublas": ((), ("nvidia-cublas-cu12",)),
    "cudnn": ((), ("nvidia-cudnn-cu12",)),
    "cutensor": ((), ("cutensor-cu12",)),
    "armnn": (("libarmnn-dev",), ()),
    "nnpack": ((), ()),  # the torch wheel has it, see TORCH
    # headers that no rule was written on, see benchmarks/unseen
    "volk": (("libvolk2-dev",), ()),
    "gsl": (("libgsl-dev",), ()),
    "hip": (("libamdhip64-dev",), ()),
    "dlib": (("libdlib-dev",), ()),
    "blis": (("libblis-serial-dev",), ()),
    "acl": ((), ("torch-npu",)),
    "curand": ((), ("nvidia-curand-cu12",)),
    "dnnl3": ((), ()),
    "gpuarray": (("libgpuarray-dev",), ()),
    "spandsp": (("libspandsp-dev",), ()),
    "xrt": (("libxrt-dev",), ()),
    "mlx": ((), ("mlx-cpu",)),
    "intel_npu": ((), ("intel-npu-acceleration-library",)),
    "cub": ((), ("nvidia-cuda-cccl-cu12",)),
    "onemkl": ((), ("onemkl-sycl-include", "intel-sycl-rt")),  # on top of "mkl"
    "simsimd": ((), ("simsimd",)),
    "taichi": ((), ("taichi",)),
    "rocrand": (("librocrand-dev",), ()),
    "cudnn_frontend": ((), ("nvidia-cudnn-frontend",)),
    "hsa": (("libhsa-runtime-dev",), ()),
    "aoti_cuda": ((), ()),
    "opencv": (("libopencv-core-dev",), ()),
    "arrow": ((), ("pyarrow",)),
    "aubio": (("libaubio-dev",), ()),
    "dpctl": ((), ("dpctl",)),
    "faiss": (("libfaiss-dev",), ()),
    "flashinfer": ((), ("flashinfer-python",)),
    "meschach": (("libmeschach-dev",), ()),
    "rmm": ((), ("librmm-cu12", "rapids-logger")),
    "raft": ((), ("libraft-cu12",)),  # beside "rmm" and "cuda_runtime"
    "sundials": (("libsundials-dev",), ()),
    "warp": ((), ("warp-lang",)),
    "wgpu": ((), ("wgpu",)),
    "xla_ffi": ((), ("jaxlib",)),
    "cusolver": ((), ("nvidia-cusolver-cu12", "nvidia-cublas-cu12")),
    "flame": (("libflame-dev",), ()),
    "hwy": (("libhwy-dev",), ()),
    "ideep": (("libideep-dev", "libdnnl-dev"), ()),
    "oneccl": ((), ("oneccl-devel",)),
    "petsc": (("libpetsc-real3.18-dev", "libopenmpi-dev"), ()),
    "qmdsp": (("libqm-dsp-dev",), ()),
    "rocprim": (("librocprim-dev",), ()),
    "starpu": (("libstarpu-dev", "libhwloc-dev"), ()),
    "tilelang": ((), ("tilelang",)),
    "viennacl": (("libviennacl-dev",), ()),
    "vips": (("libvips-dev", "libglib2.0-dev"), ()),
    "graphblas": (("libgraphblas-dev",), ()),
    "hipsparse": (("libhipsparse-dev",), ()),  # beside "hip"
    "itpp": (("libitpp-dev",), ()),
    "lapacke": (("liblapacke-dev",), ()),
    "leptonica": (("libleptonica-dev",), ()),
    "libxsmm": (("libxsmm-dev",), ()),
    "liquid": (("libliquid-dev",), ()),
    "nccl": ((), ("nvidia-nccl-cu12",)),  # beside "cuda_runtime" and "cub"
    "paddle": ((), ("paddlepaddle",)),
    "tf": ((), ("tensorflow-cpu",)),
    "akida": ((), ("akida",)),
    "clfft": (("libclfft-dev", "opencl-c-headers"), ()),
    "cufft": ((), ("nvidia-cufft-cu12",)),  # beside "cuda_runtime"
    "gemmlowp": (("libgemmlowp-dev",), ()),
    "kokkos_blas": (("libtrilinos-kokkos-kernels-dev", "libtrilinos-kokkos-dev"), ()),
    "mkl_dnn": ((), ("mkl-include==2019.0",)),  # later ones lack mkl_dnn.h
    "blasfeo": ((), ("casadi",)),
    "boost_compute": (("libboost1.74-dev", "opencl-c-headers"), ()),
    "cute_device": ((), ("nvidia-mathdx",)),  # beside "cuda_runtime" and "cub"
    "tflm_reference": (("libgemmlowp-dev",), ("xmos-ai-tools",)),
    "xmos_nn": ((), ("xmos-ai-tools",)),
    "cupynumeric": ((), ("nvidia-cupynumeric-cu12",)),  # 360 MB
    "transformer_engine": ((), ("transformer-engine-cu12", "nvidia-cuda-runtime-cu12", "nvidia-cuda-nvcc-cu12")),
    "vart": (("libvart-dev", "libxir-dev"), ()),
    "xla_builder": ((), ("tensorflow-cpu",)),
}
#: Headers that a torch wheel bundles: found in the torch of this interpreter, else in a downloaded wheel.
TORCH = {
    "nnpack": ("nnpack.h", "pthreadpool.h"),
    "dnnl3": ("dnnl.h", "dnnl_types.h", "dnnl_config.h", "dnnl_version.h", "oneapi/dnnl"),
    "aoti_cuda": ("torch/csrc/inductor/aoti_torch", "torch/csrc/stable", "torch/headeronly"),
}
#: Folders of a compiler that a wheel brings: its headers are no SDK's.
_COMPILERS_OWN = re.compile(r"/(?:lib|opt)/")
#: Wheels that keep their headers in a folder of another name than ``include``.
FOLDERS = {"warp-lang": "native", "wgpu": "resources", "akida": "api"}
#: Folders below the usual one that a library's own headers are included from.
_OWN_FOLDERS = ("openblas", "gemmlowp", "trilinos")
#: Packages whose wheels leave the headers out that their sources have.
SOURCE_ONLY = ("simsimd",)
DEFAULT = Path(os.environ.get("TORCHFL_HEADERS", "/tmp/headers"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SOURCES)}; all without one")
    parser.add_argument("--to", type=Path, default=DEFAULT, help=f"target folder (default {DEFAULT})")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in SOURCES]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known are {', '.join(SOURCES)}")
    failed = []
    for name in given.names or SOURCES:
        try:
            count = fetch(name, given.to / name)
            print(f"{name}: {count} files in {given.to / name}", flush=True)
        except (subprocess.CalledProcessError, OSError) as error:
            failed.append(name)
            print(f"{name}: {error}", file=sys.stderr, flush=True)
    return 1 if failed else 0


def fetch(name: str, target: Path) -> int:
    """Puts one SDK's header files under ``target`` (replacing it) and returns how many there are."""
    debian, pypi = SOURCES[name]
    with tempfile.TemporaryDirectory(prefix="torchfl-fetch-") as folder:
        scratch = Path(folder)
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for package in debian:
            _debian(package, scratch, target)
        for package in pypi:
            _wheel(package, scratch, target)
        if name in TORCH:
            _torch(TORCH[name], scratch, target)
    return sum(path.is_file() for path in target.rglob("*"))


def _debian(package: str, scratch: Path, target: Path) -> None:
    subprocess.run(["apt-get", "download", package], cwd=scratch, check=True, stdout=subprocess.DEVNULL)
    archive = next(path for path in scratch.iterdir() if fnmatch.fnmatch(path.name, f"{package}_*.deb"))
    root = scratch / package
    subprocess.run(["dpkg-deb", "-x", str(archive), str(root)], check=True)
    for include in _include_folders(root):
        for path in sorted(include.rglob("*")):
            if not path.is_file():
                continue
            parts = list(path.relative_to(include).parts)
            while len(parts) > 1 and ("-linux-gnu" in parts[0] or parts[0].startswith(_OWN_FOLDERS)):
                parts.pop(0)  # the architecture's folder, an alternative's, or the one that -I names
            _copy(path, target.joinpath(*parts))


def _include_folders(root: Path) -> list[Path]:
    """The usual folder of headers, and those that a package keeps beside its libraries (glib's configuration, MPI)."""
    usual = root / "usr/include"
    others = [p for p in sorted(root.rglob("include")) if p.is_dir() and usual not in (p, *p.parents)]
    outermost = [p for p in others if not any(o in p.parents for o in others)]
    return [*([usual] if usual.is_dir() else []), *outermost]


def _wheel(package: str, scratch: Path, target: Path) -> None:
    folder = scratch / f"wheel-{package}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), package]
    subprocess.run(command + (["--no-binary", package] if package in SOURCE_ONLY else []), check=True)
    archive = next(path for path in folder.iterdir() if path.suffix in (".whl", ".gz"))
    unpacked = folder / "unpacked"
    shutil.unpack_archive(archive, unpacked, "zip" if archive.suffix == ".whl" else "gztar")
    for path in sorted(unpacked.rglob("*")):
        folder_name = f"/{FOLDERS.get(package, 'include')}/"
        before, found, tail = f"/{path.relative_to(unpacked).as_posix()}".partition(folder_name)
        if found and path.is_file() and not _COMPILERS_OWN.search(before):
            _copy(path, target / tail)
    shutil.rmtree(folder)  # some are hundreds of megabytes


def _torch(files: tuple[str, ...], scratch: Path, target: Path) -> None:
    installed = next((Path(p) / "torch/include" for p in sys.path if (Path(p) / "torch/include").is_dir()), None)
    if installed is None:
        _wheel("torch", scratch, scratch / "torch")
        installed = scratch / "torch"
    for file in files:
        found = [p for p in (installed / file).rglob("*") if p.is_file()] or [installed / file]
        for path in found:
            _copy(path, target / path.relative_to(installed))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


if __name__ == "__main__":
    sys.exit(main())
