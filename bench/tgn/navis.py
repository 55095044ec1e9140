"""Runs the published code of NAViS on the trade of 69 countries, for docs/from-tgb.md.

    git clone https://github.com/orfeld415/NAVIS build/NAVIS
    git clone https://github.com/rjagerman/pytorchltr build/pytorchltr
    make build/tgn-venv/stamp
    cd build  # for the files that it writes
    tgn-venv/bin/python ../bench/tgn/navis.py NAVIS pytorchltr ../datasets/tgb/agtpa_trade SEED [past]

navis.py runs as it is published, with these in the place of its imports: a data set in TGB's manner from the folder's
files, TGB's score, a loader of batches, and pytorchltr's loss with the line that NAViS's instructions add. The seed,
which the script sets to 2, is the given one. The script's global row for a node is the true row of the node asked
before it at the same time; with "past" it is for all nodes the last row of the time before.
"""

import gzip
import random
import sys
import types
from pathlib import Path
from typing import Any, Iterator

import numpy
import torch
from sklearn.metrics import ndcg_score

CODE, LOSSES, DATA, SEED = sys.argv[1:5]
PAST = sys.argv[5:] == ["past"]
if sys.argv[5:] and not PAST:
    sys.exit(f"{sys.argv[5:]} after the seed, want past or nothing")


def rows(path: Path) -> list[list[str]]:
    """The lines of a file of TGB without its head."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n").split(",") for line in file][1:]


class Batch:
    """Events: their nodes, times and weights."""

    def __init__(self, src: Any, dst: Any, t: Any, msg: Any) -> None:
        self.src, self.dst, self.t, self.msg = src, dst, t, msg
        self.num_nodes = int(max(src.max(), dst.max())) + 1 if len(src) else 0

    def __getitem__(self, of: Any) -> "Batch":
        return Batch(self.src[of], self.dst[of], self.t[of], self.msg[of])

    def to(self, _: Any) -> "Batch":
        """The events themselves: all is on the CPU."""
        return self


class Dataset:
    """What the script uses of TGB's PyGNodePropPredDataset."""

    eval_metric = "ndcg"

    def __init__(self, **_: Any) -> None:
        folder, numbers = Path(DATA), {}
        name = next(folder.glob("*_edgelist.csv.gz")).name.removesuffix("_edgelist.csv.gz")
        edges = rows(folder / f"{name}_edgelist.csv.gz")
        for edge in edges:
            for node in edge[1:3]:
                numbers.setdefault(node, len(numbers))
        number = [[numbers[edge[k]] for edge in edges] for k in (1, 2)]
        self.events = Batch(torch.tensor(number[0]), torch.tensor(number[1]), torch.tensor([int(e[0]) for e in edges]),
                            torch.tensor([[float(e[3])] for e in edges]))
        self.num_classes, self.at = len(numbers), 0
        self.labels: dict[int, dict[int, Any]] = {}
        for year, source, target, weight in rows(folder / f"{name}_node_labels.csv.gz"):
            row = self.labels.setdefault(int(year), {}).setdefault(numbers[source], numpy.zeros(len(numbers)))
            row[numbers[target]] = float(weight)
        self.times = sorted(self.labels)
        first, second = numpy.quantile(self.events.t.numpy(), [0.70, 0.85])
        t = self.events.t
        self.train_mask, self.val_mask, self.test_mask = t <= first, (t > first) & (t <= second), t > second

    def get_TemporalData(self) -> Batch:  # noqa: N802
        """All events."""
        return self.events

    def get_label_time(self) -> int:
        """The next label time, or the last."""
        return self.times[min(self.at, len(self.times) - 1)]

    def get_node_label(self, now: Any) -> Any:
        """The labels of the next label time; None before it and after the last."""
        if self.at >= len(self.times) or now < self.times[self.at]:
            return None
        of = self.labels[self.times[self.at]]
        self.at += 1
        return (torch.full((len(of),), self.times[self.at - 1]), torch.tensor(list(of)),
                torch.tensor(numpy.array(list(of.values())), dtype=torch.float))

    def reset_label_time(self) -> None:
        """Back to the first."""
        self.at = 0


class Evaluator:
    """TGB's score."""

    def __init__(self, **_: Any) -> None:
        pass

    def eval(self, scores: Any) -> dict[str, float]:
        """NDCG@10."""
        return {"ndcg": float(ndcg_score(scores["y_true"], scores["y_pred"], k=10))}


def loader(events: Batch, batch_size: int) -> Any:
    """Batches in order of time, each time it is asked."""

    class Loader:
        """A loader."""

        def __iter__(self) -> Iterator[Batch]:
            for begin in range(0, len(events.t), batch_size):
                yield events[begin:begin + batch_size]

    return Loader()


def seeded(_: int) -> None:
    """Sets the seed of the command line."""
    random.seed(int(SEED))
    numpy.random.seed(int(SEED))
    torch.manual_seed(int(SEED))


def module(name: str, **content: Any) -> None:
    """Puts a module in the place of an import."""
    made = types.ModuleType(name)
    made.__dict__.update(content, __path__=[])
    sys.modules[name] = made


def main() -> None:
    """Runs the script."""
    folder, ltr = Path(CODE) / "NAVIS", Path(LOSSES)
    sys.path[:0] = [str(folder), str(ltr)]
    text = (ltr / "pytorchltr" / "loss" / "pairwise_lambda.py").read_text(encoding="utf-8")
    added = "        exponent = delta[None, :, :] * _torch.abs(gain_diffs)\n"
    loss: dict[str, Any] = {}
    assert text.count(added) == 1
    exec(text.replace(added, added + "        exponent = exponent.clamp(0, 30)\n"), loss)  # noqa: S102
    for name in ("pytorchltr.pytorchltr", "pytorchltr.pytorchltr.loss", "tgb", "tgb.nodeproppred", "tgb.utils",
                 "torch_geometric", "matplotlib"):
        module(name)
    module("pytorchltr.pytorchltr.loss.pairwise_lambda", LambdaNDCGLoss2=loss["LambdaNDCGLoss2"])
    module("torch_geometric.loader", TemporalDataLoader=loader)
    module("tgb.nodeproppred.dataset_pyg", PyGNodePropPredDataset=Dataset)
    module("tgb.nodeproppred.evaluate", Evaluator=Evaluator)
    module("tgb.utils.utils", set_random_seed=seeded)
    module("matplotlib.pyplot")
    script = (folder / "navis.py").read_text(encoding="utf-8")
    if PAST:
        line = "gs = torch.cat([self.prev_global_label, gs], dim=0)"
        assert script.count(line) == 1
        script = script.replace(line, "gs = self.prev_global_label.expand(labels.shape[0], -1)")
    sys.argv = ["navis.py"]
    exec(compile(script, "navis.py", "exec"), {"__name__": "__main__"})  # noqa: S102


main()
