"""Runs the trainer of the published code as it is, and writes what it reports, epoch by epoch.

The checkout is github.com/hits-mli/perm-equiv-graph-neural-cdes at commit 075e9ad; nothing in it is changed. The trainer
logs through wandb.log, takes optimiser steps with make_step, and evaluates with a function that its loss builds. These
three are wrapped: the wrappers pass everything through, keep what passes, and write

    NAME.csv         a row for each epoch
    NAME.json        settings, versions, machine, and how training ended
    NAME-data.json   the three data sets that the published code drew
    start.json       the initial parameters of PENG-CDE, by the names of the Go library

into the folder OUT, beside a checkpoint every 20 epochs. The same command again goes on from the checkpoint: the
wrappers answer the trainer's calls with what was kept, up to the checkpoint.
"""

import argparse
import csv
import json
import logging
import os
import pickle
import platform
import resource
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

CHECKPOINT_EVERY = 20
COLUMNS = ["epoch", "train", "largest_gradient", "largest_update", "interpolation", "extrapolation", "validation", "test",
           "seconds"]
# The names under which the trainer logs the columns.
LOGGED = {"train_loss": "train", "max_grad": "largest_gradient", "max_update": "largest_update",
          "validation_loss_inter": "interpolation", "validation_loss_extra": "extrapolation",
          "separate_val_loss_total": "validation", "test_loss": "test"}


# The published configuration of each vector field, by the field's name in the Go library.
CONFIGURATIONS = {"peng": "perm_equiv_gncde", "original": "gncde", "adjacency": "gnode", "gn-ode": "gnode_floor",
                  "constant": "const"}


def edges(matrix: Any) -> list[list[int]]:
    """Senders and receivers of the entries that are not zero; all others are 1."""
    return [side.tolist() for side in matrix.nonzero()]


def exported(dataset: Any) -> dict[str, Any]:
    """One data set: four trajectories, their graphs, and the observations at which graphs change."""
    return {"times": dataset.t.tolist(), "values": dataset.true_y.tolist(),
            "events": [int(k) for k in dataset.events_time_indices],
            "graphs": [[edges(matrix) for matrix in sample] for sample in dataset.A]}


def start_of(model: Any) -> dict[str, list[float]]:
    """The parameters of a model by the names of the Go library."""
    import numpy

    linear = {"encoder": model.initial_linear, "readout": model.final_linear}
    start = {}
    for number, layer in enumerate(model.vector_field.gnn_layers):
        name = f"field.layers.{number}"
        linear |= {f"{name}.linear": layer.conv_layer.linear, f"{name}.norm": layer.conv_layer.norm}
        start[f"{name}.maps"] = [getattr(layer, f"param{row}") for row in range(1, 9)]
    for name, part in linear.items():
        start |= {f"{name}.weight": part.weight, f"{name}.bias": part.bias}
    return {name: numpy.ravel(values).tolist() for name, values in start.items()}


class Recorder:
    """Keeps what passes between the trainer and the functions that it calls."""

    def __init__(self, out: Path, name: str) -> None:
        self._kept = out / f"{name}.checkpoint"
        self._csv = out / f"{name}.csv"
        self._rows: list[dict[str, Any]] = []
        self._steps: list[tuple[Any, ...]] = []  # loss, largest gradient, largest update, seconds
        self._evaluations: list[tuple[Any, ...]] = []
        self._replayed = self._answered = 0
        self.reported: dict[str, Any] = {}
        if self._kept.exists():
            self._steps, self._evaluations = pickle.loads(self._kept.read_bytes())

    def log(self, values: dict[str, Any]) -> None:
        for key, value in values.items():
            if key in LOGGED:
                self._rows[-1][LOGGED[key]] = float(value)
            elif key in ("validation_loss", "corr_test_loss", "best_epoch"):
                self.reported[key] = float(value)

    def step(self, make_step: Any) -> Any:
        import equinox as eqx

        def recorded(model: Any, optimiser: Any, loss: Any, data: Any, state: Any) -> tuple[Any, ...]:
            self.write()
            epoch = len(self._rows) + 1
            if self._replayed < len(self._steps):
                kept = self._steps[self._replayed]
                self._replayed += 1
                if self._replayed == len(self._steps):
                    model, state = eqx.tree_deserialise_leaves(self._kept.with_suffix(".eqx"), (model, state))
            else:
                start = time.perf_counter()
                value, model, state, gradient, update = make_step(model, optimiser, loss, data, state)
                kept = float(value), float(gradient), float(update), time.perf_counter() - start
                self._steps.append(kept)
                self._replayed += 1
                if epoch % CHECKPOINT_EVERY == 0:
                    eqx.tree_serialise_leaves(self._kept.with_suffix(".eqx"), (model, state))
                    self._kept.write_bytes(pickle.dumps((self._steps, self._evaluations)))
            value, gradient, update, seconds = kept
            self._rows.append({"epoch": epoch, "seconds": round(seconds, 5)})
            return value, model, state, gradient, update

        return recorded

    def evaluation(self, evaluate: Any) -> Any:
        import numpy

        def recorded(model: Any, data: Any) -> tuple[Any, ...]:
            if self._answered == len(self._evaluations):
                self._evaluations.append(tuple(numpy.asarray(errors) for errors in evaluate(model, data)))
            self._answered += 1
            return self._evaluations[self._answered - 1]

        return recorded

    def write(self) -> None:
        """Writes the table, with five digits."""
        with self._csv.open("w", newline="") as file:
            table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            table.writeheader()
            for row in self._rows:
                table.writerow({key: f"{value:.5g}" for key, value in row.items()})

    def epochs(self) -> int:
        return len(self._rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--field", choices=CONFIGURATIONS, default="peng")
    parser.add_argument("--dynamics", choices=["heat", "gene"], default="heat")
    parser.add_argument("--family", default="grid")
    parser.add_argument("--nodes", type=int, default=400)
    parser.add_argument("--epochs", type=int, default=600)
    parser.add_argument("--rate", type=float, help="learning rate; without it the shipped configuration's, 0.1")
    arguments = parser.parse_args()
    checkout, out = arguments.checkout.resolve(), arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    os.environ["WANDB_MODE"] = "disabled"
    os.chdir(out)  # the trainer writes .cache and .checkpoints
    sys.path.insert(0, str(checkout / "src"))

    import wandb
    import yaml
    from configs import dataset_configs, loss_configs
    from engine import trainer

    name = f"{arguments.dynamics}-{arguments.family}-{arguments.nodes}"
    settings = yaml.safe_load((checkout / f"configs/dynamical_systems/{CONFIGURATIONS[arguments.field]}_config.yaml").read_text())
    settings["epochs"] = arguments.epochs
    settings["dataset"].update(name=arguments.dynamics, graph_type=arguments.family, num_nodes=arguments.nodes)
    if arguments.dynamics == "heat":
        settings["dataset"]["amp_range"] = [25.0, 40.0]
    if arguments.rate is not None:
        settings["optimiser"]["schedule"]["value"] = arguments.rate
        name += f"-rate-{arguments.rate:g}"
    if arguments.field != "peng":
        name += f"-{arguments.field}"

    drawn: list[dict[str, Any]] = []
    data_set = dataset_configs.ODEDataset

    class Exported(data_set):  # type: ignore
        def split_train_val_test(self) -> Any:
            train, extrapolation, interpolation = super().split_train_val_test()
            drawn[-1].update(train=train, interpolation=interpolation, extrapolation=extrapolation)
            return train, extrapolation, interpolation

        def __init__(self, configuration: Any) -> None:
            super().__init__(configuration)
            drawn.append(exported(self))

    recorder = Recorder(out, name)
    dataset_configs.ODEDataset = Exported
    wandb.log = recorder.log
    build = loss_configs.MSELossCfg.build_validation_loss
    loss_configs.MSELossCfg.build_validation_loss = lambda self: recorder.evaluation(build(self))
    make_step = recorder.step(trainer.make_step)

    def first_step(model: Any, *given: Any) -> Any:
        if arguments.field == "peng":
            (out / "start.json").write_text(json.dumps(start_of(model)))
        if len(drawn) == 3:  # otherwise the published cache had them
            (out / f"{name}-data.json").write_text(json.dumps(drawn))
        trainer.make_step = make_step
        return make_step(model, *given)

    trainer.make_step = first_step
    logging.getLogger().setLevel(logging.WARNING)
    start, end = time.time(), "as the trainer ends"
    try:
        trainer.Trainer(**settings).run()
    except Exception as error:  # such as a solve that takes more than 4096 steps
        end = next((line for line in reversed(str(error).splitlines()) if "Error: " in line and "stack" not in line), repr(error)[:500])
    recorder.write()
    packages = ["jax", "jaxlib", "equinox", "diffrax", "optax", "numpy", "torch"]
    with open("/proc/cpuinfo") as file:
        machine = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
    (out / f"{name}.json").write_text(json.dumps({
        "settings": settings, "epochs": recorder.epochs(), "end": end, "reported": recorder.reported,
        "seconds": time.time() - start, "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "machine": machine, "cores": os.cpu_count(), "python": platform.python_version(),
        "versions": {package: version(package) for package in packages}}, indent=1) + "\n")


if __name__ == "__main__":
    main()
