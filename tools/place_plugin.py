"""Puts the CPU plugin of the wheel where every program finds it: place_plugin.py FOLDER [FOLDER_IN_CHECKOUT].

The file appears whole or not at all. It is a hard link to the wheel's file where the folders share a file system,
which saves 200 MB. Where FOLDER cannot be written to, the second folder gets it.
"""

import importlib.util
import os
import shutil
import sys
from pathlib import Path


def place(plugin: Path, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    target, whole = folder / plugin.name, folder / f".{plugin.name}.{os.getpid()}"
    try:
        try:
            os.link(plugin, whole)
        except OSError:
            shutil.copy(plugin, whole)
        if target.is_symlink() or target.exists():
            print(f"set-up: {target} does not work with this version and becomes {target.name}.old")
            os.replace(target, f"{target}.old")
        os.replace(whole, target)
    finally:
        whole.unlink(missing_ok=True)
    return target


if __name__ == "__main__":
    package = importlib.util.find_spec("lammps_jax_pjrt_cpu").submodule_search_locations[0]
    for place_to in sys.argv[1:]:
        try:
            place(Path(package) / "pjrt_c_api_cpu_plugin.so", Path(place_to))
            break
        except OSError as error:
            print(f"set-up: no plugin into {place_to}: {error}")
    else:
        sys.exit("set-up: the plugin could be written nowhere")
