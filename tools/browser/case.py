"""What the checks share: a JupyterLab and a window for each class of checks, and a picture of every failure."""

import contextlib
import os
import unittest
from pathlib import Path

import chromium
import lab
from notebook_page import NotebookPage

ROOT = Path(__file__).resolve().parent.parent.parent
PICTURES = ROOT / "build" / "browser"
WIDTH, HEIGHT = 900, 1000  # a narrow window: half of a common screen


def notebooks() -> list[Path]:
    """Those that NOTEBOOKS names, as make does, else all."""
    named = os.environ.get("NOTEBOOKS", "").split()
    return [ROOT / name for name in named] or sorted((ROOT / "notebooks").glob("*.ipynb"))


class LabCase(unittest.TestCase):
    """JupyterLab on the folder `root`, which a class names; `environment` is what its kernels get beside ours."""

    root = ROOT / "notebooks"
    environment: dict[str, str] = {}

    @classmethod
    def setUpClass(cls):
        with contextlib.ExitStack() as opened:
            log = PICTURES / f"{cls.__name__}.lab.log"
            profile = {"PENGCDE_PROFILE": os.environ.get("PENGCDE_PROFILE", "quick")}
            cls.lab = opened.enter_context(lab.started(cls.root, log, **profile, **cls.environment))
            cls.context = opened.enter_context(chromium.opened(WIDTH, HEIGHT))
            cls.watch = chromium.Watch(cls.context, cls.lab.url, cls.lab.url.replace("http", "ws", 1))
            cls.addClassCleanup(opened.pop_all().close)

    @contextlib.contextmanager
    def opened(self, path: str):
        """The notebook at that path below `root`. When a check fails a picture is left that shows it."""
        self.watch.left.clear()
        self.watch.errors.clear()
        with NotebookPage(self.context, self.lab, path) as notebook:
            try:
                yield notebook
                self.assertEqual(notebook.page.get_by_text("Jupyter news").count(), 0, "JupyterLab offers news")
            except Exception:
                picture = PICTURES / f"{Path(path).stem}-failed.png"
                with contextlib.suppress(Exception):
                    notebook.picture(picture)
                    print(f"picture of the failure: {picture}", flush=True)
                raise
        with self.subTest("nothing leaves the machine"):
            self.assertEqual(self.watch.left, [], "asked for")
        with self.subTest("scripts do not fail"):
            self.assertEqual(self.watch.errors, [])
