"""Stories for a lecture, one a file; the table of them."""

from __future__ import annotations

import difflib

from exactlearn.demos import (
    bad_draw,
    cancelling,
    copy_count,
    floating_point,
    kinks,
    merging,
    one_head,
    recombination,
    two_h_plus_one,
)
from exactlearn.demos.story import Story
from exactlearn.errors import UnusableInputError

STORIES: tuple[Story, ...] = (
    one_head.STORY,
    copy_count.STORY,
    two_h_plus_one.STORY,
    merging.STORY,
    cancelling.STORY,
    recombination.STORY,
    bad_draw.STORY,
    floating_point.STORY,
    kinks.STORY,
)
"""All demos, in the order in which a lecture would tell them."""


def story(name: str) -> Story:
    """The demo of this name.

    Raises:
        UnusableInputError: When there is none; close names are given.
    """
    for candidate in STORIES:
        if candidate.name == name:
            return candidate
    names = [candidate.name for candidate in STORIES]
    close = difflib.get_close_matches(name, names)
    hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(names)}"
    raise UnusableInputError(f"there is no demo {name!r}; {hint}")


__all__ = ["STORIES", "Story", "story"]
