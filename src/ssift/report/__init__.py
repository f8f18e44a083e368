"""One page of HTML about a log: what was read, the figures in pictures, the answers a model was least sure of.

The flow: batches of a scan → ``gathering`` (figures that merge, the first problems, and in ``passages`` the tokens of
the least certain answers, all in bounded memory) → ``page``, which joins the sections. There is a file for each
section or two, and below them ``charts`` and ``bars`` (plain SVG and HTML), ``axes`` (scales and their ticks),
``shades`` (colours for probabilities, those of a terminal too) and ``markup``, through which every text of a log goes.
``page.css`` and ``page.js`` become part of the page, which needs no other file and no network.
"""

from ssift.report.gathering import TABLES, Gathering
from ssift.report.page import page

__all__ = ["TABLES", "Gathering", "page"]
