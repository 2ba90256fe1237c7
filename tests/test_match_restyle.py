"""Headers that say the same in other conventions are matched alike; what only looks like an op is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from restyle.conventions import CARRIERS, CASES, ORDERS, STATUS, Style
from restyle.writer import write
from restyle_headers import Tally, read, tally

SEEDS = range(30)


@pytest.fixture(scope="module")
def tallies(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Tally]:
    folder = tmp_path_factory.mktemp("restyle")
    made = {}
    for seed in SEEDS:
        _, written = write(seed)
        made[seed] = tally(written, read(written.text, folder))
    return made


def test_the_seeds_draw_every_kind_of_convention() -> None:
    styles = [Style.draw(seed) for seed in SEEDS]
    assert {s.carrier for s in styles} == set(CARRIERS)
    assert {s.case for s in styles} == set(CASES)
    assert {s.order for s in styles} == set(ORDERS)
    assert {s.status for s in styles} == set(STATUS)


def test_ops_and_arguments_are_found_in_any_convention(tallies: dict[int, Tally]) -> None:
    total = Tally()
    for made in tallies.values():
        total.add(made)
    assert total.ops > 500
    misses = [f"{seed}: {d}" for seed, made in tallies.items() for d in made.details]
    assert total.recall >= 0.97, misses
    assert total.precision >= 0.985, misses
    assert total.args_right >= 0.97 * total.args, misses
    assert total.roles_right >= 0.97 * total.roles, misses


def test_no_convention_is_left_out(tallies: dict[int, Tally]) -> None:
    """A style that breaks a rule fails as a whole, however well the others do."""
    poor = {seed: made.details for seed, made in tallies.items() if made.recall < 0.8 or made.precision < 0.85}
    assert poor == {}


def test_a_miss_is_counted(tmp_path: Path) -> None:
    _, written = write(0)
    found = tally(written, read("int nothing(void);\n", tmp_path))
    assert (found.found, found.wrong) == (0, 0)
    assert found.ops > 15
    assert found.args_right == 0
