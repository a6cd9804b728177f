"""Tests of the claims about layers: they hold, and every negative control fails."""

from __future__ import annotations

import pytest

from exactlearn.claims.layer import verify_layer
from exactlearn.model import AttentionLayer, LayerHead
from exactlearn.verdict import Fails

W, U = [[1, 2], [2, 1]], [[2, 1], [1, 3]]
LAYERS = {
    "two outputs": AttentionLayer([LayerHead(W, [1, 2], [[1, 0], [2, 1]]), LayerHead(U, [2, 1], [[0, 1], [1, 1]])]),
    "log-rational": AttentionLayer(
        [LayerHead(W, [3, 2], [[1, 2]]), LayerHead(U, [1, 1], [[3, 1]])], s=[5], weights="log-rational"
    ),
    "constant": AttentionLayer([], dim=2, outputs=2, s=[1, 2]),
}


@pytest.mark.parametrize("name", LAYERS)
def test_claims_hold_and_controls_fail(name: str) -> None:
    """Every claim that applies holds; with one hypothesis dropped or one number changed it fails."""
    results = verify_layer(LAYERS[name])
    assert all(result.verdict.holds for result in results), results
    assert {"rational-form", "canonical", "query-count"} <= {result.name for result in results}
    controls = verify_layer(LAYERS[name], is_control=True)
    assert {result.name for result in controls} == {result.name for result in results}
    assert all(isinstance(result.verdict, Fails) for result in controls), controls
