"""Calibration against scikit-learn, plain loops and answers by hand."""

from __future__ import annotations

import csv
import json
import math
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ssift
from ssift.extras import MissingError
from ssift.statistics import Calibration, calibrate, read_labels
from ssift.statistics.calibration import aurc, auroc, brier, ece, risk_coverage
from ssift.statistics.labels import read_keys
from tests.need import need_module
from tests.statistics.making import log, plain, response

answers = st.lists(
    st.tuples(st.floats(0, 1) | st.sampled_from([0.0, 0.05, 0.5, 0.95, 1.0]), st.booleans()), max_size=60
)


def columns(rows: list[tuple[float, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([score for score, _ in rows], np.float64), np.array([right for _, right in rows], np.bool_)


def plain_ece(rows: list[tuple[float, bool]]) -> float:
    bins: dict[int, list[tuple[float, bool]]] = {}
    for score, right in rows:
        bins.setdefault(min(int(score * 20), 19), []).append((score, right))
    gaps = [
        len(b) * abs(sum(right for _, right in b) / len(b) - sum(score for score, _ in b) / len(b))
        for b in bins.values()
    ]
    return sum(gaps) / len(rows)


@given(answers)
def test_ece_is_that_of_a_plain_loop(rows) -> None:
    if rows:
        assert ece(*columns(rows)) == pytest.approx(plain_ece(rows), abs=1e-12)
    else:
        assert math.isnan(ece(*columns(rows)))


@given(answers)
def test_brier_and_auroc_are_those_of_scikit_learn(rows) -> None:
    metrics = need_module("sklearn.metrics")
    scores, right = columns(rows)
    if len(set(right.tolist())) < 2:
        assert math.isnan(auroc(scores, right))
        return
    assert auroc(scores, right) == pytest.approx(metrics.roc_auc_score(right, scores), abs=1e-12)
    assert brier(scores, right) == pytest.approx(metrics.brier_score_loss(right, scores), abs=1e-12)


def test_risk_and_coverage_by_hand() -> None:
    scores, right = columns([(0.9, True), (0.8, False), (0.8, True), (0.1, False)])
    coverage, risk = risk_coverage(scores, right)
    assert coverage.tolist() == [0.25, 0.75, 1.0]
    assert risk.tolist() == [0.0, pytest.approx(1 / 3), 0.5]
    assert aurc(scores, right) == pytest.approx((0 + 0.5 / 2 + 1 / 3 + 0.5) / 4)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30, unique_by=lambda row: row[0]))
def test_aurc_is_the_mean_of_the_curve_where_no_scores_are_equal(rows) -> None:
    scores, right = columns(rows)
    best = sorted(rows, reverse=True)
    risks = [sum(not right for _, right in best[:k]) / k for k in range(1, len(best) + 1)]
    assert aurc(scores, right) == pytest.approx(sum(risks) / len(risks), abs=1e-12)
    assert risk_coverage(scores, right)[1].tolist() == pytest.approx(risks)


def test_scores_that_are_no_probabilities() -> None:
    found = Calibration(np.array([3.0, 9.0, math.nan]), np.array([False, True, True]), score="mean_confidence")
    assert math.isnan(found.ece)
    assert math.isnan(found.brier)
    assert (found.auroc, found.count, found.undefined) == (1.0, 2, 1)
    with pytest.raises(ValueError, match="no probability"):
        found.reliability()


def test_the_reliability_table() -> None:
    found = Calibration(np.array([0.0, 0.04, 0.05, 1.0]), np.array([False, True, True, True])).reliability()
    assert len(found) == 20
    assert found["count"].tolist() == [2, 1, *[0] * 17, 1]
    assert found["accuracy"][:2].tolist() == [0.5, 1.0]
    assert found["mean_score"][0] == 0.02
    assert math.isnan(found["accuracy"][5])


def test_the_diagram_is_a_picture() -> None:
    picture = Calibration(np.array([0.1, 0.9]), np.array([False, True])).diagram()
    root = ElementTree.fromstring(picture)
    bars = [one for one in root.iter() if one.get("class") == "bar"]
    assert len(bars) == 2
    assert "100.0% right" in "".join(root.itertext())
    assert "nan" not in picture.lower()
    assert ElementTree.fromstring(Calibration(np.zeros(0), np.zeros(0, np.bool_)).diagram()) is not None


LOG = response(plain(-0.5, -1.5), "a") + response(plain(-0.1), "b") + response(plain(None), "c") + response([], "d")


@pytest.mark.parametrize(
    ("score", "values"),
    [
        ("mean_probability", [math.exp(-1.0), math.exp(-0.1)]),
        ("joint_probability", [math.exp(-2.0), math.exp(-0.1)]),
        ("min_probability", [math.exp(-1.5), math.exp(-0.1)]),
    ],
)
def test_scores_of_answers(score: str, values: list[float], engine: str) -> None:
    labels = {"a": 0, "b": "right", "c": True, "x": False}
    found = calibrate(LOG, labels, score=score, engine=engine)
    assert found.scores.tolist() == pytest.approx(values)
    assert found.right.tolist() == [False, True]
    assert (found.count, found.unlabelled, found.unused, found.undefined) == (2, 1, 1, 1)
    assert found.to_dict()["auroc"] == 1.0
    assert calibrate(log(LOG, engine=engine), labels, score=score).to_dict() == found.to_dict()


def test_batches_give_the_same(engine: str) -> None:
    labels = {"a": 0, "b": 1}
    parts = calibrate(LOG, labels, engine=engine, batch_size=200)
    assert str(parts.to_dict()) == str(calibrate(LOG, labels, engine=engine).to_dict())


def test_positive_logprobs_are_certain() -> None:
    assert calibrate(response(plain(0.03125), "a"), {"a": 1}).scores.tolist() == [1.0]


def test_confidence_as_a_score() -> None:
    data = response([("a", -0.5, [("a", -0.5), ("b", -2.5)])], "a")
    assert calibrate(data, {"a": 1}, score="mean_confidence").scores.tolist() == [1.5]
    assert calibrate(data, {"a": 1}, score="lowest_group_confidence").scores.tolist() == [1.5]
    with pytest.raises(ValueError, match="score="):
        calibrate(data, {"a": 1}, score="perplexity")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("id,label\na,1\nb,0\n", {"a": True, "b": False}),
        ("correct,id\nyes,a\nNo,b\n", {"a": True, "b": False}),
        ("name,judged\na,true\n\nb,FALSE\n", {"a": True, "b": False}),
        ('\ufeffid,note,label\n"a,1","x",right\n', {"a,1": True}),
        ("id,label\n", {}),
        ("response,right\na,true\nb,0\n", {"a": True, "b": False}),
        ("id,yes\na,1\n", {"a": True}),
        ("id,label\na,\nb, \nc,1\n", {"c": True}),
        ("id,label\na,1\n  \nb,0\n", {"a": True, "b": False}),
    ],
)
def test_labels_in_csv(tmp_path: Path, text: str, labels: dict[str, bool]) -> None:
    (tmp_path / "labels.csv").write_text(text, encoding="utf-8")
    assert read_labels(tmp_path / "labels.csv") == labels


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,label\na,maybe\n", "label of a is 'maybe'"),
        ("id,label\na,1\na,0\n", "both right and wrong"),
        ("id\na\n", "two columns"),
        ("", "two columns"),
        ("wrong,a\nright,b\n", "label of right"),
        ("id,label\na\n", "row 2 has 1, the header 2 columns"),
        ("a,yes\nb,no\n", r"no header: its first line looks like a label \(a,yes\)"),
        ("a,0\n", "no header"),
        ("a,right\nb,wrong\n", "no header"),
        ("label,response\n1,a\n0,b\n", "which column has the ids.* label, response"),
        ("question,verdict,id\nwhy,yes,a\n", "label of a is 'why'.* from the column question, ids from id"),
    ],
)
def test_labels_that_cannot_be(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "labels.csv").write_text(text)
    with pytest.raises((ValueError, ssift.ReadError), match=message):
        read_labels(tmp_path / "labels.csv")
    with pytest.raises(ssift.ReadError, match="No such file"):
        read_labels(tmp_path / "none.csv")


def test_labels_that_are_no_utf8(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_bytes(b"id,label\n" + b"a,1\n" * 5000 + b"\xe9,1\n")
    with pytest.raises(
        ssift.ReadError, match=r"labels\.csv: not UTF-8 \(byte 0xe9 at offset 20009\); save it as UTF-8"
    ):
        read_labels(tmp_path / "labels.csv")


def test_a_label_that_cannot_be_is_told_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("id,label\na,maybe\n")
    with pytest.raises(ValueError, match=r"labels\.csv: the label of a"):
        read_labels(tmp_path / "labels.csv")


def test_parquet_without_pyarrow_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingError, match=r"ssift\[arrow\]"):
        read_labels(tmp_path / "labels.parquet")


def test_labels_in_parquet(tmp_path: Path) -> None:
    pyarrow = need_module("pyarrow")
    parquet = need_module("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"id": ["a", "b"], "right": [True, False]}), tmp_path / "labels.parquet")
    assert read_labels(str(tmp_path / "labels.parquet")) == {"a": True, "b": False}
    (tmp_path / "bad.parquet").write_bytes(b"no")
    with pytest.raises(ssift.ReadError, match=r"bad\.parquet"):
        read_labels(tmp_path / "bad.parquet")
    (tmp_path / "labels.parquet").rename(tmp_path / "LABELS.PARQUET")
    assert read_labels(tmp_path / "LABELS.PARQUET") == {"a": True, "b": False}


def test_keys_may_be_as_long_as_prompts(tmp_path: Path) -> None:
    prompt = "word " * 40_000
    (tmp_path / "keys.csv").write_text(f'a,"{prompt}"\n   \nb,short\n')
    assert read_keys(str(tmp_path / "keys.csv")) == {"a": prompt, "b": "short"}
    assert csv.field_size_limit() < len(prompt)


def test_figures_are_json() -> None:
    assert json.loads(json.dumps(calibrate(LOG, {"a": 0, "b": 1}).to_dict()))["count"] == 2
