"""What a place must give, in words and types: the one page to read before making a new place (DESIGN section 2).

A place sees exact values.  On the side of the model it evaluates: `black_box` turns a model into something that
answers value queries.  On the side of the learner it shows every answer as an image in a ring Z/p^k (`see`), where
interpolation happens, and takes the poles found there back to weights (`weights_from_poles`).  The learner calls
nothing else.  Images are taken by ring homomorphisms: what differs in the image differs in truth; what agrees in
the image is claimed only after a further check (`confirm`).

Laws, which `exactlearn.places.conformance` tests for any place:
* `see` after `black_box` is a homomorphism in the model: splitting, merging and permuting heads change nothing, and
  values add when models (with their heads) are put together;
* a finer ring refines: its image reduces to the coarser one modulo p^k;
* copies are what they say: k copies asked for at once answer as the written-out sequence does;
* `weights_from_poles` undoes `black_box`: the poles of a known head give back its W.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from flint import fmpz, fmpz_mat

from exactlearn.fields.number_field import NumberField
from exactlearn.model import Matrix, MultiHeadAttention, Unit, WeightKind
from exactlearn.places.residues import ResidueRing

IntegerToken = tuple[int, ...]
"""A token with whole entries, as the learner draws them."""

Answer = Any
"""What a query returns at a place: an `fmpq` at the rational place, a residue (`fmpz`) at the p-adic place."""


class BlackBox(Protocol):
    """Answers value queries; the learner reaches it through an oracle that counts, and never its parameters."""

    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing) -> Answer:
        """F of the sequence, read at its last token; `ring` says how finely, where a place needs it."""
        ...

    def copies(self, x: IntegerToken, y: IntegerToken, counts: Sequence[int], ring: ResidueRing) -> list[Answer]:
        """F of k copies of x + y followed by y, for each k of `counts`."""
        ...


class Place(Protocol):
    """A way to see exact values.

    Attributes:
        name: The place's name in results.
        weights: Kind of weights that are seen here.
        unit: The exact factor on every W, known to the learner as part of the place.
        token_multiple: The x_i are drawn with entries that are multiples of this.
        answers_are_exact: Whether an answer is the exact value, so that a result can be checked against it.

    A place that sees models over a number field says so by a further attribute `field` (see `field_of`); its rings are
    then those of `exactlearn.places.field_rings`.
    """

    @property
    def name(self) -> str: ...  # noqa: D102  # described above
    @property
    def weights(self) -> WeightKind: ...  # noqa: D102  # described above
    @property
    def unit(self) -> Unit: ...  # noqa: D102  # described above
    @property
    def token_multiple(self) -> int: ...  # noqa: D102  # described above
    @property
    def answers_are_exact(self) -> bool: ...  # noqa: D102  # described above

    def default_box(self, heads: int, dim: int) -> int:
        """The size B of the box [-B, B]^d for tokens, for this many heads."""
        ...

    @property
    def largest_box(self) -> int:
        """The largest box that can be asked for: beyond it values outgrow a machine."""
        ...

    def black_box(self, model: MultiHeadAttention) -> BlackBox:
        """A model of this place's kind as a black box."""
        ...

    def see(self, answers: Sequence[Answer], ring: ResidueRing) -> list[fmpz]:
        """The images of answers in Z/p^k."""
        ...

    def weights_from_poles(self, basis: TokenBasis, poles: Sequence[Sequence[fmpz]]) -> Matrix:
        """W (or T) of one head from the images of its t(x_i, y_j), i the row.

        Raises:
            PrecisionTooLowError: When more digits are needed.
            NotAttentionError: When these cannot be poles at this place.
        """
        ...


def field_of(place: Place) -> NumberField | None:
    """The number field of the models that a place sees; None, the rationals, when it has no attribute `field`."""
    field: NumberField | None = getattr(place, "field", None)
    return field


@dataclass(frozen=True)
class TokenBasis:
    """The drawn tokens x_1..x_d and y_1..y_d, seen in one ring: what assembly needs of their inverses.

    Attributes:
        ring: Z/p^k.
        X: The matrix with columns x_i, of non-zero determinant.
        Y: The matrix with columns y_j, of non-zero determinant.
    """

    ring: ResidueRing
    X: tuple[IntegerToken, ...]
    Y: tuple[IntegerToken, ...]

    @cached_property
    def x_inverse(self) -> fmpz_mat:
        """X^-T mod p^k: it takes the values v.x_i to v."""
        return self._inverse(self.X, self.ring)

    @cached_property
    def y_inverse(self) -> fmpz_mat:
        """Y^-1 mod p^k."""
        return self._inverse(self.Y, self.ring).transpose()

    @cached_property
    def x_inverse_mod_q(self) -> fmpz_mat:
        """X^-T mod q, for exponents of squares mod p."""
        return self._inverse(self.X, self._exponents)

    @cached_property
    def y_inverse_mod_q(self) -> fmpz_mat:
        """Y^-1 mod q."""
        return self._inverse(self.Y, self._exponents).transpose()

    @property
    def _exponents(self) -> ResidueRing:
        return ResidueRing(self.ring.half_order, 1)

    def _inverse(self, tokens: tuple[IntegerToken, ...], ring: ResidueRing) -> fmpz_mat:
        """The inverse of the matrix whose rows are the tokens."""
        return ring.inverse_matrix(fmpz_mat([list(token) for token in tokens]))
