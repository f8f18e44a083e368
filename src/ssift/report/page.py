"""The document: sections in order, with style and script inside."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from ssift import __version__
from ssift.progress import size
from ssift.report.answers import answers
from ssift.report.certainty import logprobs, perplexities, positions
from ssift.report.endings import endings, models
from ssift.report.every import every_figure
from ssift.report.gathering import Gathering
from ssift.report.markup import safe
from ssift.report.overview import contents, overview, title
from ssift.report.problems import problems
from ssift.report.times import times


def page(gathered: Gathering, paths: Sequence[str]) -> str:
    """The document. The one script in it is let in by its hash: no other could run, whatever is in the log."""
    summary = gathered.summary
    figures = summary.to_dict()
    sections = [
        models(figures),
        logprobs(summary, figures),
        positions(summary),
        perplexities(summary, figures),
        times(gathered.latency, figures["responses"]),
        endings(figures),
        contents(figures),
        problems(figures, gathered.problems),
        answers([*gathered.passages]),
        every_figure(figures),
    ]
    script = _part("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    sources = f"{figures['sources']:,} {'source' if figures['sources'] == 1 else 'sources'}"
    read = f"{sources}, {size(figures['bytes'])}, read by the {safe(figures['engine'])} engine of ssift {__version__}"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'">
<title>ssift report: {title(paths)}</title>
<style>{_part("page.css")}</style>
</head>
<body>
<header>
<p class="mark">ssift report</p>
<h1>{title(paths)}</h1>
<p class="quiet">{read}</p>
{overview(figures)}</header>
<main>
{"".join(sections)}</main>
<script>{script}</script>
</body>
</html>
"""


def _part(name: str) -> str:
    return files("ssift.report").joinpath(name).read_text(encoding="utf-8")
