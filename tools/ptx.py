"""Compiles the kernels for GPUs to PTX, "make ptx": xla/kernels/cuda_*.h to a file for each kernel, by NVIDIA's NVRTC
from .venv/cuda ("make cuda"), and lets ptxas say what they need."""

import ctypes
import hashlib
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ROOT / "xla" / "kernels"
CUDA = ROOT / ".venv" / "cuda" / "nvidia" / "cu13"
OPTIONS = ["--gpu-architecture=compute_80", "--std=c++17", f"-I{KERNELS}"]
# What the kernels use is in PTX 8.0, which all drivers of CUDA 12 and later read; NVRTC writes its own, newer version.
VERSION = "8.0"


def library(name):
    found = sorted((CUDA / "lib").glob(name))
    if not found:
        raise SystemExit(f"ptx: no {name} in {CUDA / 'lib'}: run make cuda")
    return ctypes.CDLL(str(found[-1]), mode=ctypes.RTLD_GLOBAL)


def compiled(source):
    """The PTX of a file."""
    library("libnvrtc-builtins.so.*")
    nvrtc = library("libnvrtc.so.*")
    program = ctypes.c_void_p()
    text = source.read_bytes()

    def answer(what):
        size = ctypes.c_size_t()
        getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        room = ctypes.create_string_buffer(size.value)
        getattr(nvrtc, f"nvrtcGet{what}")(program, room)
        return room.value.decode()

    if nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, source.name.encode(), 0, None, None) != 0:
        raise SystemExit("ptx: NVRTC makes no program")
    options = (ctypes.c_char_p * len(OPTIONS))(*[option.encode() for option in OPTIONS])
    if nvrtc.nvrtcCompileProgram(program, len(OPTIONS), options) != 0:
        raise SystemExit(f"ptx: {source.name}:\n{answer('ProgramLog')}")
    return answer("PTX")


def kernels(text, made_of):
    """The name and the text of each kernel, with the head of the file and a line that says what it was made of."""
    text = re.sub(r"//.*\n", "\n", text)
    text = re.sub(r"\n[ \t\n]*\n", "\n", text)
    text = re.sub(r"\.version .*", f".version {VERSION}", text)
    head, *bodies = text.split(".visible .entry ")
    head = f"// {made_of}\n{head.strip()}\n.visible .entry "
    return [(body[: body.index("(")], f"{head}{body.strip()}\n") for body in bodies]


def main():
    for source in sorted(KERNELS.glob("cuda_[lm]*.h")):
        digest = hashlib.sha256((KERNELS / "cuda_block.h").read_bytes() + source.read_bytes()).hexdigest()
        for name, text in kernels(compiled(source), f"{source.name} {digest}"):
            file = KERNELS / f"{name}.ptx"
            file.write_text(text)
            for card in ("sm_80", "sm_89", "sm_90"):
                command = [CUDA / "bin" / "ptxas", f"-arch={card}", "-v", file, "-o", "/dev/null"]
                said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
                stack = re.search(r"\d+ bytes stack frame, \d+ bytes spill stores", said).group()
                print(f"{name}, {card}: {re.search(r'Used .*', said).group()}, {stack}")


if __name__ == "__main__":
    main()
