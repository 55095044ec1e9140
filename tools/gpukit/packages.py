"""Prints what this Python has: XLA's CUDA plugin, NVIDIA's libraries, and the peer's packages. It imports none of them."""

import glob
import importlib.metadata
import importlib.util
import json
import os
import sys


def folders(package):
    spec = importlib.util.find_spec(package)
    return list(spec.submodule_search_locations or []) if spec else []


versions = {"python": sys.version.split()[0]}
for name in ("jax", "jaxlib", "jax-cuda13-pjrt", "jax-cuda12-pjrt", "diffrax", "torch"):
    try:
        versions[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
plugins = [file for place in folders("jax_plugins")
           for file in sorted(glob.glob(os.path.join(place, "xla_cuda*", "xla_cuda_plugin.so")), reverse=True)]
lacks = [name for name in ("jax", "diffrax", "equinox", "optax", "numpy", "safetensors")
         if importlib.util.find_spec(name) is None]
print(json.dumps({"plugins": plugins, "nvidia": folders("nvidia"), "versions": versions, "lacks": lacks}))
