"""``ssift compare``: two logs side by side."""

from __future__ import annotations

import argparse
import math
import sys
from typing import TYPE_CHECKING, Any

from ssift.cli.arguments import command, named_number, positive, reading, word_or_keys
from ssift.cli.figures import share
from ssift.cli.status import FOUND, OK
from ssift.cli.terminal import Terminal
from ssift.errors import SsiftError
from ssift.printable import number, printable, shortened

if TYPE_CHECKING:
    from ssift.cli.arguments import Commands
    from ssift.statistics import Comparison

_SHOWN = 8  # pairs that part first
_SHORT = {"kl": "kl_ab"}  # as people write it


def add_to(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "compare",
        "two logs side by side",
        "Pairs the responses of two logs and holds their tokens side by side up to the first that differs: same "
        "tokens, KL, changes of probability, importance weights, and a permutation test on mean logprobs. Give two "
        "paths; each may be a file, a folder or a quoted pattern.",
        run,
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output, nothing else")
    parser.add_argument(
        "--match",
        default="auto",
        metavar="HOW",
        help="how responses are paired: id, order, auto (by id when the logs share one, else by order; the default), "
        "or a CSV file that gives each id a key such as its prompt",
    )
    parser.add_argument("--cap", type=float, default=2.0, help="importance weights are truncated at this; default: 2")
    parser.add_argument("--seed", type=int, default=0, help="of the permutation test; default: 0")
    parser.add_argument("--flips", type=positive, default=10_000, help="permutations drawn; default: 10000")
    for name, sign in (("above", "larger"), ("below", "smaller")):
        parser.add_argument(
            f"--fail-{name}",
            action="append",
            type=named_number,
            default=[],
            metavar="NAME=NUMBER",
            help=f"exit with status 1 when a figure is {sign} or undefined, as in kl=0.01; may be given again",
        )


def run(arguments: argparse.Namespace) -> int:
    """Read both, then print."""
    from ssift.statistics import compare

    if len(arguments.paths) != 2:
        raise SsiftError(f"compare needs two paths, not {len(arguments.paths)}; quote a pattern, or name a folder")
    if arguments.paths == ["-", "-"]:
        raise SsiftError("standard input can be one of the two logs, not both")
    match = word_or_keys("--match", arguments.match, ("auto", "id", "order"))
    try:
        comparison = compare(
            *arguments.paths,
            match=match,
            cap=arguments.cap,
            seed=arguments.seed,
            flips=arguments.flips,
            progress=not arguments.no_progress,
            **reading(arguments),
        )
    except ValueError as error:
        raise SsiftError(str(error)) from error
    passed = _passed(comparison, arguments)
    terminal = Terminal()
    if arguments.json:
        terminal.line(comparison.to_json())
    else:
        show(comparison, terminal)
        for line in passed:
            terminal.line()
            terminal.line(terminal.style(line, "red"))
    _tell_problems(comparison.counts["problems_a"] + comparison.counts["problems_b"])
    return FOUND if passed else OK


def _tell_problems(count: int) -> None:
    """On standard error, so that it is in nobody's way."""
    if count:
        sys.stdout.flush()
        places = "place" if count == 1 else "places"
        print(f"ssift: {count:,} {places} could not be read; ssift check shows them", file=sys.stderr)


def _passed(comparison: Comparison, arguments: argparse.Namespace) -> list[str]:
    """Which limits were passed, in words."""
    figures = {**comparison.figures, "p_value": comparison.test.p_value}
    found = []
    for limits, word, passes in (
        (arguments.fail_above, "above", float.__gt__),
        (arguments.fail_below, "below", float.__lt__),
    ):
        for given, limit in limits:
            name = _SHORT.get(given, given)
            if name not in figures:
                raise SsiftError(f"there is no figure {given!r}; there are {', '.join(figures)}")
            value = float(figures[name])
            if math.isnan(value):
                found.append(f"{name} is undefined, so it cannot be told whether it is {word} {limit:g}")
            elif passes(value, limit):
                found.append(f"{name} is {value:.6g}, {word} {limit:g}")
    return found


def show(comparison: Comparison, terminal: Terminal) -> None:
    """Print a comparison for people."""
    figures: dict[str, Any] = comparison.to_dict()
    title = f"{figures['pairs']:,} {'pair' if figures['pairs'] == 1 else 'pairs'} by {figures['matched_by']}"
    alone = f"without a partner: {figures['unmatched_a']:,} of a, {figures['unmatched_b']:,} of b"
    terminal.line(f"{terminal.style(title, 'bold')}, {alone}")
    terminal.heading("Tokens, up to the first that differs")
    terminal.rows(
        [
            ("tokens", f"{figures['tokens_a']:,}", f"of a; {figures['tokens_b']:,} of b"),
            ("the same", f"{figures['aligned']:,}", ""),
            ("same-token rate", share(figures["same_token_rate"]), "of the places where contexts are the same"),
            ("identical pairs", f"{figures['identical']:,}", ""),
            ("diverging pairs", f"{figures['diverging']:,}", _where(figures["first_divergence"])),
        ]
    )
    terminal.heading(f"Logprobs of {figures['compared']:,} same tokens (b against a)")
    terminal.rows(
        [
            ("mean change of p", number(figures["delta_p"]), ""),
            ("RMS change of p", number(figures["rms_delta_p"]), ""),
            ("ln perplexity ratio", number(figures["ln_perplexity_ratio"]), "above 0: b is less sure; equals k1"),
            ("k3", number(figures["k3"]), "estimates KL(a || b) from the tokens"),
            ("mean weight", number(figures["tis_weight"]), f"{share(figures['truncated_rate'])} truncated"),
            ("effective sample", share(figures["ess_rate"]), f"{figures['ess']:,.1f} tokens"),
        ]
    )
    terminal.heading(f"Distributions of {figures['listed']:,} places with alternatives in both")
    terminal.rows(
        [
            ("same top token", share(figures["same_top"]), ""),
            ("KL(a || b)", number(figures["kl_ab"]), f"lower bound, nats, {figures['kl_places']:,} places"),
            ("KL(b || a)", number(figures["kl_ba"]), "lower bound"),
        ]
    )
    test = comparison.test
    terminal.heading("Mean logprobs of pairs")
    how = "all flips of signs" if test.exact else "drawn flips of signs"
    terminal.rows(
        [
            ("pairs", f"{test.pairs:,}", ""),
            ("mean difference", number(test.mean_difference), "b - a"),
            ("p value", number(test.p_value, 4), f"permutation test, {how}, two-sided"),
        ]
    )
    _show_parting(comparison, terminal)


def _where(found: dict[str, float]) -> str:
    if not found["count"]:
        return ""
    return f"at token {number(found['p50'], 4)} in the median, {number(found['min'])} at the earliest"


def _show_parting(comparison: Comparison, terminal: Terminal) -> None:
    """The pairs that part first."""
    rows = sorted((row for row in comparison.pairs.rows() if row["diverges"]), key=lambda row: int(row["aligned"]))
    if not rows:
        return
    terminal.heading("Where pairs part")
    for row in rows[:_SHOWN]:
        words = [shortened(repr(printable(row[f"token_{one}"] or "")), 24) for one in "ab"]
        name = shortened(printable(row["id"]) or f"response {row['response_a']}", 32)
        terminal.line(f"  {name}, choice {row['index']}: token {row['aligned']:,}, {words[0]} against {words[1]}")
    if len(rows) > _SHOWN:
        terminal.line(f"  and {len(rows) - _SHOWN:,} more")
