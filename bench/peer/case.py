"""Read a case that the Go side wrote: graphs, observations, parameters and step ends.

A case is a folder with these files:

    case.json                the model, and the settings of its solver and training
    data.safetensors         for each sample b: b.times [T], b.from and b.to [E], b.snapshots [J, E],
                             b.index [T], b.start [n], b.targets [T, n]
    parameters.safetensors   with the names of the Go library
"""

import json
from dataclasses import dataclass
from pathlib import Path

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import load_file

Parameters = dict[str, jax.Array]
"""Arrays by name, such as field.layers.0.linear.weight."""


@dataclass(frozen=True)
class Setting:
    """The settings that a program is compiled for: the content of case.json without the times."""

    field: str
    """ "peng", "original", "pre-mult", "adjacency", "gn-ode" or "constant"."""
    layers: int
    parity: bool
    """Whether to repeat the defect of the published fusion, which uses total(A) instead of total(A')."""
    dtype: str
    rtol: float
    atol: float
    first_step: float
    learning_rate: float
    weight_decay: float
    clip: float


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Batch:
    """The samples, stacked along the first axis."""

    times: jax.Array
    """[B, T], the times of the observations, from 0."""
    control: tuple[jax.Array, ...]
    """Four of [B, T-1, n, n]: the cubic Hermite path of the control matrix. For "gn-ode" only its values, [B, T, n, n];
    empty for "constant"."""
    start: jax.Array
    """[B, n]."""
    targets: jax.Array
    """[B, T, n]."""
    ends: jax.Array
    """[B, K]: ends of the steps that the Go library accepted; short rows repeat their last entry."""
    stops: jax.Array | None
    """[B, S]: times on which adaptive steps may have to end; short rows repeat their last entry. None if empty."""


def read(folder: Path) -> tuple[Setting, Batch, Parameters]:
    """Read a case and store its control densely, as a user of diffrax would.

    The published code has a constant time channel next to every entry of the matrix. It is left out, which halves the
    memory of the coefficients.
    """
    document = json.loads((folder / "case.json").read_text())
    setting = Setting(**{name: document[name] for name in Setting.__dataclass_fields__})
    if setting.dtype == "float64":
        jax.config.update("jax_enable_x64", True)
    arrays = load_file(folder / "data.safetensors")
    samples = range(len(document["ends"]))

    def stacked(name: str) -> jax.Array:
        return jnp.asarray(np.stack([arrays[f"{b}.{name}"] for b in samples]).astype(setting.dtype))

    start, times = stacked("start"), stacked("times")
    control: tuple[jax.Array, ...] = ()
    if setting.field != "constant":
        lag = setting.field == "gn-ode" and setting.parity
        control = (jnp.asarray(np.stack([_dense(arrays, b, start.shape[1], setting.dtype, lag) for b in samples])),)
        if setting.field != "gn-ode":
            control = jax.vmap(diffrax.backward_hermite_coefficients)(times, control[0])
    batch = Batch(
        times=times,
        control=control,
        start=start,
        targets=stacked("targets"),
        ends=_padded(document["ends"], setting.dtype),
        stops=_padded(document["stops"], setting.dtype) if any(document["stops"]) else None,
    )
    jax.block_until_ready(batch)
    parameters = load_file(folder / "parameters.safetensors")
    return setting, batch, {name: jnp.asarray(value) for name, value in parameters.items()}


def _dense(arrays: dict[str, np.ndarray], b: int, nodes: int, dtype: str, lag: bool) -> np.ndarray:
    """The control matrix of sample b at each observation: [T, n, n]; with lag, the previous matrix."""
    snapshots = arrays[f"{b}.snapshots"]
    matrices = np.zeros((len(snapshots), nodes, nodes), dtype)
    matrices[:, arrays[f"{b}.from"], arrays[f"{b}.to"]] = snapshots
    return matrices[np.maximum(arrays[f"{b}.index"] - lag, 0)]


def _padded(rows: list[list[float]], dtype: str) -> jax.Array:
    longest = max(len(row) for row in rows)
    return jnp.asarray([row + row[-1:] * (longest - len(row)) for row in rows], dtype)
