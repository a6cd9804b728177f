"""Canonical form: merge heads with equal W, drop what cancels, decide equality of functions (DESIGN section 1)."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

from exactlearn.common_field import over_common_field
from exactlearn.errors import UnusableInputError
from exactlearn.exponents import WeightKey, common_unit, weight_key
from exactlearn.model import Head, Matrix, MultiHeadAttention, Vector
from exactlearn.separating import SignedHead, find_separating_sequence
from exactlearn.verdict import Fails, Holds, Verdict


@dataclass(frozen=True)
class HeadGroup:
    """The raw heads that share one W, by index, and the sum of their v; dropped when that sum is zero."""

    members: tuple[int, ...]
    head: Head

    @property
    def is_dropped(self) -> bool:
        """Whether the members cancel, so that the group is no canonical head."""
        return not any(self.head.v)


@dataclass(frozen=True)
class CanonicalReduction:
    """A canonical form together with how it came about.

    Attributes:
        model: The canonical model: W pairwise distinct, no v zero, heads sorted by W, then v.
        groups: One group for each distinct W of the raw model, in order of first appearance.
    """

    model: MultiHeadAttention
    groups: tuple[HeadGroup, ...]

    @property
    def merges(self) -> tuple[HeadGroup, ...]:
        """The groups of two or more raw heads whose sum of v is not zero."""
        return tuple(group for group in self.groups if len(group.members) > 1 and not group.is_dropped)

    @property
    def drops(self) -> tuple[HeadGroup, ...]:
        """The groups whose v sum to zero."""
        return tuple(group for group in self.groups if group.is_dropped)


def reduce_heads(model: MultiHeadAttention) -> CanonicalReduction:
    """Merge and drop heads, and say which.

    Within one model the unit is a common non-zero factor and log is injective on positive numbers, so two heads
    have equal weights exactly when their stored W (or T) are equal; elements of a number field are stored reduced.
    """
    members: dict[Matrix, list[int]] = {}
    for index, head in enumerate(model.heads):
        members.setdefault(head.W, []).append(index)
    groups = tuple(
        HeadGroup(tuple(indices), Head(W, _sum_of_values(model, indices))) for W, indices in members.items()
    )
    canonical = sorted((group.head for group in groups if not group.is_dropped), key=lambda head: (head.W, head.v))
    return CanonicalReduction(model.with_heads(canonical), groups)


def canonical_form(model: MultiHeadAttention) -> MultiHeadAttention:
    """The canonical model of the same function: equal W merged, zero v dropped, heads sorted (DESIGN section 1)."""
    return reduce_heads(model).model


def same_function(left: MultiHeadAttention, right: MultiHeadAttention) -> Verdict:
    """Whether two models are the same function on all sequences.

    Returns:
        `Holds`, or `Fails` with a separating token sequence as its witness.  Models of different dimension are
        different functions and have no common sequence: their witness is None.

    Raises:
        OverBudgetError: When the models are over two number fields that are too large to be brought together.
    """
    if left.dim != right.dim:
        return Fails(None, f"the dimensions differ: {left.dim} and {right.dim}")
    difference = _difference(*over_common_field(left, right))
    if not difference:
        return Holds("the canonical forms agree up to order")
    return Fails(find_separating_sequence(difference, left.dim), "the canonical forms differ")


def separating_sequence(left: MultiHeadAttention, right: MultiHeadAttention) -> tuple[Vector, ...] | None:
    """A token sequence on which the two models differ, or None when they are the same function.

    Raises:
        UnusableInputError: When the dimensions differ, so that no sequence fits both.
    """
    if left.dim != right.dim:
        raise UnusableInputError(f"the dimensions differ: {left.dim} and {right.dim}")
    verdict = same_function(left, right)
    return verdict.witness if isinstance(verdict, Fails) else None


def _sum_of_values(model: MultiHeadAttention, indices: list[int]) -> Vector:
    return tuple(sum((model.heads[index].v[a] for index in indices), fmpq(0)) for a in range(model.dim))


def _difference(left: MultiHeadAttention, right: MultiHeadAttention) -> list[SignedHead]:
    """The canonical heads of the function left - right, each with the model whose weights it has."""
    total: dict[WeightKey, SignedHead] = {}
    reference = common_unit(left, right)
    for sign, model in ((1, left), (-1, right)):
        for head in model.heads:
            key = weight_key(model, head.W, reference=reference)
            value = tuple(sign * entry for entry in head.v)
            if key in total:
                value = tuple(a + b for a, b in zip(total[key].value, value, strict=True))
            total[key] = SignedHead(key, value)
    return [head for head in total.values() if any(head.value)]
