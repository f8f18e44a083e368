"""What the site makes of the pages in docs/ beside Markdown.

* Pages that live where they belong (the changelog, the results of the benchmarks, ...) are taken in; links to them,
  which work in the repository, are led to their place in the site.
* Figures that are drawn for these pages stand in them as text, so that they have the colours of light and dark.
* ``::: ssift COMMAND`` becomes the options of a command (:mod:`commands`).
* A page that would fetch something from elsewhere is an error: the site is read without a network.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

import commands  # beside this file: mkdocs looks there
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]

TAKEN_IN = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "bench/RESULTS.md": "results.md",
    "bench/results.svg": "results.svg",
    "ext/README.md": "native.md",
}
"""Files outside of docs/, and where they are in the site."""

LED = {**TAKEN_IN, "README.md": "index.md"}
"""Where links to files outside of docs/ lead."""

_LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
_FIGURE = re.compile(r"^!\[[^\]]*\]\((figures/\w+\.svg)\)$", re.MULTILINE)
_FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*?\bsrc=["'](?:https?:)?//[^"']+"""
    r"""|<link\b(?=[^>]*\brel=["'](?:stylesheet|preconnect|preload|icon)["'])[^>]*?\bhref=["'](?:https?:)?//[^"']+"""
    r"""|@import\s+(?:url\()?["']?https?://[^"')]+""",
    re.IGNORECASE,
)


def on_files(files: Files, config: Any) -> Files:
    """Take in the pages that live elsewhere."""
    for source, place in TAKEN_IN.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead links to where things are in the site, and fill in the options of commands."""
    here = posixpath.dirname(source_of(page.file.src_uri))
    led = _LINK.sub(lambda link: link[1] + leads_to(link[2], here, page.file.src_uri) + (link[3] or "") + ")", markdown)
    return commands.filled(_FIGURE.sub(lambda figure: drawn(figure[1]), led))


def drawn(path: str) -> str:
    """A figure as a part of the page."""
    text = (ROOT / "docs" / path).read_text(encoding="utf-8").strip()
    return f'<figure class="drawn">\n{text}\n</figure>\n'


def source_of(place: str) -> str:
    """The path in the repository of a page of the site."""
    for source, taken_in in TAKEN_IN.items():
        if place == taken_in:
            return source
    return f"docs/{place}"


def leads_to(link: str, folder: str, place: str) -> str:
    """The link on the page at ``place`` that means what ``link`` means in ``folder`` of the repository."""
    if re.match(r"[a-z]+:", link):
        return link
    meant = posixpath.normpath(posixpath.join(folder, link)) + ("/" if link.endswith("/") else "")
    if meant in LED:
        meant = LED[meant]
    elif meant.startswith("docs/"):
        meant = meant.removeprefix("docs/")
    else:
        return link
    return posixpath.relpath(meant, posixpath.dirname(place) or ".")


def on_post_build(config: Any) -> None:
    """Refuse a site that fetches something from elsewhere."""
    for path in sorted(Path(config.site_dir).rglob("*")):
        if path.suffix in (".html", ".css"):
            found = _FETCHED.search(path.read_text(encoding="utf-8"))
            if found:
                raise PluginError(f"{path.name} fetches something from elsewhere: {found[0]}")
