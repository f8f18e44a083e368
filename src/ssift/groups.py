"""Rows of a column gathered by response or choice: values and offsets, as ragged arrays are kept everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ssift.arrow import read_only
from ssift.contract import Ints
from ssift.errors import row_at
from ssift.strings import Ragged


@dataclass(frozen=True, eq=False)
class Groups:
    """Values of group i are ``values[offsets[i]:offsets[i + 1]]``; ``values, offsets = groups`` takes it apart.

    ``torch.nested.nested_tensor_from_jagged(torch.tensor(values), torch.tensor(offsets))`` is a tensor of it.
    The arrays cannot be written to, as columns cannot.

    Attributes:
        values: the column, rows of a group together and in their order. A numpy array, or Strings or Binaries; the
            column's own buffer where its rows lie in that order already.
        offsets: int64, shape (groups + 1,), from 0.
        keys: what each group is of: ``response`` and, by choice, ``index``; each int64, shape (groups,).
    """

    values: Any
    offsets: Ints
    keys: Mapping[str, Ints]

    def __post_init__(self) -> None:
        if isinstance(self.values, np.ndarray):
            object.__setattr__(self, "values", read_only(self.values))
        object.__setattr__(self, "offsets", read_only(self.offsets))
        object.__setattr__(self, "keys", {name: read_only(key) for name, key in self.keys.items()})

    def __iter__(self) -> Iterator[Any]:
        return iter((self.values, self.offsets))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, group: int) -> Any:
        """The values of one group."""
        place = row_at(group, len(self), type(self).__name__)
        return self.values[self.offsets[place] : self.offsets[place + 1]]


def by_response(values: Any, response: Ints, numbers: range) -> Groups:
    """One group for each of ``numbers``, empty ones too; ``response`` holds the number of every row."""
    values, response = _together(values, (response,))
    offsets = np.zeros(len(numbers) + 1, np.int64)
    np.cumsum(np.bincount(response - numbers.start, minlength=len(numbers)), out=offsets[1:])
    return Groups(values, offsets, {"response": np.arange(numbers.start, numbers.stop, dtype=np.int64)})


def by_choice(values: Any, response: Ints, index: Ints) -> Groups:
    """One group for each (response, index) that occurs, in ascending order."""
    values, response, index = _together(values, (response, index))
    is_first = np.ones(len(response), np.bool_)
    is_first[1:] = (response[1:] != response[:-1]) | (index[1:] != index[:-1])
    starts = np.flatnonzero(is_first).astype(np.int64)
    offsets = np.append(starts, np.int64(len(response)))
    return Groups(values, offsets, {"response": response[starts], "index": index[starts]})


def _together(values: Any, keys: tuple[Ints, ...]) -> tuple[Any, ...]:
    """Values and keys in ascending order of the keys, rows of equal keys as they came."""
    order = np.lexsort(keys[::-1])
    if bool((order[1:] > order[:-1]).all()):
        return values, *keys
    return values.take(order) if isinstance(values, Ragged) else values[order], *(key[order] for key in keys)
