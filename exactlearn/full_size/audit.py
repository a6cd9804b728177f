"""The learner's own last test: fresh sequences modulo another prime, by the black box and by what was found."""

from __future__ import annotations

from exactlearn.errors import NotAttentionError
from exactlearn.full_size.black_box import LayerBlackBox
from exactlearn.full_size.layer import AffineLayer
from exactlearn.full_size.plan import Plan

AUDIT_LENGTHS = (2, 3, 5)


def audit_layer(black_box: LayerBlackBox, found: AffineLayer, plan: Plan) -> None:
    """Ask sequences of independent random tokens, lengths 2, 3, 5; all m outputs have to agree.

    Raises:
        NotAttentionError: When one differs.
    """
    ring = plan.ring.with_next_prime()
    ours = LayerBlackBox(found)
    for length in AUDIT_LENGTHS:
        tokens = [plan.draw.other(f"audit {length} {place}") for place in range(length)]
        if black_box.value(tokens, ring) != ours.value(tokens, ring):
            raise NotAttentionError("the layer found answers a fresh sequence otherwise than the black box does")
