"""VCR cassettes, in YAML (needs PyYAML: ``pip install 'ssift[vcr]'``) or JSON. A cassette is held whole.

A body is ``response.body.string`` of an interaction (``base64_string``; ``response.content`` in older cassettes of
httpx). Cassettes have no arrival times.

YAML can say a lot in a few words. Here it says strings, bytes, lists and mappings alone: no number or time is made of a
text, keys are not merged. One body can stand for many (aliases), so that all together are bounded as those of a
compressed file are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ssift.contract import M_BODY, M_DAMAGED, M_FORMAT, M_MEMBERS, M_RATIO
from ssift.errors import ReadError
from ssift.sources.compression import FREE, MAX_RATIO
from ssift.sources.containers.body import Fault, Item, Pieces, whole
from ssift.sources.containers.exchanges import BadBody, answer, from_base64
from ssift.sources.containers.exchanges import at as problem_at
from ssift.sources.containers.listed import Entries, at

_YAML = re.compile(rb"\A(?:---[^\n]*\n|#[^\n]*\n|\s|version:[^\n]*\n)*(?:http_)?interactions:")
_JSON = re.compile(rb'"(http_)?interactions"\s*:\s*\[')
_SURROGATE = re.compile(r"(?<!\\)((?:\\\\)*)((?:\\u[dD][89a-fA-F][0-9a-fA-F]{2})+)")
_ENTRY = re.compile(r"^- ", re.MULTILINE)


def is_vcr(head: bytes) -> bool:
    """``interactions`` first in YAML, or in a JSON object; ``http_interactions`` as well."""
    return _YAML.match(head) is not None or (head.lstrip()[:1] == b"{" and _JSON.search(head) is not None)


def read(pieces: Pieces, name: str) -> Iterator[Item]:
    """The bodies of all interactions; the number of an interaction counts from 1.

    Raises:
        ReadError: PyYAML is not there.
    """
    data = whole(pieces)
    if not data.strip():
        return
    entries = Entries(data, "(?:http_)?interactions") if data.lstrip()[:1] == b"{" else _from_yaml(data, name)
    left = max(FREE, MAX_RATIO * len(data))
    for number, (entry, place) in enumerate(entries, 1):
        if entry is None:
            yield place
            continue
        response = at(entry, "response")
        if not isinstance(response, dict):
            yield problem_at(place, M_MEMBERS)
            continue
        try:
            body = _body(response)
        except BadBody:
            yield problem_at(place, M_BODY)
            continue
        left -= len(body)
        if left < 0:
            yield problem_at(place, M_RATIO)
            return
        yield from answer(number, body, _content_type(response), place)


def _body(response: dict[str, Any]) -> bytes | str:
    body = response.get("body", response.get("content"))
    if isinstance(body, dict):
        coded = body.get("base64_string")
        if isinstance(coded, str):
            return from_base64(coded)
        body = body.get("string")
    return body if isinstance(body, (bytes, str)) else ""


def _content_type(response: dict[str, Any]) -> str:
    headers = response.get("headers")
    if isinstance(headers, dict):
        for name, value in headers.items():
            if isinstance(name, str) and name.lower() == "content-type":
                first = value[0] if isinstance(value, list) and value else value
                return first if isinstance(first, str) else ""
    return ""


def _from_yaml(data: bytes, name: str) -> Iterator[tuple[Any, Fault]]:
    """As :class:`Entries`; YAML tells no places, so a problem of an entry is one of the whole file."""
    try:
        import yaml
    except ImportError as error:
        raise ReadError(
            f"{name or 'the input'}: a cassette in YAML is read with PyYAML: pip install 'ssift[vcr]'",
            name,
        ) from error
    loader = _plain_loader(yaml)
    text = data.decode("utf-8", "replace")
    everything = Fault(0, 0, len(data), 1)
    loaded, broken = _loaded(yaml, loader, text)
    if broken is not None and _SURROGATE.search(text):
        text = _SURROGATE.sub(_character, text)
        loaded, broken = _loaded(yaml, loader, text)
    if broken is not None:
        loaded = _before(yaml, loader, text, broken)
    lists = (at(loaded, key) for key in ("interactions", "http_interactions"))
    interactions = next((found for found in lists if isinstance(found, list)), None)
    if interactions is not None:
        for entry in interactions:
            yield (entry if entry is not None else {}), everything
    elif broken is None or not is_vcr(data):
        yield None, Fault(M_FORMAT, 0, len(data), 1)
        return
    if broken is not None:
        start = sum(len(line) + 1 for line in data.split(b"\n")[:broken])
        start = min(start, len(data))
        yield None, Fault(M_DAMAGED, start, len(data) - start, broken + 1)


def _plain_loader(yaml: Any) -> Any:
    """A safe loader that leaves plain texts as they are, whatever they look like; only null is None."""
    loader = type("PlainLoader", (getattr(yaml, "CSafeLoader", yaml.SafeLoader),), {"flatten_mapping": lambda *_: None})
    for kind in ("bool", "int", "float", "timestamp", "merge", "value"):
        loader.add_constructor(f"tag:yaml.org,2002:{kind}", yaml.SafeLoader.construct_yaml_str)  # type: ignore[attr-defined]
    return loader


def _loaded(yaml: Any, loader: Any, text: str) -> tuple[Any, int | None]:
    """What the text says, or None and the number of the line, from 0, that is broken."""
    try:
        return yaml.load(text, loader), None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        return None, mark.line if mark is not None else text.count("\n")


def _character(escapes: re.Match[str]) -> str:
    """What stands for escaped halves of a pair, which JSON allows in a string and YAML does not.

    Where the escapes are not YAML's own but those of a JSON text in it, a character means the same there.
    """
    halves: str = json.loads(f'"{escapes[2]}"')
    return str(escapes[1]) + halves.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _before(yaml: Any, loader: Any, text: str, line: int) -> Any:
    """What the entries before the broken one say."""
    lines = text.split("\n")
    starts = [number for number in range(min(line, len(lines) - 1), 0, -1) if _ENTRY.match(lines[number])]
    for start in starts[:2]:  # the error may be noticed at the next entry
        try:
            return yaml.load("\n".join(lines[:start]) + "\n", loader)
        except (yaml.YAMLError, RecursionError, ValueError):
            continue
    return None
