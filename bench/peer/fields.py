"""The vector fields, each in two variants.

For states Z [n, d] a layer is H + M H with H = RMSNorm(Z) W' + b; layers differ in the message matrix M, which
depends on the control matrix A and its derivative D = dA/dt. "affine" is "peng" with D only in the last layer, a norm
over the graph, SiLU instead of ReLU, and row sums on the diagonal that are not divided by n.
The variant "dense" forms M in each layer, as the published code does; "implicit" applies it to H without forming it.
"""

from collections.abc import Callable
from typing import NamedTuple

import diffrax
import jax
import jax.numpy as jnp

from case import Batch, Parameters, Setting

RMS_EPSILON = 1e-5
GRAPH_EPSILON = 1e-2

Message = Callable[[jax.Array], jax.Array]
"""H [n, d] -> M H [n, d]."""


class Sums(NamedTuple):
    """The sums of a matrix that the fused maps need besides its entries."""

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
    """Divide rows by their root mean square; the mean is not subtracted."""
    scale = jnp.sqrt(jnp.mean(z * z, axis=-1, keepdims=True) + RMS_EPSILON)
    return z / scale * p[f"{name}.weight"] + p[f"{name}.bias"]


def graph_norm(p: Parameters, name: str, z: jax.Array) -> jax.Array:
    """Divide all states of a graph by their root mean square."""
    return z / jnp.sqrt(jnp.mean(z * z) + GRAPH_EPSILON) * p[f"{name}.weight"] + p[f"{name}.bias"]


Latest = tuple[jax.Array, jax.Array]
"""The times of the observations [T] and the control matrix at each [T, n, n]."""

Control = diffrax.CubicInterpolation | Latest | None
"""The path of the control matrix; for "gn-ode" its values, empty for "constant"."""


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
    """The output of the layers for Z [n, hidden], A and dA/dt [n, n]."""
    dense = variant == "dense"
    message: Callable[[str], Message]
    affine = setting.field == "affine"
    if setting.field in ("peng", "affine"):
        sides = (a, sums(a)), (d, sums(d))
        fused = peng_dense if dense else peng_implicit

        def message(layer: str) -> Message:
            w = p[f"{layer}.maps"]  # [8, 2], or [8, 1] in a layer that does not see D
            return fused(w, sides[: w.shape[1]], affine, setting.parity)

    elif setting.field == "pre-mult":
        mixed = pre_mult_dense if dense else pre_mult_implicit

        def message(layer: str) -> Message:
            return mixed(p[f"{layer}.fusion_1"], p[f"{layer}.fusion_2"], a, d)

    elif setting.field == "original":
        m = a + d  # n² additions, compared with n² d for a separate product: formed in both variants

        def message(layer: str) -> Message:
            return lambda h: m @ h

    elif setting.field in ("adjacency", "gn-ode"):

        def message(layer: str) -> Message:
            return lambda h: a @ h

    else:
        known = "peng", "affine", "original", "pre-mult", "adjacency", "gn-ode", "constant"
        raise ValueError(f'field "{setting.field}", want one of {known}')

    for k in range(setting.layers):
        layer = f"field.layers.{k}"
        if k > 0:
            z = jax.nn.silu(z) if affine else jax.nn.relu(z)
        norm = graph_norm if affine else rms_norm
        h = linear(p, f"{layer}.linear", norm(p, f"{layer}.norm", z))
        z = h + message(layer)(h)
    return z


Sides = tuple[tuple[jax.Array, Sums], ...]
"""A, or A and D, each with its sums."""


class Mix:
    """Maps of the sides weighted by w [8, number of sides] and summed."""

    def __init__(self, w: jax.Array, sides: Sides, local: bool, parity: bool):
        self.w, self.sides, self.n = w, sides, len(sides[0][0])
        self.rows_on_diagonal = 1 if local else self.n
        """The divisor of row sums on the diagonal; totals there are divided by n times this."""
        self.parity = parity

    def __call__(self, k: int, of: Callable[[jax.Array, Sums], jax.Array], more: float = 0) -> jax.Array:
        return sum((more + self.w[k, i]) * of(*side) for i, side in enumerate(self.sides))

    def matrix(self) -> jax.Array:
        """A + D and the map of the matrices themselves."""
        return self(0, lambda m, _: m, more=1)

    def scale(self) -> jax.Array:
        """The diagonal, [n]."""
        return (
            self(2, lambda _, s: s.diagonal)
            + self(5, lambda _, s: s.rows) / self.rows_on_diagonal
            + self(7, lambda _, s: s.total) / (self.n * self.rows_on_diagonal)
        )

    def onto_rows(self) -> jax.Array:
        of_all = self(6, lambda _, s: self.sides[0][1].total if self.parity else s.total)
        return self(3, lambda _, s: s.rows) / self.n + of_all / self.n**2

    def onto_columns(self) -> jax.Array:
        return self(4, lambda _, s: s.rows) / self.n


def peng_dense(w: jax.Array, sides: Sides, local: bool, parity: bool) -> Message:
    """The eight maps of A, or of A and D, weighted by w [8, sides] and summed to one matrix."""
    mix = Mix(w, sides, local, parity)
    m = mix.matrix() + mix(1, lambda m, _: m.T) + jnp.diag(mix.scale())
    m = m + mix.onto_rows()[:, None] + mix.onto_columns()[None, :]
    return lambda h: m @ h


def peng_implicit(w: jax.Array, sides: Sides, local: bool, parity: bool) -> Message:
    """The same matrix applied to H: products with A, D and their transposes, scaled rows, and rank-one products."""
    mix = Mix(w, sides, local, parity)
    scale, onto_rows, onto_columns = mix.scale(), mix.onto_rows(), mix.onto_columns()

    def apply(h: jax.Array) -> jax.Array:
        products = mix(0, lambda m, _: m @ h, more=1) + mix(1, lambda m, _: m.T @ h)
        return products + scale[:, None] * h + onto_rows[:, None] * h.sum(axis=0) + onto_columns @ h

    return apply


def pre_mult_dense(w_a: jax.Array, w_d: jax.Array, a: jax.Array, d: jax.Array) -> Message:
    m = w_a @ a + w_d @ d
    return lambda h: m @ h


def pre_mult_implicit(w_a: jax.Array, w_d: jax.Array, a: jax.Array, d: jax.Array) -> Message:
    return lambda h: w_a @ (a @ h) + w_d @ (d @ h)
