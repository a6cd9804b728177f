"""Runs the proofs of the folder proofs/: one file per theorem, each with a negative control (DESIGN sections 6, 13).

A proof file states its theorem in its docstring, under fixed headings: the statement, then what is proved in words
for all sizes, then what is proved by computation.  Its `THEOREM` is the computation: a check for a given size, and
the same check on a statement with one hypothesis dropped or one number changed, which must fail.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from exactlearn.errors import UnusableInputError
from exactlearn.verdict import Fails, Holds, Undecided, Verdict

IN_WORDS, BY_COMPUTATION = "For all (H, d), in words", "By computation"
"""The headings of a proof's docstring, each on a line of its own; what stands above them is the statement."""


@dataclass(frozen=True)
class Size:
    """The numbers of heads H and of dimensions d; None where a theorem does not depend on it."""

    heads: int | None = None
    dim: int | None = None

    @property
    def H(self) -> int:  # noqa: N802  # the field's name
        """The number of heads, for theorems that depend on it."""
        return _present(self.heads)

    @property
    def d(self) -> int:
        """The dimension, for theorems that depend on it."""
        return _present(self.dim)

    def __str__(self) -> str:
        named = (("H", self.heads), ("d", self.dim))
        return ", ".join(f"{name} = {value}" for name, value in named if value is not None)


@dataclass(frozen=True)
class Theorem:
    """The computation of one proof file.

    Attributes:
        file: The proof's `__file__`; its stem names the theorem.
        text: The proof's docstring.
        check: The statement for one size, H in `heads` and d in `dim`, all parameters symbolic.
        control: The same check on a changed statement, at a size made from the given one where the change bites.
        changed: What the control changes, in words.
        sizes: The sizes proved when none is asked for, in seconds altogether.
        largest: The size for which all theorems together take about a minute.
        least: Smaller sizes say nothing, and are raised to this one.
    """

    file: str
    text: str
    check: Callable[[Size], Verdict]
    control: Callable[[Size], Verdict]
    changed: str
    sizes: tuple[Size, ...]
    largest: Size
    least: Size = Size(1, 1)

    @property
    def name(self) -> str:
        """The theorem's name, with hyphens."""
        return Path(self.file).stem.replace("_", "-")

    def prove(self, sizes: Sequence[Size]) -> Proof:
        """Run the check at these sizes, smallest first, and the control at the last of them."""
        started = time.perf_counter()
        verdict: Verdict = Holds("no size")
        for size in sizes:
            verdict = self.check(size)
            if not verdict.holds:
                break
        control = self.control(sizes[-1])
        statement, in_words, by_computation = _parts(self.text)
        seconds = time.perf_counter() - started
        return Proof(
            self.name, statement, in_words, by_computation, tuple(sizes), verdict, self.changed, control, seconds
        )

    def size(self, heads: int | None, dim: int | None) -> Size:
        """The size asked for, a number left out or without meaning here being that of the default."""
        default = self.sizes[-1]
        return Size(
            None if default.heads is None else max(heads or default.heads, self.least.heads or 1),
            None if default.dim is None else max(dim or default.dim, self.least.dim or 1),
        )


@dataclass(frozen=True)
class Proof:
    """What became of one proof.

    Attributes:
        name: The theorem's name.
        statement: The theorem, in plain words and formulas.
        in_words: What is proved for all (H, d), as an argument in words.
        by_computation: What the computation shows at each size.
        sizes: The sizes it was run for.
        verdict: `Holds`, or `Fails` with a witness at the last size tried.
        changed: What the negative control changes.
        control: The verdict on the changed statement; `Fails` as it should, or the proof is void.
        seconds: Time for all of this.
    """

    name: str
    statement: str
    in_words: str
    by_computation: str
    sizes: tuple[Size, ...]
    verdict: Verdict
    changed: str
    control: Verdict
    seconds: float

    @property
    def control_failed(self) -> bool:
        """Whether the changed statement was found false, as it should be."""
        return isinstance(self.control, Fails)

    @property
    def holds(self) -> bool:
        """Whether the check holds at every size and the control failed."""
        return self.verdict.holds and self.control_failed

    def __str__(self) -> str:
        outcome = ", as it should" if self.control_failed else ": IT SHOULD HAVE FAILED"
        return "\n\n".join(
            [
                f"{self.name}: {'proved' if self.holds else 'NOT PROVED'}",
                self.statement,
                f"{IN_WORDS}:\n{self.in_words}",
                f"{BY_COMPUTATION} ({'; '.join(map(str, self.sizes))}; {self.seconds:.2f} s):\n{self.by_computation}",
                f"Check: {_described(self.verdict)}",
                f"Control ({self.changed}): {_described(self.control)}{outcome}",
            ]
        )


def proofs() -> tuple[str, ...]:
    """The names of all theorems that have a proof file, in alphabetical order."""
    files = resources.files("exactlearn.proofs").iterdir()
    stems = (file.name.removesuffix(".py") for file in files if file.name.endswith(".py"))
    return tuple(sorted(stem.replace("_", "-") for stem in stems if not stem.startswith("_")))


def theorem(name: str) -> Theorem:
    """The theorem of this name, hyphens or underscores.

    Raises:
        UnusableInputError: When there is none.
    """
    known = proofs()
    if name.replace("_", "-") not in known:
        raise UnusableInputError(f"no theorem is called {name!r}; there are {', '.join(known)}", "claim")
    found = importlib.import_module(f"exactlearn.proofs.{name.replace('-', '_')}").THEOREM
    assert isinstance(found, Theorem)  # noqa: S101  # a proof file without its THEOREM is a fault of ours
    return found


def prove(name: str, heads: int | None = None, dim: int | None = None, *, largest: bool = False) -> Proof:
    """Prove a theorem by computation and run its control.

    Args:
        name: One of `proofs()`.
        heads: H; a theorem that does not depend on it takes no notice.
        dim: d; likewise.
        largest: Prove the theorem's `largest` size instead; all theorems together take about a minute then.

    Raises:
        UnusableInputError: For an unknown name, or sizes that are not whole numbers from 1 on.
    """
    for value, place in ((heads, "heads"), (dim, "dim")):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise UnusableInputError(f"a whole number from 1 on is expected, not {value!r}", place)
    return _prove(theorem(name), heads, dim, largest=largest)


def main(found: Theorem, arguments: Sequence[str] | None = None) -> int:
    """Run one proof file as a script: prints the proof; 0 when it holds, 1 when not, 2 for unusable arguments."""
    parser = argparse.ArgumentParser(description=_parts(found.text)[0])
    parser.add_argument("--heads", type=_whole, metavar="H", help="the number of heads")
    parser.add_argument("--dim", type=_whole, metavar="d", help="the dimension")
    parser.add_argument("--largest", action="store_true", help="the largest size that is tested, some seconds")
    options = parser.parse_args(arguments)
    proof = _prove(found, options.heads, options.dim, largest=options.largest)
    sys.stdout.write(f"{proof}\n")
    return 0 if proof.holds else 1


def _prove(found: Theorem, heads: int | None, dim: int | None, *, largest: bool) -> Proof:
    if heads is not None or dim is not None:
        return found.prove([found.size(heads, dim)])
    return found.prove([found.largest] if largest else found.sizes)


def _present(value: int | None) -> int:
    if value is None:
        raise ValueError("this theorem does not say that it depends on this number")
    return value


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 5 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"a whole number from 1 on is expected, not {text!r}")
    return int(text)


def _parts(text: str) -> tuple[str, str, str]:
    statement, _, rest = text.partition(f"\n{IN_WORDS}:\n")
    in_words, _, by_computation = rest.partition(f"\n{BY_COMPUTATION}:\n")
    return statement.strip(), in_words.strip(), by_computation.strip()


def _described(verdict: Verdict) -> str:
    if isinstance(verdict, Fails):
        return f"fails: {verdict.why or verdict.witness}"
    if isinstance(verdict, Holds):
        return f"holds: {verdict.why}"
    return f"undecided: {verdict.why}" if isinstance(verdict, Undecided) else repr(verdict)
