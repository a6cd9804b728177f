"""One self-contained page that explains a run and checks its certificate in the browser (DESIGN section 13)."""

from __future__ import annotations

from exactlearn.explain.building import build_page
from exactlearn.explain.runs import MAX_CHARACTERS, MAX_POLES, certificate_of_model, read_run

__all__ = ["MAX_CHARACTERS", "MAX_POLES", "build_page", "certificate_of_model", "read_run"]
