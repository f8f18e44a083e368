"""The native engine (ext/_native.pyx): same contract and same results as :class:`ssift.python.engine.PythonEngine`."""

from typing import Any

from ssift.contract import Batch, Floats, Ints, SourceCounts

def arrow_callbacks() -> dict[str, int]: ...

class NativeEngine:
    def __init__(
        self, tables: frozenset[str], group: str, event_bytes: int, depth: int, open_responses: int
    ) -> None: ...
    def begin(self, source: int, framing: str, offset: int = 0) -> None: ...
    def resume(self, source: int, framing: str, offset: int) -> None: ...
    @property
    def settled(self) -> bool: ...
    @property
    def line(self) -> int: ...
    @property
    def response_count(self) -> int: ...
    def feed(self, piece: Any) -> None: ...
    def problem(self, kind: int, offset: int, length: int, line: int, message: int) -> None: ...
    def end(self) -> SourceCounts: ...
    def take(self) -> Batch: ...
    @property
    def counts(self) -> SourceCounts: ...
    @property
    def problem_count(self) -> int: ...

class Figures:
    """The passes of :class:`ssift.statistics.kernel.Kernel`, as plain tuples."""

    def listed(
        self,
        logprob: Floats,
        token: Any,
        starts: Ints,
        first: int,
        top_logprob: Floats,
        top_token: Any,
        floor: float,
        lean: bool,
    ) -> tuple[Any, ...]: ...
    def tally(self, values: Floats, floor: float) -> tuple[Any, ...]: ...
    def profile(
        self,
        offsets: Ints,
        logprob: Floats,
        entropy: Floats,
        confidence: Floats,
        window: int,
        share: float,
        floor: float,
        limit: float,
    ) -> tuple[Any, ...]: ...
