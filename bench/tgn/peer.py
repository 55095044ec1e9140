"""Writes scores of published memory networks for a test of affinity/tgn.

TGN is PyTorch Geometric's, which TGB's examples use; JODIE and DyRep are made of its parts, DyRep in DyGLib's order;
TGNv2 has its own modules.

    build/tgn-venv/bin/python bench/tgn/peer.py TGNV2 affinity/tgn/testdata [SEED]

writes NAME.json for each network: its parameters, events in batches, and the scores of all nodes after each batch, in
float64 and without dropout. A batch has too few events to leave a node more than its newest ones: of more, PyTorch
Geometric does not keep the newest. `make peer-tgn` sets all up and compares.
"""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import torch
from torch_geometric.nn import TGNMemory, TransformerConv
from torch_geometric.nn.models.tgn import IdentityMessage, LastNeighborLoader

NODES, CLASSES, WIDTH, NEIGHBOURS, BATCHES, BATCH = 6, 4, 8, 6, 9, 3


def published(name: str) -> Any:
    """A module of TGNv2's code, by path, as its folder models is no installed package."""
    spec = importlib.util.spec_from_file_location(name, Path(sys.argv[1]) / "models" / f"{name}.py")
    if spec is None or spec.loader is None:
        sys.exit(f"no module {name} in {sys.argv[1]}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class LastAggregator(torch.nn.Module):
    """The newest message of each node, and zeros for a node without any.

    As in TGB's modules. The class of this name in PyTorch Geometric 2.6.1 gives a node without messages another's.
    """

    def forward(self, msg: Any, index: Any, t: Any, dim_size: int) -> Any:
        out, newest = msg.new_zeros((dim_size, msg.size(-1))), t.new_full((dim_size,), -1)
        for k, node in enumerate(index.tolist()):
            if t[k] >= newest[node]:
                newest[node], out[node] = t[k], msg[k]
        return out


class LastOfBoth(LastAggregator):
    """The same for TGNv2's memory, which passes messages of both directions apart; its own class has the same fault."""

    def __init__(self, out_channels: int) -> None:
        super().__init__()
        self.out_channels = out_channels

    def forward(self, *args: Any) -> Any:
        *both, size = args
        return super().forward(*(torch.cat(both[k:k + 2]) for k in (0, 2, 4)), size)


class EmbeddedMessage(IdentityMessage):
    """A message with the embedding of the other node, which its raw message begins with, in place of its memory."""

    def forward(self, z_src: Any, z_dst: Any, raw_msg: Any, t_enc: Any) -> Any:
        return super().forward(z_src, raw_msg[:, :WIDTH], raw_msg[:, WIDTH:], t_enc)


class DyRepMemory(TGNMemory):
    """A memory whose messages keep embeddings from before their batch, as DyGLib's MemoryModel does for DyRep."""

    def leave(self, source: Any, destination: Any, time: Any, weight: Any, z: Any) -> None:
        self._update_memory(torch.cat([source, destination]).unique())
        self._update_msg_store(source, destination, time, torch.cat([z[destination], weight], -1), self.msg_s_store)
        self._update_msg_store(destination, source, time, torch.cat([z[source], weight], -1), self.msg_d_store)


def linear(name: str, module: Any) -> dict[str, list[float]]:
    """The parameters of a linear map by the names of the Go library."""
    named = {f"{name}.weight": module.weight.flatten().tolist()}
    if module.bias is not None:
        named[f"{name}.bias"] = module.bias.flatten().tolist()
    return named


def memory_of(network: str) -> Any:
    """The memory of a network, float64, without events."""
    if network == "tgnv2":
        message = published("msgmodule").EncodeIndexModule(WIDTH, 1, WIDTH, WIDTH)
        made = published("mtgn").MTGNMemory(NODES, 1, WIDTH, WIDTH, WIDTH, message, LastOfBoth(message.out_channels))
    elif network == "dyrep":
        message = EmbeddedMessage(1, WIDTH, WIDTH)
        made = DyRepMemory(NODES, 1 + WIDTH, WIDTH, WIDTH, message_module=message, aggregator_module=LastAggregator())
    else:
        made = TGNMemory(NODES, 1, WIDTH, WIDTH, message_module=IdentityMessage(1, WIDTH, WIDTH),
                         aggregator_module=LastAggregator())
    if network in ("jodie", "dyrep"):
        made.gru = torch.nn.RNNCell(3 * WIDTH + 1, WIDTH)
    made.double()
    made.reset_state()  # its messages had the type of before
    made.train()
    return made


def input_weights(network: str, weight: Any) -> Any:
    """The columns of a cell's weights in the order of the Go library: encoded times before encoded numbers."""
    if network != "tgnv2":
        return weight
    ids, times = 2 * WIDTH + 1, 4 * WIDTH + 1
    return torch.cat([weight[:, :ids], weight[:, times:], weight[:, ids:times]], 1)


def scores(network: str, seed: int) -> dict[str, Any]:
    """Runs one network."""
    torch.manual_seed(seed)
    memory = memory_of(network)
    attention = TransformerConv(WIDTH, WIDTH // 2, heads=2, edge_dim=WIDTH + 1).double()
    projection = torch.nn.Linear(1, WIDTH).double()
    hidden, out = torch.nn.Linear(WIDTH, WIDTH).double(), torch.nn.Linear(WIDTH, CLASSES).double()
    loader, asked = LastNeighborLoader(NODES, size=NEIGHBOURS), torch.arange(NODES)
    cell = memory.gru
    params = (linear("time", memory.time_enc.lin) | linear("ranking.hidden", hidden) | linear("ranking.out", out)
              | {"updater.input.weight": input_weights(network, cell.weight_ih).flatten().tolist(),
                 "updater.input.bias": cell.bias_ih.tolist(),
                 "updater.state.weight": cell.weight_hh.flatten().tolist(),
                 "updater.state.bias": cell.bias_hh.tolist()})
    if network == "tgnv2":
        params |= linear("number", memory.idx_enc.lin)
    if network == "jodie":
        params |= linear("projection", projection)
    else:
        for part in ("query", "key", "value", "edge", "skip"):
            params |= linear(f"attention.{part}", getattr(attention, f"lin_{part}"))
    count = BATCHES * BATCH
    source, destination = torch.randint(NODES, (count,)), torch.randint(CLASSES, (count,))
    time, weight = torch.arange(1, count + 1) * 3, torch.rand(count, 1, dtype=torch.double)

    def embedded(at: int) -> Any:
        """The embeddings of all nodes at a time."""
        nodes, edges, events = loader(asked)
        row = torch.empty(NODES, dtype=torch.long)
        row[nodes] = torch.arange(len(nodes))
        z, updated = memory(nodes)
        if network == "jodie":
            z = z * (1 + projection((updated - at).double().unsqueeze(1)))
        else:
            age = (updated[edges[0]] - time[events]).double()
            z = attention(z, edges, torch.cat([memory.time_enc(age), weight[events]], dim=-1))
        return z[row[asked]]

    steps = []
    with torch.no_grad():
        for begin in range(0, count, BATCH):
            of = slice(begin, begin + BATCH)
            batch = (source[of], destination[of], time[of], weight[of])
            at = int(time[of][-1]) + 1
            if network == "dyrep":
                memory.leave(*batch, embedded(at))
            else:
                memory.update_state(*batch)
            loader.insert(source[of], destination[of])
            made = out(hidden(embedded(at)).relu())
            steps.append({"at": at, "source": source[of].tolist(), "destination": destination[of].tolist(),
                          "time": time[of].tolist(), "weight": weight[of].flatten().tolist(),
                          "scores": made.flatten().tolist()})
    return {"nodes": NODES, "classes": CLASSES, "width": WIDTH, "neighbours": NEIGHBOURS, "params": params,
            "steps": steps}


first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
for number, name in enumerate(("tgn", "jodie", "dyrep", "tgnv2")):
    path = Path(sys.argv[2]) / f"{name}.json"
    path.write_text(json.dumps(scores(name, first + number)) + "\n", encoding="utf-8")
