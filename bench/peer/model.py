"""Encoder, solve, readout and loss of a batch: vmap over samples of a diffrax solve with its default adjoint."""

from typing import Any, NamedTuple

import diffrax
import jax
import jax.numpy as jnp

from case import Batch, Parameters, Setting
from fields import control_of, derivative, linear

MAX_STEPS = 4096
STAGES = 6
"""New evaluations per step of Tsit5, whose first stage is the last stage of the previous step."""


class Work(NamedTuple):
    """Steps and evaluations of the field, each [B]."""

    accepted: jax.Array
    rejected: jax.Array
    evaluations: jax.Array


class GivenSteps(diffrax.AbstractStepSizeController):
    """Steps with given ends, like diffrax.StepTo, for rows that may repeat their last end as padding.

    If the field jumps at an end, a step ends just before it and the next begins just after it.
    """

    ends: jax.Array
    jumps: jax.Array
    """[K], whether the field jumps at each end."""

    def wrap(self, direction: Any) -> "GivenSteps":
        return self

    def _until(self, k: Any) -> jax.Array:
        end = self.ends[jnp.minimum(k, len(self.ends) - 1)]
        return jnp.where(self._jumps(k), jnp.nextafter(end, -jnp.inf), end)

    def _jumps(self, k: Any) -> jax.Array:
        return self.jumps[jnp.minimum(k, len(self.ends) - 1)]

    def init(self, *args: Any) -> tuple[jax.Array, int]:
        return self._until(0), 1

    def adapt_step_size(self, t0: Any, t1: Any, *others: Any) -> Any:
        following = others[-1]  # the number of the next end
        jumped = self._jumps(following - 1)
        begin = jnp.where(jumped, jnp.nextafter(self.ends[jnp.minimum(following, len(self.ends)) - 1], jnp.inf), t1)
        return True, begin, self._until(following), jumped, following + 1, diffrax.RESULTS.successful


def forecast(setting: Setting, variant: str, steps: str, p: Parameters, batch: Batch) -> tuple[jax.Array, Work]:
    """Forecasts [B, T, n] at the times of the observations."""

    def solve(sample: Batch) -> tuple[jax.Array, Work]:
        jumps = setting.field == "gn-ode" and sample.stops is not None
        if steps == "given":
            at_jumps = jnp.isin(sample.ends, sample.stops) if jumps else jnp.zeros(sample.ends.shape, bool)
            first, controller = None, GivenSteps(sample.ends, at_jumps)
        else:
            first, controller = setting.first_step, diffrax.PIDController(rtol=setting.rtol, atol=setting.atol)
            if steps == "stopped" and sample.stops is not None:
                stops = {"jump_ts" if jumps else "step_ts": sample.stops}
                controller = diffrax.ClipStepSizeController(controller, **stops)
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(lambda t, z, control: derivative(setting, variant, p, t, z, control)),
            diffrax.Tsit5(),
            t0=sample.times[0],
            t1=sample.times[-1],
            dt0=first if first is None else jnp.asarray(first, sample.times.dtype),
            y0=linear(p, "encoder", sample.start[:, None]),
            args=control_of(setting, sample),
            saveat=diffrax.SaveAt(ts=sample.times),
            stepsize_controller=controller,
            max_steps=MAX_STEPS,
        )
        stats = solution.stats
        work = Work(stats["num_accepted_steps"], stats["num_rejected_steps"], 1 + STAGES * stats["num_steps"])
        return linear(p, "readout", solution.ys)[..., 0], work

    return jax.vmap(solve)(batch)


def loss(p: Parameters, batch: Batch, setting: Setting, variant: str, steps: str) -> tuple[jax.Array, Work]:
    """The mean square over samples, times and nodes."""
    forecasts, work = forecast(setting, variant, steps, p, batch)
    return jnp.mean((forecasts - batch.targets) ** 2), work
