"""The peer in a race: reads a case, then answers each line on standard input with a line of JSON.

    gradient FILE   writes the gradient of the loss, by parameter, to a safetensors file
    epoch           forward, gradient and AdamW's update of all samples at once
    inference       forecasts alone

Answers hold the seconds of the work with everything compiled, the seconds that compiling it took (measured on its own,
so that no first call has to be compared with a second), the loss, the steps and evaluations of each sample, and the
largest resident memory so far. With --time N it runs N epochs and N inferences without being asked. When memory ends
the last line is {"oom": true}, and the exit status 3; libraries that do not wait for Python to say so end the process
with a signal, or with the status 127.
"""

import argparse
import json
import platform
import resource
import sys
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

OUT_OF_MEMORY = 3


class Race:
    """A case with its compiled functions."""

    def __init__(self, folder: Path, variant: str, steps: str) -> None:
        # Imported here, so that a memory limit applies before anything is loaded.
        import jax
        import optax
        from safetensors.numpy import save_file

        import model
        from case import read

        self._jax, self._save_file = jax, save_file
        setting, self._batch, self._parameters = read(folder)
        optimiser = optax.chain(
            optax.clip_by_global_norm(setting.clip),
            optax.adamw(setting.learning_rate, weight_decay=setting.weight_decay),
        )
        self._state = optimiser.init(self._parameters)
        value_and_gradient = jax.value_and_grad(model.loss, has_aux=True)

        def gradient(parameters: Any, batch: Any) -> Any:
            return value_and_gradient(parameters, batch, setting, variant, steps)

        def epoch(parameters: Any, state: Any, batch: Any) -> Any:
            value, slope = gradient(parameters, batch)
            updates, state = optimiser.update(slope, state, parameters)
            return value, optax.apply_updates(parameters, updates), state

        def inference(parameters: Any, batch: Any) -> Any:
            return model.forecast(setting, variant, steps, parameters, batch)

        self._functions = {"gradient": gradient, "epoch": epoch, "inference": inference}
        self._compiled: dict[str, tuple[Callable[..., Any], float]] = {}

    def _call(self, name: str, *arguments: Any) -> tuple[Any, dict[str, Any]]:
        """The result of a function, and its times."""
        if name not in self._compiled:
            start = time.perf_counter()
            function = self._jax.jit(self._functions[name]).lower(*arguments).compile()
            self._compiled[name] = function, time.perf_counter() - start
        function, compile_seconds = self._compiled[name]
        start = time.perf_counter()
        result = self._jax.block_until_ready(function(*arguments))
        return result, {"seconds": time.perf_counter() - start, "compile_seconds": compile_seconds}

    def gradient(self, file: str) -> dict[str, Any]:
        ((loss, work), slope), times = self._call("gradient", self._parameters, self._batch)
        self._save_file({name: self._jax.device_get(value) for name, value in slope.items()}, file)
        return times | {"loss": float(loss)} | counted(work)

    def epoch(self) -> dict[str, Any]:
        result, times = self._call("epoch", self._parameters, self._state, self._batch)
        (loss, work), self._parameters, self._state = result
        return times | {"loss": float(loss)} | counted(work)

    def inference(self) -> dict[str, Any]:
        (_, work), times = self._call("inference", self._parameters, self._batch)
        return times | counted(work)


def counted(work: Any) -> dict[str, list[int]]:
    return {name: [int(count) for count in counts] for name, counts in work._asdict().items()}


MEMORY_SIGNS = ("RESOURCE_EXHAUSTED", "Out of memory", "bad_alloc", "allocate memory", "map segment", "start new thread")
"""Texts of XLA, the C++ library, the loader and Python when memory runs out."""


def out_of_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in MEMORY_SIGNS)


def say(answer: dict[str, Any]) -> None:
    kibibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps(answer | {"peak_bytes": 1024 * kibibytes}), flush=True)


def serve(race: Race, lines: Iterable[str]) -> None:
    for line in lines:
        match line.split(maxsplit=1):
            case ["gradient", file]:
                say(race.gradient(file.strip()))
            case ["epoch"]:
                say(race.epoch())
            case ["inference"]:
                say(race.inference())
            case _:
                raise ValueError(f'line "{line.strip()}", want "gradient FILE", "epoch" or "inference"')


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", type=Path, help="folder that the Go side has written")
    variants, steps = ["dense", "implicit"], ["default", "stopped", "given"]
    parser.add_argument("--variant", choices=variants, default="dense", help="form message matrices, or apply them")
    parser.add_argument(
        "--steps", choices=steps, default="default", help="by diffrax's controller, that with stops, or those in the case"
    )
    parser.add_argument("--memory", type=float, metavar="GIB", help="limit on the address space")
    parser.add_argument("--time", type=int, metavar="N", help="run N epochs and N inferences, and end")
    options = parser.parse_args()
    if options.memory:
        limit = int(options.memory * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        start = time.perf_counter()
        race = Race(options.case, options.variant, options.steps)
        packages = {name: version(name) for name in ("jax", "jaxlib", "diffrax", "equinox", "optax", "numpy")}
        say({"versions": {"python": platform.python_version()} | packages, "seconds": time.perf_counter() - start})
        alone = None if options.time is None else ["epoch"] * options.time + ["inference"] * options.time
        serve(race, sys.stdin if alone is None else alone)
    except Exception as error:
        if not out_of_memory(error):
            raise
        say({"oom": True})
        return OUT_OF_MEMORY
    return 0


if __name__ == "__main__":
    sys.exit(main())
