"""The vector fields, each in two variants.

For states Z [n, d] a layer is H + M H with H = RMSNorm(Z) W' + b; layers differ in the message matrix M, made of the
control matrix A and its derivative D = dA/dt. The variant "dense" forms M in each layer, as the published code does;
"implicit" applies it to H without forming it.
"""

from collections.abc import Callable
from typing import NamedTuple

import diffrax
import jax
import jax.numpy as jnp

from case import Batch, Parameters, Setting

RMS_EPSILON = 1e-5

Message = Callable[[jax.Array], jax.Array]
"""H [n, d] -> M H [n, d]."""


class Sums(NamedTuple):
    """What the fused maps need of a matrix beside its entries."""

    rows: jax.Array
    """[n]."""
    diagonal: jax.Array
    """[n]."""
    total: jax.Array


def sums(matrix: jax.Array) -> Sums:
    rows = matrix.sum(axis=1)
    return Sums(rows, jnp.diagonal(matrix), rows.sum())


def linear(p: Parameters, name: str, x: jax.Array) -> jax.Array:
    return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]


def rms_norm(p: Parameters, name: str, z: jax.Array) -> jax.Array:
    """Divides rows by their root mean square; the mean stays."""
    scale = jnp.sqrt(jnp.mean(z * z, axis=-1, keepdims=True) + RMS_EPSILON)
    return z / scale * p[f"{name}.weight"] + p[f"{name}.bias"]


Latest = tuple[jax.Array, jax.Array]
"""The times of the observations [T] and the control matrix at each [T, n, n]."""

Control = diffrax.CubicInterpolation | Latest | None
"""The path of the control matrix; for "gn-ode" its values, for "constant" nothing."""


def control_of(setting: Setting, sample: Batch) -> Control:
    match setting.field:
        case "constant":
            return None
        case "gn-ode":
            return sample.times, sample.control[0]
    return diffrax.CubicInterpolation(sample.times, sample.control)


def derivative(setting: Setting, variant: str, p: Parameters, t: jax.Array, z: jax.Array, control: Control) -> jax.Array:
    """dZ/dt [n, hidden] of Z [n, hidden]."""
    if isinstance(control, diffrax.CubicInterpolation):
        return field(setting, variant, p, control.evaluate(t), control.derivative(t), z)
    if control is None:
        return jnp.broadcast_to(p["field.bias"], z.shape)
    times, matrices = control
    last = matrices[jnp.searchsorted(times, t, side="right") - 1]
    return field(setting, variant, p, last, last, z)


def field(setting: Setting, variant: str, p: Parameters, a: jax.Array, d: jax.Array, z: jax.Array) -> jax.Array:
    """What the layers make of Z [n, hidden] for A and dA/dt [n, n]."""
    dense = variant == "dense"
    message: Callable[[str], Message]
    if setting.field == "peng":
        known = sums(a), sums(d)
        fused = peng_dense if dense else peng_implicit

        def message(layer: str) -> Message:
            return fused(p[f"{layer}.maps"], a, d, *known, setting.parity)

    elif setting.field == "pre-mult":
        mixed = pre_mult_dense if dense else pre_mult_implicit

        def message(layer: str) -> Message:
            return mixed(p[f"{layer}.fusion_1"], p[f"{layer}.fusion_2"], a, d)

    elif setting.field == "original":
        m = a + d  # n² additions, against n² d for a product of their own: formed in both variants

        def message(layer: str) -> Message:
            return lambda h: m @ h

    elif setting.field in ("adjacency", "gn-ode"):

        def message(layer: str) -> Message:
            return lambda h: a @ h

    else:
        raise ValueError(f'field "{setting.field}", want "peng", "original", "pre-mult", "adjacency", "gn-ode" or "constant"')

    for k in range(setting.layers):
        layer = f"field.layers.{k}"
        if k > 0:
            z = jax.nn.relu(z)
        h = linear(p, f"{layer}.linear", rms_norm(p, f"{layer}.norm", z))
        z = h + message(layer)(h)
    return z


def peng_dense(w: jax.Array, a: jax.Array, d: jax.Array, of_a: Sums, of_d: Sums, parity: bool) -> Message:
    """The eight maps of A and D, weighted by w [8, 2] and summed to one matrix."""
    n = len(a)
    ones, eye = jnp.ones((n, n), a.dtype), jnp.eye(n, dtype=a.dtype)

    def pair(k: int, left: jax.Array, right: jax.Array) -> jax.Array:
        return w[k, 0] * left + w[k, 1] * right

    total_of_d = of_a.total if parity else of_d.total
    m = (
        a
        + d
        + pair(0, a, d)
        + pair(1, a.T, d.T)
        + pair(2, jnp.diag(of_a.diagonal), jnp.diag(of_d.diagonal))
        + pair(3, of_a.rows, of_d.rows)[:, None] * ones / n
        + pair(4, of_a.rows, of_d.rows)[None, :] * ones / n
        + jnp.diag(pair(5, of_a.rows, of_d.rows)) / n
        + pair(6, of_a.total, total_of_d) * ones / n**2
        + pair(7, of_a.total, of_d.total) * eye / n**2
    )
    return lambda h: m @ h


def peng_implicit(w: jax.Array, a: jax.Array, d: jax.Array, of_a: Sums, of_d: Sums, parity: bool) -> Message:
    """The same on H: products with A and D and their transposes, scaled rows, and outer products of rank one."""
    n = len(a)

    def pair(k: int, left: jax.Array, right: jax.Array) -> jax.Array:
        return w[k, 0] * left + w[k, 1] * right

    total_of_d = of_a.total if parity else of_d.total
    scale = (
        pair(2, of_a.diagonal, of_d.diagonal)
        + pair(5, of_a.rows, of_d.rows) / n
        + pair(7, of_a.total, of_d.total) / n**2
    )
    onto_rows = pair(3, of_a.rows, of_d.rows) / n + pair(6, of_a.total, total_of_d) / n**2
    onto_columns = pair(4, of_a.rows, of_d.rows) / n

    def apply(h: jax.Array) -> jax.Array:
        products = (1 + w[0, 0]) * (a @ h) + (1 + w[0, 1]) * (d @ h) + w[1, 0] * (a.T @ h) + w[1, 1] * (d.T @ h)
        return products + scale[:, None] * h + onto_rows[:, None] * h.sum(axis=0) + onto_columns @ h

    return apply


def pre_mult_dense(w_a: jax.Array, w_d: jax.Array, a: jax.Array, d: jax.Array) -> Message:
    m = w_a @ a + w_d @ d
    return lambda h: m @ h


def pre_mult_implicit(w_a: jax.Array, w_d: jax.Array, a: jax.Array, d: jax.Array) -> Message:
    return lambda h: w_a @ (a @ h) + w_d @ (d @ h)
