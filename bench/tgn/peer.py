"""Writes scores of PyTorch Geometric's temporal graph network, which TGB's examples use, for a test of affinity/tgn.

    python3 -m venv build/tgn-venv
    build/tgn-venv/bin/pip install -r bench/tgn/environment.txt
    build/tgn-venv/bin/python bench/tgn/peer.py affinity/tgn/testdata

writes NAME.json for each network: its parameters, events in batches, and the scores of all nodes after each batch, in
float64 and without dropout. A batch has too few events to leave a node more than its newest ones: of more, PyTorch
Geometric does not keep the newest.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch
from torch_geometric.nn import TGNMemory, TransformerConv
from torch_geometric.nn.models.tgn import IdentityMessage, LastNeighborLoader

NODES, CLASSES, WIDTH, NEIGHBOURS, BATCHES, BATCH = 6, 4, 8, 6, 9, 3


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


def linear(name: str, module: Any) -> dict[str, list[float]]:
    """The parameters of a linear map by the names of the Go library."""
    named = {f"{name}.weight": module.weight.flatten().tolist()}
    if module.bias is not None:
        named[f"{name}.bias"] = module.bias.flatten().tolist()
    return named


def scores(network: str, seed: int) -> dict[str, Any]:
    """Runs one network."""
    torch.manual_seed(seed)
    memory = TGNMemory(NODES, 1, WIDTH, WIDTH, message_module=IdentityMessage(1, WIDTH, WIDTH),
                       aggregator_module=LastAggregator())
    attention = TransformerConv(WIDTH, WIDTH // 2, heads=2, edge_dim=WIDTH + 1)
    projection = torch.nn.Linear(1, WIDTH)
    hidden, out = torch.nn.Linear(WIDTH, WIDTH), torch.nn.Linear(WIDTH, CLASSES)
    if network == "jodie":
        memory.gru = torch.nn.RNNCell(3 * WIDTH + 1, WIDTH)
    for module in (memory, attention, projection, hidden, out):
        module.double()
    memory.reset_state()  # its messages had the type of before
    memory.train()
    loader = LastNeighborLoader(NODES, size=NEIGHBOURS)
    cell = memory.gru
    params = (linear("time", memory.time_enc.lin) | linear("ranking.hidden", hidden) | linear("ranking.out", out)
              | {"updater.input.weight": cell.weight_ih.flatten().tolist(), "updater.input.bias": cell.bias_ih.tolist(),
                 "updater.state.weight": cell.weight_hh.flatten().tolist(), "updater.state.bias": cell.bias_hh.tolist()})
    if network == "jodie":
        params |= linear("projection", projection)
    else:
        for part in ("query", "key", "value", "edge", "skip"):
            params |= linear(f"attention.{part}", getattr(attention, f"lin_{part}"))
    count = BATCHES * BATCH
    source, destination = torch.randint(NODES, (count,)), torch.randint(CLASSES, (count,))
    time, weight = torch.arange(1, count + 1) * 3, torch.rand(count, 1, dtype=torch.double)
    steps = []
    with torch.no_grad():
        for begin in range(0, count, BATCH):
            of = slice(begin, begin + BATCH)
            memory.update_state(source[of], destination[of], time[of], weight[of])
            loader.insert(source[of], destination[of])
            asked = torch.arange(NODES)
            nodes, edges, events = loader(asked)
            place = torch.empty(NODES, dtype=torch.long)
            place[nodes] = torch.arange(len(nodes))
            z, updated = memory(nodes)
            at = int(time[of][-1]) + 1
            if network == "jodie":
                z = z * (1 + projection((updated - at).double().unsqueeze(1)))
            else:
                age = (updated[edges[0]] - time[events]).double()
                z = attention(z, edges, torch.cat([memory.time_enc(age), weight[events]], dim=-1))
            made = out(hidden(z[place[asked]]).relu())
            steps.append({"at": at, "source": source[of].tolist(), "destination": destination[of].tolist(),
                          "time": time[of].tolist(), "weight": weight[of].flatten().tolist(),
                          "scores": made.flatten().tolist()})
    return {"nodes": NODES, "classes": CLASSES, "width": WIDTH, "neighbours": NEIGHBOURS, "params": params, "steps": steps}


for number, name in enumerate(("tgn", "jodie")):
    (Path(sys.argv[1]) / f"{name}.json").write_text(json.dumps(scores(name, number)) + "\n", encoding="utf-8")
