"""The state of a run: killed at any moment nothing is lost, damaged pieces are made anew, other runs are refused."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from flint import fmpz
from killable_run import LAYER
from small_layers import SmallLayer

from exactlearn.errors import UnusableInputError
from exactlearn.full_size.engine import learn_layer
from exactlearn.full_size.layer import first_difference
from exactlearn.full_size.schedules import LayerSchedule
from exactlearn.full_size.state import StateFolder, pack, unpack

SCRIPT = Path(__file__).parent / "killable_run.py"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_killed_at_random_nothing_is_lost(tmp_path: Path, workers: str) -> None:
    """SIGKILL after a random number of pieces, several times; what was reported is kept, the result is the same."""
    generator = random.Random(workers)
    finished = 0
    for _ in range(3):
        command = [sys.executable, str(SCRIPT), str(tmp_path / "state"), workers]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  # our own script
            assert process.stdout is not None
            for _ in range(finished + generator.randint(1, 4)):
                assert process.stdout.readline().startswith("done")
            process.kill()
        finished = len([f for f in (tmp_path / "state" / "prime-1-digits-5").iterdir() if f.name[0] != "."]) - 2
        assert finished > 0
    last = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  # our own script
    end = last.stdout.splitlines()[-1].split()
    assert end[:3] == ["result", "True", str(1 + 6 * (2 * 400 + 40 - 1))]
    assert int(end[3]) >= finished


def test_a_damaged_piece_is_made_anew(tmp_path: Path) -> None:
    """A flipped byte in a finished piece, and a lost one: both are done again, the result is the same."""
    layer = SmallLayer()

    def run() -> int:
        result = learn_layer(layer, layer.question(), LayerSchedule(5, 2), workers=1, state=tmp_path, label="a")
        assert first_difference(result.layer, layer.layer()) is None
        assert result.queries == result.predicted_queries
        return result.resumed_blocks

    assert run() == 0
    everything = run()
    folder = tmp_path / "prime-1-digits-5"
    victim = next(folder.glob("columns-*"))
    content = bytearray(victim.read_bytes())
    content[-1] ^= 1
    victim.write_bytes(bytes(content))
    next(folder.glob("head-*")).unlink()
    assert run() == everything - 2
    assert run() == everything


@pytest.mark.parametrize("change", ["label", "seed", "schedule"])
def test_the_state_of_another_run_is_refused(tmp_path: Path, change: str) -> None:
    """Another black box, seed or schedule does not go on from this state."""
    layer = SmallLayer()
    learn_layer(layer, layer.question(), LayerSchedule(5, 2), workers=1, state=tmp_path, label="a")
    with pytest.raises(UnusableInputError, match="state of another run"):
        learn_layer(
            layer,
            layer.question(),
            LayerSchedule(5, 2, 3 if change == "schedule" else None),
            workers=1,
            state=tmp_path,
            seed=int(change == "seed"),
            label="b" if change == "label" else "a",
        )


def test_a_folder_in_use_or_with_strangers_is_refused(tmp_path: Path) -> None:
    """One run at a time; files of somebody else are not mixed with."""
    with (
        StateFolder(tmp_path / "a").opened({}),
        pytest.raises(UnusableInputError, match="another run is using"),
        StateFolder(tmp_path / "a").opened({}),
    ):
        raise AssertionError("unreachable: the second one is refused")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "letter.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UnusableInputError, match="not empty"), StateFolder(tmp_path / "b").opened({}):
        raise AssertionError("unreachable: the folder is refused")


def test_packed_numbers_come_back() -> None:
    """Residues of every size survive, at both ends of the range."""
    modulus = fmpz(3) ** 100
    numbers = [fmpz(0), fmpz(1), modulus - 1, fmpz(2) ** 61, fmpz(2) ** 64]
    assert unpack(pack(numbers, modulus), modulus) == numbers


def test_the_killable_layer_is_not_trivial() -> None:
    """The layer of the kill test has heads that differ."""
    assert len({head.scores.entry(0, 0).p for head in LAYER.layer().heads}) == 3
