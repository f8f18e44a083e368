"""Two logs side by side: the same prompts through two models, servers, quantisations, or trainer and rollout.

Responses are paired, and the tokens of each pair are held side by side up to the first that differs: there the
contexts part, and nothing after it can be compared. With l_a, l_b the logprobs of an aligned token, r = l_b - l_a, and
n the aligned tokens with both:

=====================  ==========================================================================================
same_token_rate        aligned tokens / (aligned tokens + first differences)
ln_perplexity_ratio    ln(PPL_b / PPL_a) over aligned tokens, which is mean(-r)
delta_p, rms_delta_p   mean(p_b - p_a), sqrt(mean((p_b - p_a)²))
k1, k2, k3             mean(-r), mean(r² / 2), mean(e^r - r - 1): estimates of KL(a || b) from tokens that a drew
                       (Schulman, "Approximating KL Divergence", 2020); k3 is never negative and varies least
tis_weight             mean of min(e^r, c), and the share that was truncated (Yao et al. 2025)
ess                    (Σ e^r)² / Σ e^2r, effective sample size of the importance weights; ess_rate = ess / n
same_top               share of places where both lists have the same token at the top
kl_ab, kl_ba           mean over places of a lower bound of KL: the tokens that both list, and one bin for the rest
p_value                permutation test on the mean logprobs of pairs
=====================  ==========================================================================================

same_top, kl_ab and kl_ba take in the place of the first difference, too: the context is still the same there. KL over
bins is a lower bound by the data-processing inequality, and undefined (and counted apart) where no token is in both.
The test flips signs of the pairs' differences: all 2**n flips up to 12 pairs, else drawn ones from a seeded generator,
with p = (1 + flips at least as far from 0) / (1 + flips). Two-sided.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ssift.contract import Flags, Floats, Ints
from ssift.log import Log
from ssift.reading import read
from ssift.sources import Readable
from ssift.statistics import plain
from ssift.statistics.choices import over
from ssift.statistics.distribution import Distribution
from ssift.statistics.kernel import SENTINEL
from ssift.statistics.matching import Aligned, Match, Pairs, Side, Tops, Words, align, pair, side, texts, tops_of
from ssift.statistics.output import figures_json
from ssift.statistics.sums import exact_sum
from ssift.statistics.tables import table
from ssift.strings import Strings
from ssift.table import Table

TABLES = ("responses", "choices", "tokens", "top_logprobs")
"""The tables of a log that are compared."""

CAP = 2.0
"""Importance weights are truncated at this."""

FLIPS = 10_000
EXACT_PAIRS = 12
"""Up to so many pairs all flips are tried: they are fewer than FLIPS."""

SEED = 0

_ROUNDING = 1e-12  # what float64 may make of a sum that is the same, or of a rest that is 0, and more
_SIGNS_AT_ONCE = 1 << 22  # of pairs, in memory as float64


class Test(NamedTuple):
    """A permutation test: pairs, mean difference (b - a), p value, and whether all permutations were tried."""

    pairs: int
    mean_difference: float
    p_value: float
    exact: bool


class Comparison:
    """What :func:`compare` gives.

    Attributes:
        pairs: table with a row per pair: response_a, response_b, index, id, tokens_a, tokens_b, aligned, diverges
            (bool: both go on, differently), token_a, token_b (where they part, null elsewhere), logprob_a, logprob_b
            (of these), mean_logprob_a, mean_logprob_b (of the whole choice), difference (b - a).
        counts: matched_by, pairs, unmatched_a, unmatched_b, tokens_a, tokens_b, aligned, diverging (pairs), identical
            (pairs), by name; places in a and b that could not be read are ``problems_a`` and ``problems_b``.
        figures: the figures by name, see :mod:`ssift.statistics.comparison`.
        test: :class:`Test`.
        divergence: Distribution of the positions of first differences.
    """

    def __init__(
        self, pairs: Table, counts: dict[str, Any], figures: dict[str, float], test: Test, divergence: Distribution
    ) -> None:
        self.pairs = pairs
        self.counts = counts
        self.figures = figures
        self.test = test
        self.divergence = divergence

    def __getattr__(self, name: str) -> float:
        figures = self.__dict__.get("figures", {})
        if name in figures:
            return float(figures[name])
        raise AttributeError(f"a comparison has no figure {name!r}; it has {', '.join(figures)}")

    def to_dict(self) -> dict[str, Any]:
        """Counts, figures, the test and where first differences lie, by name; undefined figures are NaN."""
        return {
            **self.counts,
            **self.figures,
            "test": self.test._asdict(),
            "first_divergence": self.divergence.to_dict(),
        }

    def to_json(self, indent: int | None = None) -> str:
        """:meth:`to_dict` as JSON; NaN and infinities are null."""
        return figures_json(self.to_dict(), indent)

    def __repr__(self) -> str:
        return (
            f"<ssift.Comparison: {self.counts['pairs']:,} pairs by {self.counts['matched_by']}, "
            f"same_token_rate {self.figures['same_token_rate']:.4g}, kl_ab {self.figures['kl_ab']:.4g}, "
            f"p {self.test.p_value:.4g}>"
        )


def compare(
    a: Readable | Log,
    b: Readable | Log,
    *,
    match: Match = "auto",
    cap: float = CAP,
    seed: int = SEED,
    flips: int = FLIPS,
    **reading: Any,
) -> Comparison:
    """Hold two logs side by side; see :mod:`ssift.statistics.comparison` for the figures.

    Both logs are kept in memory. Sentinels (-9999 or less) and missing logprobs take no part.

    Args:
        a, b: as in :func:`ssift.read`, or Logs with responses, choices, tokens and top_logprobs.
        match: ``"id"``, ``"order"``, a mapping from ids to keys (such as prompts), or ``"auto"``: by id when the logs
            share one, else by order. ``counts["matched_by"]`` says what was done.
        cap: importance weights are truncated at this.
        seed, flips: of the permutation test.
        reading: further arguments for :func:`ssift.read`.

    Raises:
        ValueError: an argument is out of its range.
        TableError: a Log lacks one of these tables, or is a batch that does not hold all of a response.
    """
    if not cap > 0:
        raise ValueError(f"cap={cap}: a number above 0")
    if flips < 1:
        raise ValueError(f"flips={flips}: at least 1")
    if seed < 0:
        raise ValueError(f"seed={seed}: a whole number from 0 on")
    words = Words()
    sides = [side(one if isinstance(one, Log) else read(one, tables=TABLES, **reading), words) for one in (a, b)]
    left, right = sides
    pairs = pair(left, right, match)
    aligned = align(left, right, pairs)
    means = [_means(one, rows) for one, rows in ((left, pairs.a), (right, pairs.b))]
    with np.errstate(invalid="ignore"):  # of infinities
        difference = means[1] - means[0]
    places = _places(left, right, pairs, aligned)
    tops_a, tops_b = [
        tops_of(one, words.of(one.log.top_logprobs), rows, SENTINEL) for one, rows in zip(sides, places, strict=True)
    ]
    divergence = Distribution()
    divergence.add(aligned.length[aligned.differs].astype(np.float64))
    counts: dict[str, Any] = {
        "matched_by": pairs.matched_by,
        "pairs": len(pairs.a),
        "unmatched_a": pairs.unmatched_a,
        "unmatched_b": pairs.unmatched_b,
        "tokens_a": int(np.diff(left.offsets)[pairs.a].sum()),
        "tokens_b": int(np.diff(right.offsets)[pairs.b].sum()),
        "aligned": len(aligned.a),
        "diverging": int(np.count_nonzero(aligned.differs)),
        "identical": _identical(left, right, pairs, aligned),
        "problems_a": len(left.log.problems),
        "problems_b": len(right.log.problems),
    }
    met = counts["aligned"] + counts["diverging"]
    figures = {
        "same_token_rate": counts["aligned"] / met if met else math.nan,
        **token_figures(left.logprob[aligned.a], right.logprob[aligned.b], cap),
        **list_figures(tops_a, tops_b, len(places[0])),
    }
    table_of_pairs = _pairs_table(left, right, pairs, aligned, means, difference)
    return Comparison(table_of_pairs, counts, figures, permutation_test(difference, seed, flips), divergence)


def _identical(a: Side, b: Side, pairs: Pairs, aligned: Aligned) -> int:
    longest = np.maximum(np.diff(a.offsets)[pairs.a], np.diff(b.offsets)[pairs.b])
    return int(np.count_nonzero(aligned.length == longest))


def _means(one: Side, choices: Ints) -> Floats:
    """Mean logprob of each choice, NaN where there is none."""
    parts = [one.logprob[start:end] for start, end in zip(one.offsets[choices], one.offsets[choices + 1], strict=True)]
    parts = [part[part > SENTINEL] for part in parts]
    return over(
        np.array([exact_sum(part) for part in parts], np.float64), np.array([len(part) for part in parts], np.int64)
    )


def _places(a: Side, b: Side, pairs: Pairs, aligned: Aligned) -> tuple[Ints, Ints]:
    """The places of both sides whose contexts are the same: aligned tokens, and those where they part."""
    parts = np.flatnonzero(aligned.differs)
    ends = aligned.length[parts]
    return (
        np.concatenate([aligned.a, a.offsets[:-1][pairs.a[parts]] + ends]),
        np.concatenate([aligned.b, b.offsets[:-1][pairs.b[parts]] + ends]),
    )


# --------------------------------------------------------------------------------------------------- formulas


def token_figures(a: Floats, b: Floats, cap: float = CAP) -> dict[str, float]:
    """Figures of aligned tokens with logprobs a and b, each float64 of shape (n,); NaN and sentinels are left out."""
    both = (a > SENTINEL) & (b > SENTINEL)
    a, b = a[both], b[both]
    n = len(a)
    names = (
        "compared", "delta_p", "rms_delta_p", "ln_perplexity_ratio", "k1", "k2", "k3", "tis_weight",
        "truncated_rate", "ess", "ess_rate",
    )  # fmt: skip
    if not n:
        return {name: 0 if name == "compared" else math.nan for name in names}
    with np.errstate(over="ignore", invalid="ignore"):
        r = b - a
        weight = np.exp(r)
        k3 = np.expm1(r) - r
        squares = r**2
        relative = np.exp(r - r.max())  # a weight itself may be beyond the range, or 0
        effective = exact_sum(relative) ** 2 / exact_sum(relative**2)
    change = plain.exp(b) - plain.exp(a)
    ratio = exact_sum(-r) / n
    return dict(
        zip(
            names,
            (
                n,
                exact_sum(change) / n,
                math.sqrt(exact_sum(change**2) / n),
                ratio,
                ratio,
                exact_sum(squares) / (2 * n),
                exact_sum(k3) / n,
                exact_sum(np.minimum(weight, cap)) / n,
                float(np.mean(weight > cap)),
                effective,
                effective / n,
            ),
            strict=True,
        )
    )


def list_figures(a: Tops, b: Tops, places: int) -> dict[str, float]:
    """Figures of places where both sides list alternatives: same_top, kl_ab, kl_ba, and how many there are."""
    best_a, best_b = best_words(a, places), best_words(b, places)
    listed = (best_a >= 0) & (best_b >= 0)
    forth, back = kl_bounds(a, b, places)
    told = int(np.count_nonzero(~np.isnan(forth)))
    return {
        "listed": int(np.count_nonzero(listed)),
        "same_top": float(np.mean(best_a[listed] == best_b[listed])) if listed.any() else math.nan,
        "kl_places": told,
        "kl_ab": exact_sum(forth[~np.isnan(forth)]) / told if told else math.nan,
        "kl_ba": exact_sum(back[~np.isnan(back)]) / told if told else math.nan,
    }


def best_words(tops: Tops, places: int) -> Ints:
    """The word with the highest logprob at each place, the one with the smaller number of equals; -1 where none is."""
    found = np.full(places, -1, np.int64)
    order = np.lexsort((-tops.word, tops.logprob, tops.place))
    found[tops.place[order]] = tops.word[order]  # the last of a place stays: the highest
    return found


def kl_bounds(a: Tops, b: Tops, places: int) -> tuple[Floats, Floats]:
    """Lower bounds of KL(a || b) and KL(b || a) at each place, shape (places,); NaN where no word is in both lists."""
    width = int(max(a.word.max(initial=0), b.word.max(initial=0))) + 1
    _, in_a, in_b = np.intersect1d(a.place * width + a.word, b.place * width + b.word, True, return_indices=True)
    place = a.place[in_a]
    log_p, log_q = np.minimum(a.logprob[in_a], 0.0), np.minimum(b.logprob[in_b], 0.0)
    p, q = plain.exp(log_p), plain.exp(log_q)
    rest_p, rest_q = (np.ones(places) - np.bincount(place, weights=mass, minlength=places) for mass in (p, q))
    order = np.lexsort((p, place))
    likeliest = np.full(places, -1, np.int64)
    likeliest[place[order]] = order
    forth = _kl_bound(p, log_p, rest_p, q, log_q, rest_q, place, likeliest)
    back = _kl_bound(q, log_q, rest_q, p, log_p, rest_p, place, likeliest)
    return forth, back


def _kl_bound(
    p: Floats, log_p: Floats, rest_p: Floats, q: Floats, log_q: Floats, rest_q: Floats, place: Ints, likeliest: Ints
) -> Floats:
    """The bound of KL(p || q): over common tokens, each at its place, and the rest of each place."""
    common = likeliest >= 0
    # Where rounding has eaten up the rest of q alone no bin is made of it: both rests go to the likeliest common
    # token, which is still a lower bound. A rest of p of 0 adds 0 whatever that of q is.
    eaten = (rest_q <= _ROUNDING) & (rest_p > _ROUNDING)
    into = likeliest[common & eaten]
    p, log_p, q, log_q = p.copy(), log_p.copy(), q.copy(), log_q.copy()
    for mass, log, rest in ((p, log_p, rest_p), (q, log_q, rest_q)):
        mass[into] += np.maximum(rest[place[into]], 0)
        moved = into[mass[into] > 0]
        log[moved] = np.log(mass[moved])
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * (log_p - log_q), 0.0)  # of logprobs: exp(-1000) is 0
        of_rest = np.where((rest_p > 0) & (rest_q > _ROUNDING), rest_p * np.log(rest_p / rest_q), 0.0)
    bound = np.bincount(place, weights=terms, minlength=len(rest_p)) + of_rest
    return np.where(common, np.maximum(bound, 0.0), np.nan)


def permutation_test(difference: Floats, seed: int = SEED, flips: int = FLIPS) -> Test:
    """Whether pairs differ by chance alone: differences of shape (n,), NaN left out. NaN for no pairs."""
    values = difference[~np.isnan(difference)]
    n = len(values)
    if not n:
        return Test(0, math.nan, math.nan, False)
    total, slack = exact_sum(values), _ROUNDING * exact_sum(np.abs(values))
    mean = total / n
    if not math.isfinite(slack):
        return Test(n, mean, math.nan, False)
    limit = abs(total) - slack  # a flip that changes nothing but the rounding counts
    if n <= EXACT_PAIRS:
        signs = 1.0 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        return Test(n, mean, float(np.mean(np.abs(signs @ values) >= limit)), True)
    generator = np.random.default_rng(seed)
    reached = 0
    step = max(1, _SIGNS_AT_ONCE // n)
    for start in range(0, flips, step):
        bits = generator.integers(0, 2, (min(step, flips - start), n), np.int8)
        reached += int(np.count_nonzero(np.abs((1.0 - 2.0 * bits) @ values) >= limit))
    return Test(n, mean, (1 + reached) / (1 + flips), False)


# ------------------------------------------------------------------------------------------------------ output


def _pairs_table(a: Side, b: Side, pairs: Pairs, aligned: Aligned, means: list[Floats], difference: Floats) -> Table:
    parts = aligned.differs
    columns: dict[str, Any] = {}
    for name, one, rows in (("a", a, pairs.a), ("b", b, pairs.b)):
        place = one.offsets[:-1][rows] + aligned.length
        columns[f"token_{name}"] = _spread(texts(one, place[parts]), parts)
        columns[f"logprob_{name}"] = np.full(len(parts), np.nan)
        columns[f"logprob_{name}"][parts] = one.logprob[place[parts]]
    return table(
        "pairs",
        response_a=a.response[pairs.a],
        response_b=b.response[pairs.b],
        index=a.index[pairs.a],
        id=Strings.of([a.id[row] for row in pairs.a.tolist()]),
        tokens_a=np.diff(a.offsets)[pairs.a],
        tokens_b=np.diff(b.offsets)[pairs.b],
        aligned=aligned.length,
        diverges=parts,
        **columns,
        mean_logprob_a=means[0],
        mean_logprob_b=means[1],
        difference=difference,
    )


def _spread(found: Strings, where: Flags) -> Strings:
    """The rows at the places that are True, null elsewhere."""
    rows = iter(found.to_pylist())
    return Strings.of([next(rows) if one else None for one in where.tolist()], nullable=True)
