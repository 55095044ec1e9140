"""Encoder, solve, readout and loss of a batch: vmap over samples of a diffrax solve with its default adjoint."""

from typing import Any, NamedTuple

import diffrax
import jax
import jax.numpy as jnp

from case import Batch, Parameters, Setting
from fields import field, linear

MAX_STEPS = 4096
STAGES = 6
"""Fresh evaluations in a step of Tsit5, whose first stage is the last of the step before."""


class Work(NamedTuple):
    """Steps and evaluations of the field, each [B]."""

    accepted: jax.Array
    rejected: jax.Array
    evaluations: jax.Array


class GivenSteps(diffrax.AbstractStepSizeController):
    """Steps with ends that are listed, as diffrax.StepTo, but for rows that repeat their last end to fill up."""

    ends: jax.Array

    def wrap(self, direction: Any) -> "GivenSteps":
        return self

    def init(self, *args: Any) -> tuple[jax.Array, int]:
        return self.ends[0], 1

    def adapt_step_size(self, t0: Any, t1: Any, *others: Any) -> Any:
        state = others[-1]  # the number of the next end
        following = self.ends[jnp.minimum(state, len(self.ends) - 1)]
        return True, t1, following, False, state + 1, diffrax.RESULTS.successful


def forecast(setting: Setting, variant: str, given: bool, p: Parameters, batch: Batch) -> tuple[jax.Array, Work]:
    """Forecasts [B, T, n] at the times of the observations."""

    def derivative(t: jax.Array, z: jax.Array, control: diffrax.CubicInterpolation) -> jax.Array:
        return field(setting, variant, p, control.evaluate(t), control.derivative(t), z)

    def solve(sample: Batch) -> tuple[jax.Array, Work]:
        if given:
            first, controller = None, GivenSteps(sample.ends)
        else:
            first, controller = setting.first_step, diffrax.PIDController(rtol=setting.rtol, atol=setting.atol)
            if sample.stops is not None:
                controller = diffrax.ClipStepSizeController(controller, step_ts=sample.stops)
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(derivative),
            diffrax.Tsit5(),
            t0=sample.times[0],
            t1=sample.times[-1],
            dt0=first if first is None else jnp.asarray(first, sample.times.dtype),
            y0=linear(p, "encoder", sample.start[:, None]),
            args=diffrax.CubicInterpolation(sample.times, sample.coefficients),
            saveat=diffrax.SaveAt(ts=sample.times),
            stepsize_controller=controller,
            max_steps=MAX_STEPS,
        )
        stats = solution.stats
        work = Work(stats["num_accepted_steps"], stats["num_rejected_steps"], 1 + STAGES * stats["num_steps"])
        return linear(p, "readout", solution.ys)[..., 0], work

    return jax.vmap(solve)(batch)


def loss(p: Parameters, batch: Batch, setting: Setting, variant: str, given: bool) -> tuple[jax.Array, Work]:
    """The mean square over samples, times and nodes."""
    forecasts, work = forecast(setting, variant, given, p, batch)
    return jnp.mean((forecasts - batch.targets) ** 2), work
