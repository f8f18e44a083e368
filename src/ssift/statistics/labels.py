"""What files say of responses by their ids: labels, whether an answer was right, and keys, what it answers to."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ssift.errors import ReadError
from ssift.extras import need

Labels: TypeAlias = Mapping[str, Any] | str | os.PathLike[str]

_RIGHT = {"1", "1.0", "true", "t", "yes", "y", "right", "correct"}
_WRONG = {"0", "0.0", "false", "f", "no", "n", "wrong", "incorrect"}
_VERDICTS = {"right", "wrong", "correct", "incorrect"}
_LABEL_COLUMNS = ("label", "right", "correct", "is_correct")


# ------------------------------------------------------------------------------------------------------ labels


def read_labels(labels: Labels) -> dict[str, bool]:
    """Labels by id, from a mapping, a CSV file with a header, or a Parquet file.

    The column of ids is called ``id``, else it is the first; that of labels ``label``, ``right``, ``correct`` or
    ``is_correct``, else it is the second. A label is true, 1, yes, right, correct, or the opposite; an id whose label
    is blank (null, NaN) has none.

    Raises:
        ReadError: the file cannot be read, has not two columns, no header, or labels in its first column and no ``id``.
        MissingError: it is a Parquet file and pyarrow is not installed.
        ValueError: a label is none of these words, or an id has two labels.
    """
    if isinstance(labels, Mapping):
        return {str(name): _is_right(value, str(name)) for name, value in labels.items() if not _is_blank(value)}
    path = Path(labels)
    names, rows = _parquet(path) if path.suffix.lower() in (".parquet", ".pq") else _csv(path)
    if len(names) < 2:
        raise ReadError(
            f"{path}: labels need two columns, id and label, with a comma between, not {', '.join(names) or 'none'}",
            str(path),
        )
    lower = [name.strip().lower() for name in names]
    of_id = lower.index("id") if "id" in lower else 0
    of_label = next((lower.index(name) for name in _LABEL_COLUMNS if name in lower), 1 if of_id == 0 else 0)
    if of_id == of_label:
        raise ReadError(f"{path}: which column has the ids? call it id; its columns are {', '.join(names)}", str(path))
    if "id" not in lower and _is_no_name(lower[of_label], [row[of_label] for row in rows]):
        line = ",".join(names)
        raise ReadError(
            f"{path}: no header: its first line looks like a label ({line}); write id,label above", str(path)
        )
    found: dict[str, bool] = {}
    for row in rows:
        name = str(row[of_id])
        if _is_blank(row[of_label]):
            continue
        try:
            right = _is_right(row[of_label], name)
        except ValueError as error:
            raise ValueError(
                f"{path}: {error}; taken from the column {names[of_label]}, ids from {names[of_id]}: "
                "a column called label goes before all others"
            ) from error
        if found.setdefault(name, right) != right:
            raise ValueError(f"{path}: {name} is both right and wrong")
    return found


def _is_no_name(name: str, labels: list[Any]) -> bool:
    """Whether what stands in the place of a column's name is a label; ``right`` and ``correct`` may be either."""
    words = {str(label).strip().lower() for label in labels}
    return name in _RIGHT | _WRONG and (name not in _LABEL_COLUMNS or not words.isdisjoint(_VERDICTS))


def _is_blank(label: Any) -> bool:
    """Whether a cell is empty: nobody has judged the answer."""
    return label is None or label != label or (isinstance(label, str) and not label.strip())


def _is_right(value: Any, name: str) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    word = str(value).strip().lower()
    if word in _RIGHT or word in _WRONG:
        return word in _RIGHT
    raise ValueError(f"the label of {name} is {value!r}: write 1 or 0, true or false, right or wrong")


# -------------------------------------------------------------------------------------------------------- keys


def read_keys(path: str) -> dict[str, str]:
    """Keys by id, from a CSV file: the first column is the id, the second the key.

    A header, if there is one, is read like the other rows: it is the key of an id that no response has.

    Raises:
        ReadError: it cannot be read, a row has not two columns, or an id has two keys.
    """
    found: dict[str, str] = {}
    for number, row in enumerate(_csv_rows(Path(path)), 1):
        if len(row) < 2:
            raise ReadError(f"{path}: row {number} has one column; keys need two, id and key", path)
        if found.setdefault(row[0], row[1]) != row[1]:
            raise ReadError(f"{path}: row {number} gives {row[0]} the key {row[1]}, but it has {found[row[0]]}", path)
    return found


# ------------------------------------------------------------------------------------------------------- files


def _csv(path: Path) -> tuple[list[str], list[Sequence[Any]]]:
    rows = _csv_rows(path)
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ReadError(f"{path}: row {number + 1} has {len(row)}, the header {len(rows[0])} columns", str(path))
    return (rows[0], list(rows[1:])) if rows else ([], [])


def _csv_rows(path: Path) -> list[list[str]]:
    """All rows that are not blank. A cell may be as long as a prompt is, beyond what ``csv`` reads by default."""
    limit = csv.field_size_limit()
    try:
        text = path.read_bytes().decode("utf-8-sig")
        csv.field_size_limit(max(limit, len(text)))
        return [row for row in csv.reader(io.StringIO(text, newline="")) if len(row) > 1 or "".join(row).strip()]
    except UnicodeDecodeError as error:
        wrong = f"byte {error.object[error.start]:#04x} at offset {error.start}"
        raise ReadError(f"{path}: not UTF-8 ({wrong}); save it as UTF-8", str(path)) from error
    except (OSError, csv.Error) as error:
        raise ReadError(f"{path}: {getattr(error, 'strerror', None) or error}", str(path)) from error
    finally:
        csv.field_size_limit(limit)


def _parquet(path: Path) -> tuple[list[str], list[Sequence[Any]]]:
    pyarrow, parquet = need("pyarrow", "arrow"), need("pyarrow.parquet", "arrow")
    try:
        found = parquet.read_table(path)
    except (OSError, pyarrow.ArrowException) as error:
        raise ReadError(f"{path}: {error}", str(path)) from error
    return list(found.column_names), list(zip(*(column.to_pylist() for column in found.columns), strict=True))
