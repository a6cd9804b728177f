"""A report as one self-contained HTML page: failures, tables, and plots as SVG inside it."""

from __future__ import annotations

import html
import io
from typing import Any

from exactlearn.errors import MissingExtraError
from exactlearn.sweeps.reporting import Report, ReportTable

MOST_FAILURES = 1000
"""So many are written out."""

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1c1c1c; }
table { border-collapse: collapse; margin: 1rem 0 2rem; font-size: 0.9rem; }
caption { text-align: left; font-weight: 600; padding: 0.5rem 0; }
td, th { border: 1px solid #c8c8c8; padding: 0.2rem 0.6rem; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.failure { border-left: 0.3rem solid #b00020; padding: 0.2rem 0.8rem; margin: 0.8rem 0; }
.none { border-left: 0.3rem solid #1b7f3b; padding: 0.2rem 0.8rem; }
svg { max-width: 100%; height: auto; }
"""


def report_page(report: Report, database: str) -> str:
    """The page; the plots need matplotlib.

    Raises:
        MissingExtraError: When matplotlib is not installed.
    """
    parts = [f"<h1>Sweep results: {html.escape(database)}</h1>", _failures(report, database)]
    plots = {"queries": _queries_plot, "draws": _draws_plot, "times": _times_plot}
    for table in report.tables:
        if table.name in plots:
            parts.append(plots[table.name](table))
        parts.append(_table(table))
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>exactlearn: sweep results</title>'
        f"<style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def _failures(report: Report, database: str) -> str:
    if not report.failures:
        return '<p class="none">No failures: every claim holds on every instance it applies to.</p>'
    shown = "".join(
        f'<div class="failure"><b>{html.escape(failure.verdict)}</b>: {html.escape(failure.claim)} on '
        f"<code>{html.escape(failure.instance)}</code> (family {html.escape(failure.family)}, seed {failure.seed})<br>"
        f"{html.escape(failure.why)}<br><code>{html.escape(failure.command(database))}</code></div>"
        for failure in report.failures[:MOST_FAILURES]
    )
    hidden = len(report.failures) - MOST_FAILURES
    more = f"<p>and {hidden} more, in the database</p>" if hidden > 0 else ""
    return f"<h2>{len(report.failures)} failures</h2>{shown}{more}"


def _table(table: ReportTable) -> str:
    head = "".join(f"<th>{html.escape(column)}</th>" for column in table.columns)
    rows = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in table.rows)
    return f"<table><caption>{html.escape(table.title)}</caption><tr>{head}</tr>{rows}</table>"


def _cell(value: Any) -> str:
    kind = ' class="number"' if isinstance(value, int | float) else ""
    return f"<td{kind}>{html.escape(str(value))}</td>"


def _queries_plot(table: ReportTable) -> str:
    """Queries against d, one line for every H: the formula as a line, what was counted as points."""
    figure, axes = _axes("value queries against d", "d", "queries", y_log=True)
    for H in sorted({row[0] for row in table.rows if row[0]}):
        rows = [row for row in table.rows if row[0] == H]
        (line,) = axes.plot([row[1] for row in rows], [row[3] for row in rows], label=f"4Hd^2 - 2H + 1, H = {H}")
        axes.plot([row[1] for row in rows], [row[5] for row in rows], "o", color=line.get_color())
    return _svg(figure, axes)


def _draws_plot(table: ReportTable) -> str:
    """The observed rate of bad draws against the bound; points below the diagonal are within it."""
    figure, axes = _axes("bad draws: observed rate against the Schwartz-Zippel bound", "bound", "observed rate")
    for box in sorted({row[2] for row in table.rows}):
        rows = [row for row in table.rows if row[2] == box]
        axes.plot([row[7] for row in rows], [row[6] for row in rows], "o", label=f"tokens from [-{box}, {box}]")
    axes.plot([0, 1], [0, 1], "--", color="gray", label="rate = bound")
    return _svg(figure, axes)


def _times_plot(table: ReportTable) -> str:
    """Mean seconds of one run against H, d and bits, side by side: points for every kind of run, lines for means."""
    figure, panels = _axes("mean seconds of one run", "", "seconds", y_log=True, panels=3)
    for panel, (x, name) in zip(panels, ((0, "H"), (1, "d"), (3, "bits up to")), strict=True):
        panel.set_xlabel(name)
        for place in sorted({row[2] for row in table.rows}):
            rows = [row for row in table.rows if row[2] == place]
            (points,) = panel.plot([row[x] for row in rows], [row[5] for row in rows], ".", alpha=0.4)
            values = sorted({row[x] for row in rows})
            means = [_mean([row for row in rows if row[x] == value]) for value in values]
            panel.plot(values, means, "o-", color=points.get_color(), label=f"{place} place")
    panels[2].set_xscale("log", base=2)
    return _svg(figure, panels[2])


def _mean(rows: list[tuple[Any, ...]]) -> float:
    """The mean of means, each with the weight of its runs."""
    return float(sum(row[4] * row[5] for row in rows) / sum(row[4] for row in rows))


def _axes(title: str, x: str, y: str, *, y_log: bool = False, panels: int = 1) -> tuple[Any, Any]:
    """A figure, and its axes: one, or several side by side with the same y."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  # the extra "plot"
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "--html") from None
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots(1, panels, sharey=True, squeeze=False)[0]
    figure.suptitle(title)
    axes[0].set_ylabel(y)
    for one in axes:
        one.set_xlabel(x)
        if y_log:
            one.set_yscale("log")
        one.grid(visible=True, alpha=0.3)
    return figure, axes if panels > 1 else axes[0]


def _svg(figure: Any, axes: Any) -> str:
    """The figure as an SVG element; the same results give the same text."""
    import matplotlib as mpl  # noqa: PLC0415  # the extra "plot"

    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    text = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": figure.get_suptitle(), "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    page = text.getvalue()
    return page[page.index("<svg") :]
