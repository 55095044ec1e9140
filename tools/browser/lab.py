"""A JupyterLab of its own: on this machine alone, with a token, and with none of the user's settings."""

import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

# Notebooks are opened where they lie, since they name files beside them: nothing may save them.
SETTINGS = {
    "docmanager-extension/plugin.jupyterlab-settings": {"autosave": False},
    "notebook-extension/tracker.jupyterlab-settings": {"windowingMode": "none", "scrollPastEnd": False},
}


@dataclass
class Lab:
    url: str
    token: str
    log: Path

    def address(self, path: str) -> str:
        return f"{self.url}/lab/tree/{path}?reset&token={self.token}"


@contextlib.contextmanager
def started(root: Path, log: Path, limit: float = 90, **environment: str):
    """Starts JupyterLab on a folder and waits until it answers; its kernels have the environment given."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    lab = Lab(f"http://127.0.0.1:{port}", secrets.token_hex(16), log)
    log.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="lab-") as own, log.open("w") as output:
        for name, values in SETTINGS.items():
            file = Path(own, "settings", "@jupyterlab", name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))
        folders = {f"JUPYTER_{kind}_DIR": str(Path(own, kind)) for kind in ("CONFIG", "DATA", "RUNTIME")}
        folders |= {f"JUPYTERLAB_{kind}_DIR": str(Path(own, kind.lower())) for kind in ("SETTINGS", "WORKSPACES")}
        server = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
                *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
                *(f"--IdentityProvider.token={lab.token}", f"--ServerApp.root_dir={root.resolve()}"),
                "--LabApp.expose_app_in_browser=True",
            ],
            env={**os.environ, **folders, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for(server, lab, limit)
            yield lab
        finally:
            server.terminate()
            try:
                server.wait(30)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def wait_for(server: subprocess.Popen, lab: Lab, limit: float):
    end = time.monotonic() + limit
    while True:
        with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
            urllib.request.urlopen(f"{lab.url}/api?token={lab.token}", timeout=5).read()
            return
        if server.poll() is not None or time.monotonic() > end:
            state = f"ended with code {server.returncode}" if server.poll() is not None else f"was silent for {limit:.0f} s"
            raise RuntimeError(f"JupyterLab {state}; its log {lab.log} ends with\n" + lab.log.read_text()[-2000:])
        time.sleep(0.2)
