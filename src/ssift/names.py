"""Numbers of sources and their names."""

from __future__ import annotations


class Names:
    """The numbers of sources, and their names as long as some batch may speak of them."""

    def __init__(self) -> None:
        self.by_number: dict[int, str] = {}
        self.latest = -1

    def add(self, name: str) -> int:
        """The number of a new source."""
        self.latest += 1
        self.by_number[self.latest] = name
        return self.latest

    def keep(self, *numbers: int) -> None:
        """Forget all names but those of ``numbers`` and of the latest source."""
        kept = (*numbers, self.latest)
        self.by_number = {number: name for number, name in self.by_number.items() if number in kept}
