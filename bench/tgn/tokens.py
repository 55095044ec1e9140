"""Writes scores of DyGLib's GraphMixer, TCL, DyGFormer, TGAT and CAWN, for a test of affinity/tokens.

    build/tgn-venv/bin/python bench/tgn/tokens.py DYGLIB affinity/tokens/testdata [SEED]

writes NAME.json for each network, as peer.py does. GraphMixer's nodes have no features, as on data that have none: with
features DyGLib divides the mean over a node's neighbours once more by their number. TCL, DyGFormer and CAWN ask about a
node and itself. DyGFormer gives scores once a node's sequence has the full length. CAWN walks to the newest neighbours:
those that DyGLib draws depend on its generator. `make peer-tgn` sets all up and compares.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy
import torch

sys.path.insert(0, sys.argv[1])

from models.CAWN import CAWN  # noqa: E402
from models.DyGFormer import DyGFormer  # noqa: E402
from models.GraphMixer import GraphMixer  # noqa: E402
from models.TGAT import TGAT  # noqa: E402
from models.TCL import TCL  # noqa: E402
from utils.utils import NeighborSampler  # noqa: E402

NODES, CLASSES, WIDTH, TIME, BATCHES, BATCH, PATCH, CHANNEL = 6, 4, 8, 6, 6, 5, 4, 6


def linear(name: str, weight: Any, bias: Any) -> dict[str, list[float]]:
    """The parameters of a linear map or a norm by the names of the Go library."""
    return {f"{name}.weight": weight.flatten().tolist(), f"{name}.bias": bias.tolist()}


def of(name: str, module: Any) -> dict[str, list[float]]:
    """The same of a module."""
    return linear(name, module.weight, module.bias)


def mixer(model: Any) -> dict[str, list[float]]:
    """The parameters of GraphMixer; of the first map only the columns of the weight and the time."""
    first = model.projection_layer
    named = linear("token", torch.cat([first.weight[:, :1], first.weight[:, WIDTH:]], dim=1), first.bias)
    for k, layer in enumerate(model.mlp_mixers):
        for part, norm, net in (("tokens", layer.token_norm, layer.token_feedforward),
                                ("channels", layer.channel_norm, layer.channel_feedforward)):
            name = f"mixer.{k}.{part}"
            named |= of(f"{name}.norm", norm) | of(f"{name}.in", net.ffn[0]) | of(f"{name}.out", net.ffn[3])
    return named | linear("output", model.output_layer.weight[:, :WIDTH], model.output_layer.bias)


def transformers(model: Any, width: int) -> dict[str, list[float]]:
    """The parameters of a transformer and of what is around it."""
    named = {"identities": model.node_raw_features[1:].flatten().tolist()}
    for ours, theirs in (("node", "node"), ("weight", "edge"), ("time", "time")):
        named |= of(ours, model.projection_layer[theirs])
    named |= of("clock", model.time_encoder.w) | of("output", model.output_layer)
    return named | attention_layers(model.transformers, width)


def attention_layers(layers: Any, width: int) -> dict[str, list[float]]:
    """The parameters of the layers of a transformer."""
    named: dict[str, list[float]] = {}
    for k, layer in enumerate(layers):
        name, attention = f"transformer.{k}", layer.multi_head_attention
        for i, part in enumerate(("query", "key", "value")):
            rows = slice(i * width, (i + 1) * width)
            named |= linear(f"{name}.{part}", attention.in_proj_weight[rows], attention.in_proj_bias[rows])
        named |= of(f"{name}.mix", attention.out_proj)
        named |= of(f"{name}.in", layer.linear_layers[0]) | of(f"{name}.out", layer.linear_layers[1])
        named |= of(f"{name}.norm.0", layer.norm_layers[0]) | of(f"{name}.norm.1", layer.norm_layers[1])
    return named


def tcl(model: Any) -> dict[str, list[float]]:
    """The parameters of TCL."""
    return transformers(model, WIDTH) | {"depths": model.depth_embedding.weight.flatten().tolist()}


def dygformer(model: Any) -> dict[str, list[float]]:
    """The parameters of DyGFormer."""
    encode = model.neighbor_co_occurrence_encoder.neighbor_co_occurrence_encode_layer
    return transformers(model, 4 * CHANNEL) | of("count", model.projection_layer["neighbor_co_occurrence"]) | of(
        "count.in", encode[0]) | of("count.out", encode[2])


def tgat(model: Any) -> dict[str, list[float]]:
    """The parameters of TGAT."""
    named = {"identities": model.node_raw_features[1:].flatten().tolist()} | of("clock", model.time_encoder.w)
    for k, (layer, merge) in enumerate(zip(model.temporal_conv_layers, model.merge_layers)):
        for part in ("query", "key", "value"):
            named[f"hop.{k}.{part}.weight"] = getattr(layer, f"{part}_projection").weight.flatten().tolist()
        named |= of(f"hop.{k}.mix", layer.residual_fc) | of(f"hop.{k}.norm", layer.layer_norm)
        named |= of(f"hop.{k}.hidden", merge.fc1) | of(f"hop.{k}.out", merge.fc2)
    return named


def cawn(model: Any) -> dict[str, list[float]]:
    """The parameters of CAWN, without the weights of a backward state, which starts where it is read."""
    named = {"identities": model.node_raw_features[1:].flatten().tolist()} | of("clock", model.time_encoder.w)
    position, walks = model.position_encoder.position_encode_layer, model.walk_encoder
    named |= of("position.in", position[0]) | of("position.out", position[2])
    for name, encoder in (("walk", walks.feature_encoder), ("positions", walks.position_encoder)):
        both = encoder.bilstm_encoder
        named |= linear(f"{name}.input", both.weight_ih_l0, both.bias_ih_l0)
        named |= linear(f"{name}.state", both.weight_hh_l0, both.bias_hh_l0)
        named |= linear(f"{name}.back", both.weight_ih_l0_reverse, both.bias_ih_l0_reverse + both.bias_hh_l0_reverse)
    named |= of("mix", walks.projection_layers[0]) | of("output", walks.projection_layers[1])
    return named | attention_layers([walks.transformer_encoder], walks.attention_dim)


def scores(network: str, seed: int) -> dict[str, Any]:
    """Runs one network."""
    torch.manual_seed(seed)
    rng = numpy.random.default_rng(seed)
    count, neighbours = BATCHES * BATCH, {"dygformer": 7, "cawn": 8}.get(network, 6)
    source, destination = rng.integers(NODES, size=count), rng.integers(CLASSES, size=count)
    time, weight = numpy.arange(1, count + 1) * 3.0, rng.random(count)
    contacts: list[list[tuple[int, int, float]]] = [[] for _ in range(NODES + 1)]  # ids from 1, by node
    for e in range(count):
        contacts[source[e] + 1].append((destination[e] + 1, e + 1, time[e]))
        contacts[destination[e] + 1].append((source[e] + 1, e + 1, time[e]))
    sampler = NeighborSampler(contacts, sample_neighbor_strategy="recent")
    features = numpy.zeros((NODES + 1, WIDTH))
    edges = numpy.zeros((count + 1, WIDTH if network == "graphmixer" else 1))
    edges[1:, 0] = weight
    if network != "graphmixer":
        features[1:] = rng.standard_normal((NODES, WIDTH))
    model = {"graphmixer": lambda: GraphMixer(features, edges, sampler, TIME, neighbours),
             "tcl": lambda: TCL(features, edges, sampler, TIME, num_depths=neighbours + 1),
             "dygformer": lambda: DyGFormer(features, edges, sampler, TIME, CHANNEL, PATCH,
                                            max_input_sequence_length=neighbours + 1),
             "tgat": lambda: TGAT(features, edges, sampler, TIME),
             "cawn": lambda: CAWN(features, edges, sampler, TIME, WIDTH, walk_length=1, num_walk_heads=2)}[network]()
    named = {"graphmixer": mixer, "tcl": tcl, "dygformer": dygformer, "tgat": tgat, "cawn": cawn}[network]
    for parameter in model.parameters():
        if parameter.dim() == 1 and parameter.requires_grad:  # of norms and biases that begin as constants
            torch.nn.init.normal_(parameter)
    hidden, out = torch.nn.Linear(WIDTH, WIDTH), torch.nn.Linear(WIDTH, CLASSES)
    for module in (model, hidden, out):
        module.double().eval()
    model.node_raw_features, model.edge_raw_features = torch.from_numpy(features), torch.from_numpy(edges)
    clock = model.time_encoder
    clock.w.weight.data = 10 ** (-9 * torch.arange(TIME, dtype=torch.double) / (TIME - 1)).reshape(TIME, 1)
    clock.register_forward_pre_hook(lambda _, args, kwargs: (args, {"timestamps": kwargs["timestamps"].double()})
                                    if kwargs else tuple(a.double() for a in args), with_kwargs=True)
    if network == "cawn":
        model.position_encoder.position_encode_layer.register_forward_pre_hook(
            lambda _, args: tuple(a.double() for a in args))
    if network == "dygformer":
        counts = model.neighbor_co_occurrence_encoder
        counted = counts.count_nodes_appearances
        counts.count_nodes_appearances = lambda **ids: tuple(count.double() for count in counted(**ids))
    params = named(model) | of("ranking.hidden", hidden) | of("ranking.out", out)
    steps, asked = [], numpy.arange(1, NODES + 1)
    sampled = {} if network == "dygformer" else {"num_neighbors": neighbours}
    with torch.no_grad():
        for begin in range(0, count, BATCH):
            batch = slice(begin, begin + BATCH)
            at = time[batch][-1] + 1
            z, _ = model.compute_src_dst_node_temporal_embeddings(asked, asked, numpy.full(NODES, at), **sampled)
            full = max(sum(at > t for _, _, t in events) for events in contacts) >= neighbours
            made = out(hidden(z).relu()).flatten().tolist() if full or network != "dygformer" else []
            steps.append({"at": at, "source": source[batch].tolist(), "destination": destination[batch].tolist(),
                          "time": time[batch].tolist(), "weight": weight[batch].tolist(),
                          "scores": made})
    return {"nodes": NODES, "classes": CLASSES, "width": WIDTH, "timewidth": TIME, "neighbours": neighbours,
            "params": params, "steps": steps}


first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
for number, name in enumerate(("graphmixer", "tcl", "dygformer", "tgat", "cawn")):
    path = Path(sys.argv[2]) / f"{name}.json"
    path.write_text(json.dumps(scores(name, first + number)) + "\n", encoding="utf-8")
