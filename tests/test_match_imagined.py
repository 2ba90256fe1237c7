"""Headers of imagined vendors, written and labelled by people who never read a rule: what was found stays found."""

from __future__ import annotations

import sys

import pytest

from header_helpers import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "benchmarks"))
import labels as label_files

import headers as benchmark

IMAGINED = REPOSITORY / "benchmarks" / "imagined"


@pytest.mark.parametrize(
    ("name", "recall", "precision", "roles", "arguments", "devices"),
    [
        ("first", 0.94, 0.93, 0.88, 0.89, 6),
        ("second", 0.88, 0.94, 0.68, 0.81, 4),
        ("third", 0.97, 0.96, 0.89, 0.9, 3),
        ("fourth", 0.9, 0.96, 0.97, 0.77, 3),
        ("fifth", 0.93, 0.96, 0.96, 0.91, 4),
        ("sixth", 0.96, 0.93, 0.95, 0.94, 9),
    ],
)
def test_headers_of_imagined_vendors(
    name: str, recall: float, precision: float, roles: float, arguments: float, devices: int
) -> None:
    total = benchmark.Score()
    paths = sorted((IMAGINED / name / "labels").glob("*.json"))
    assert len(paths) >= 8
    for path in paths:
        made, trouble = benchmark.run(label_files.load(path), IMAGINED / name / "headers")
        assert not trouble, f"{path.stem}: {trouble}"
        total.add(made)
    assert total.ops > 400
    assert total.recall >= recall
    assert total.precision >= precision
    assert total.roles_right >= roles * total.roles
    assert total.args_right >= arguments * total.args
    assert total.devices_made >= devices
