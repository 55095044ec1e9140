"""The documentation site: make site writes build/site/index.html, which opens without a network."""

import json
import pathlib
import posixpath
import re
import shutil

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes

ROOT = pathlib.Path(__file__).resolve().parent.parent

project = "PENG-CDE in Go"
copyright = "the authors. Licence Apache-2.0"
extensions = ["myst_parser", "sphinx_copybutton"]
myst_heading_anchors = 4
exclude_patterns = ["blocks"]
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"

html_theme = "furo"
html_title = project
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
# The summaries of search results are fetched page by page, which browsers refuse for files.
html_show_search_summary = False


def link_sources(app, doctree, page):
    """Links to files beside docs, such as ../pengcde/example_test.go, lead to pages with their text."""
    for link in list(doctree.findall(addnodes.download_reference)):
        file = (pathlib.Path(app.srcdir) / posixpath.dirname(page) / link["reftarget"]).resolve()
        if not file.is_file() or file.is_relative_to(pathlib.Path(app.srcdir) / "static"):
            continue
        name = "source/" + file.relative_to(ROOT).as_posix()
        sources(app)[name] = file
        reference = nodes.reference("", "", internal=True, refuri=app.builder.get_relative_uri(page, name))
        reference += link.children
        link.replace_self(reference)


# An identifier in a text, with what it is called or made with: `ode.Solver.Run`, `field.Affine()`.
IDENTIFIER = re.compile(r"([a-z]+\.[A-Z]\w*(?:\.[A-Z]\w*)?)(?:\(.*\)|\{.*\})?")


def link_identifiers(app, doctree, page):
    """Names of the library's identifiers lead to the reference, which tools/apidoc wrote."""
    if not hasattr(app, "pengcde_names"):
        app.pengcde_names = json.loads((ROOT / "docs" / "api" / "index.json").read_text(encoding="utf-8"))
    names = app.pengcde_names
    labels = app.env.get_domain("std").anonlabels
    for literal in list(doctree.findall(nodes.literal)):
        name = IDENTIFIER.fullmatch(literal.astext())
        if not name or name[1] not in names or isinstance(literal.parent, nodes.reference):
            continue
        document, label = labels[names[name[1]].lower()]
        place = app.builder.get_relative_uri(page, document) + "#" + label
        reference = nodes.reference("", "", internal=True, refuri=place)
        literal.replace_self(reference)
        reference += literal


def mark_cells(app, doctree, page):
    """Cells of a matrix that begin with the mark of a better or a worse row get its colour, and cells with an interval
    stay on a line, see site.css."""
    for entry in doctree.findall(nodes.entry):
        if re.match(r"[−(]?\d[^ ]* ± ", entry.astext()):
            entry["classes"].append("interval")
        finding = {"▲": "better", "▼": "worse"}.get(entry.astext()[:1])
        if finding:
            entry["classes"].append(finding)


def link_pages(app, page, text):
    """DEVELOPERS lies outside of docs; docs/developers.md includes it."""
    text[0] = text[0].replace("](../DEVELOPERS.md", "](developers.md")


def sources(app):
    if not hasattr(app, "pengcde_sources"):
        app.pengcde_sources = {}
    return app.pengcde_sources


def source_pages(app):
    for name, file in sources(app).items():
        try:
            lexer = get_lexer_for_filename(file.name)
        except ClassNotFound:
            lexer = get_lexer_for_filename("x.txt")
        title = name.removeprefix("source/")
        text = highlight(file.read_text(encoding="utf-8"), lexer, HtmlFormatter(nowrap=True))
        body = f'<h1>{title}</h1><div class="highlight"><pre>{text}</pre></div>'
        yield name, {"title": title, "body": body}, "page.html"


def remove_downloads(app, error):
    """Sphinx has copied the files as well; nothing links to these copies."""
    shutil.rmtree(pathlib.Path(app.outdir) / "_downloads", ignore_errors=True)


def setup(app):
    app.connect("build-finished", remove_downloads)
    app.connect("source-read", link_pages)
    app.connect("doctree-resolved", link_sources)
    app.connect("doctree-resolved", link_identifiers)
    app.connect("doctree-resolved", mark_cells)
    app.connect("html-collect-pages", source_pages)
