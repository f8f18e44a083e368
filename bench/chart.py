"""The chart of speeds as SVG: it needs no library, and is light or dark as the reader's system is.

Rows are readers, columns are styles of logs; all bars have one scale, and each has its figure beside it. The chart has
a background of its own, since a page need not follow the system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape

LABEL, COLUMN, BAR, ROW, TOP, MARGIN = 190, 142, 84, 24, 62, 14

_STYLE = """
  text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #24292f }
  .title { font-size: 15px; font-weight: 600 }
  .head { font-weight: 600 }
  .note, .value { fill: #57606a; font-size: 12px }
  .own text, text.own { font-weight: 600; fill: #0a58ca }
  rect { fill: #afb8c1 }
  .page { fill: #ffffff; stroke: #d0d7de }
  .own rect { fill: #0969da }
  line { stroke: #d0d7de }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .note, .value { fill: #9198a1 }
    .own text, text.own { fill: #6cb6ff }
    rect { fill: #6e7681 }
    .page { fill: #0d1117; stroke: #3d444d }
    .own rect { fill: #4493f8 }
    line { stroke: #3d444d }
  }
"""


def figure(value: float) -> str:
    """Two digits that count, and none that do not."""
    return f"{value:.1f}" if value >= 1 else f"{value:#.2g}"


def bars(title: str, note: str, styles: Sequence[str], speeds: Mapping[str, Mapping[str, float]]) -> str:
    """``speeds`` are GB/s by reader and style, from the top down; readers named ssift stand out."""
    width = LABEL + COLUMN * len(styles) + MARGIN
    height = TOP + ROW * len(speeds) + MARGIN
    top = max((value for row in speeds.values() for value in row.values()), default=1.0)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="page" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>',
        f'<text class="title" x="{MARGIN}" y="22">{escape(title)}</text>',
        f'<text class="note" x="{width - MARGIN}" y="22" text-anchor="end">{escape(note)}</text>',
    ]
    for place, style in enumerate(styles):
        x = LABEL + COLUMN * place
        lines.append(f'<text class="head" x="{x}" y="{TOP - 12}">{escape(style)}</text>')
        lines.append(f'<line x1="{x}" y1="{TOP - 4}" x2="{x}" y2="{height - MARGIN + 4}"/>')
    for place, (reader, row) in enumerate(speeds.items()):
        lines += _row(TOP + ROW * place, reader, row, styles, top)
    return "\n".join([*lines, "</svg>", ""])


def _row(y: int, reader: str, row: Mapping[str, float], styles: Sequence[str], top: float) -> Iterator[str]:
    yield '<g class="own">' if reader.startswith("ssift") else "<g>"
    yield f'<text x="{LABEL - 10}" y="{y + 16}" text-anchor="end">{escape(reader)}</text>'
    for place, style in enumerate(styles):
        x = LABEL + COLUMN * place
        if style in row:
            length = max(BAR * row[style] / top, 1.0)
            yield f'<rect x="{x}" y="{y + 4}" width="{length:.1f}" height="{ROW - 8}" rx="2"/>'
            yield f'<text class="value" x="{x + length + 6:.1f}" y="{y + 16}">{figure(row[style])}</text>'
        else:
            yield f'<text class="note" x="{x + 7}" y="{y + 16}">-</text>'
    yield "</g>"
