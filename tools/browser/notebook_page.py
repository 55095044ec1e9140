"""A notebook in JupyterLab's window, driven as its menus and keys drive it."""

import sys
import time
from pathlib import Path

import nbformat

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import run_notebooks  # noqa: E402  what counts as a failed cell

PANEL = "jupyterapp.shell.currentWidget"
LIGHT, DARK = "JupyterLab Light", "JupyterLab Dark"
LOOK = Path(__file__).with_name("look.js").read_text(encoding="utf-8")
TALLEST = 16000  # Chromium draws no taller picture


class NotebookPage:
    """Waits end after `limit` seconds with a TimeoutError of playwright."""

    def __init__(self, context, lab, path: str, limit: float = 60):
        self.path = path
        self.page = context.new_page()
        self.page.set_default_timeout(1000 * limit)
        self.page.goto(lab.address(path))
        self.page.wait_for_function("window.jupyterapp")
        self.page.evaluate("jupyterapp.restored")
        self.page.wait_for_function(f"{PANEL}?.sessionContext?.session?.kernel?.connectionStatus === 'connected'")
        self.page.evaluate(f"{PANEL}.sessionContext.ready.then(() => 0)")
        if not self.page.evaluate("document.querySelector('#jp-left-stack').classList.contains('lm-mod-hidden')"):
            self.command("application:toggle-left-area")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Ends the kernel and drops what was changed."""
        self.page.evaluate(f"{PANEL}.sessionContext.shutdown()")
        self.page.close(run_before_unload=False)

    def command(self, name: str, **arguments):
        return self.page.evaluate(
            "([name, arguments]) => jupyterapp.commands.execute(name, arguments).then(() => 0)", [name, arguments]
        )

    def start(self, command: str):
        """Starts a command that runs cells; `finished` tells when it is done."""
        self.page.evaluate(
            """command => {
                window.outcome = undefined;
                jupyterapp.commands.execute(command).then(() => window.outcome = "", fault => window.outcome = String(fault));
            }""",
            command,
        )

    def finished(self) -> bool:
        return self.page.evaluate("window.outcome !== undefined")

    def wait(self, limit: float, meanwhile=lambda: False):
        """Waits until the cells that were started are done, or until meanwhile(), asked ten times a second, is true."""
        end = time.monotonic() + limit
        while not self.finished() and not meanwhile():
            if time.monotonic() > end:
                raise TimeoutError(f"{self.path}: cell {self.running()} still runs after {limit:.0f} s")
            time.sleep(0.1)

    def running(self) -> str:
        """The numbers of the code cells that run or wait, counted as `cells` does."""
        prompts = self.page.evaluate(f"{PANEL}.content.widgets.filter(w => w.promptNode && w.model.type === 'code')"
                                     ".map(w => w.node.querySelector('.jp-InputPrompt')?.textContent ?? '')")
        return ", ".join(str(i) for i, prompt in enumerate(prompts, 1) if "*" in prompt) or "?"

    def cells(self) -> list:
        """The code cells with their outputs, as nbformat has them."""
        return [
            nbformat.from_dict(cell)
            for cell in self.page.evaluate(f"{PANEL}.content.widgets.map(w => w.model.toJSON())")
            if cell["cell_type"] == "code"
        ]

    def failures(self) -> list[str]:
        found = [(i, run_notebooks.cell_failure(cell)) for i, cell in enumerate(self.cells(), 1)]
        return [f"cell {i}: {failure}" for i, failure in found if failure]

    def look(self, what: str, *arguments) -> list[list[str]]:
        """What a function of look.js finds in the outputs of each code cell."""
        self.page.evaluate(LOOK)
        return self.page.evaluate(
            f"""([what, rest]) => {PANEL}.content.widgets.filter(w => w.model.type === "code")
                .map(w => look[what](w.outputArea.node, ...rest))""",
            [what, arguments],
        )

    def select(self, number: int):
        """Makes a code cell (from 1) the one that commands act on."""
        self.page.evaluate(
            f"""number => {{
                const cells = {PANEL}.content.widgets;
                {PANEL}.content.activeCellIndex = cells.indexOf(cells.filter(w => w.model.type === "code")[number - 1]);
            }}""",
            number,
        )

    def theme(self, name: str):
        self.command("apputils:change-theme", theme=name)
        self.page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=name)
        self.page.wait_for_selector("#jupyterlab-splash", state="detached")

    def picture(self, path: Path):
        """Saves the whole notebook as PNG, however long, by a window as high as it is."""
        before = self.page.viewport_size
        height = 150 + self.page.evaluate(
            f"Math.max(...[{PANEL}.content.node, ...{PANEL}.content.node.querySelectorAll('.jp-WindowedPanel-outer')]"
            ".map(node => node.scrollHeight))"
        )
        self.page.set_viewport_size({"width": before["width"], "height": min(TALLEST, max(before["height"], height))})
        path.parent.mkdir(parents=True, exist_ok=True)
        self.page.evaluate(f"for (let at = {PANEL}.content.widgets[0].node; at; at = at.parentElement) at.scrollTop = 0")
        self.page.screenshot(path=path)
        self.page.set_viewport_size(before)
