"""What a demo is: a story of paragraphs and short pieces of code, told in a terminal or as a notebook."""

from __future__ import annotations

import ast
import contextlib
import io
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

WIDTH = 78
"""Columns of a line in the terminal."""


@dataclass(frozen=True)
class Say:
    """A paragraph."""

    text: str

    @property
    def paragraph(self) -> str:
        """The text without the line breaks of its source."""
        return " ".join(self.text.split())


@dataclass(frozen=True)
class Run:
    """A piece of code; the value of its last expression is shown, as in a notebook."""

    code: str

    @property
    def source(self) -> str:
        """The code without the indentation of its place in the story."""
        return textwrap.dedent(self.code).strip("\n")


@dataclass(frozen=True)
class Story:
    """One demo.

    Attributes:
        name: How it is asked for.
        title: What it shows, in one line.
        steps: Paragraphs and code, in order; all code shares one namespace.
    """

    name: str
    title: str
    steps: tuple[Say | Run, ...]


@dataclass(frozen=True)
class Told:
    """One step as it was told: the paragraph, or the code with what it printed and the value of its last expression."""

    step: Say | Run
    printed: str = ""
    value: Any = None


def tell(story: Story) -> Iterator[Told]:
    """Run the story's code step by step, in a namespace of its own."""
    namespace: dict[str, Any] = {"__name__": f"demo {story.name}"}
    for step in story.steps:
        if isinstance(step, Say):
            yield Told(step)
            continue
        module = ast.parse(step.source)
        last = module.body.pop() if module.body and isinstance(module.body[-1], ast.Expr) else None
        printed, value = io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            exec(compile(module, story.name, "exec"), namespace)  # noqa: S102  # the stories are this package's own code
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), story.name, "eval"), namespace)  # noqa: S307  # as above
        yield Told(step, printed.getvalue(), value)


def terminal_lines(told: Told) -> list[str]:
    """One step in lines of at most `WIDTH` columns."""
    if isinstance(told.step, Say):
        return [*textwrap.wrap(told.step.paragraph, WIDTH), ""]
    lines = [f"    {_prompt(line)}{line}".rstrip() for line in told.step.source.split("\n")]
    shown = told.printed + ("" if told.value is None else f"{told.value}\n")
    for line in shown.splitlines():
        parts = textwrap.wrap(line, WIDTH - 4) if len(line) > WIDTH - 4 else [line]
        lines += [f"    {part}" for part in parts]
    return [*lines, ""]


def _prompt(line: str) -> str:
    """Python's own: a line that goes on has another."""
    return "... " if not line or line.startswith((" ", ")", "]")) else ">>> "
