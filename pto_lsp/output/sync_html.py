"""The preview as one page: timelines of both policies, the listing with its lanes, the pairs and what was proved apart.

Self-contained: no scripts, nothing from the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from attrs import frozen

from pto_analysis.sync.handover import hand_overs, kernel_name
from pto_analysis.sync.listing import Line, listing
from pto_analysis.sync.plan import SyncItem
from pto_analysis.sync.program import Pipe
from pto_lsp.output import sync_svg
from pto_lsp.output.sync_view import SyncPreview, hand_over_words, lane_words, verified_words

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2430; --soft: #6b7280; --line: #e3e6ec; --paper: #fbfcfd; --card: #fff;
  --set: #1d6fb8; --bar: #b45309; --held: #d0342c; --good: #2f855a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ee; --soft: #9aa3b2; --line: #2c313c; --paper: #12151b;
  --card: #171a21; --set: #6db3f2; --bar: #f0a04b; --held: #ff7b72; --good: #68d391; } }
body { margin: 0 auto; padding: 28px; max-width: 1240px; background: var(--paper); color: var(--ink);
  font: 14px/1.5 ui-sans-serif, system-ui, "Segoe UI", sans-serif; }
h1 { font-size: 20px; margin: 0; } h2 { font-size: 15px; margin: 26px 0 8px; }
.where { color: var(--soft); margin: 2px 0 14px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow-x: auto; }
.card.pad { padding: 4px 14px; }
section { margin-bottom: 48px; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 12px; padding: 8px 10px; }
td { padding: 1px 10px; vertical-align: middle; white-space: nowrap; }
.list td { font: 12px/1.7 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.list td.lane, .list th.lane { width: 78px; text-align: center; border-left: 1px solid var(--line); padding: 1px 4px; }
.list td.code { border-left: 1px solid var(--line); }
.list tr:hover { background: color-mix(in srgb, var(--set) 8%, transparent); }
.num { color: var(--soft); text-align: right; width: 44px; }
.op { display: block; border-radius: 4px; color: #14171f; padding: 0 4px; }
.set, .wait { color: var(--set); } .why { color: var(--soft); }
.barrier { color: var(--bar); font-weight: 600; }
.part { color: var(--soft); font-style: italic; }
.pairs td { padding: 4px 10px; white-space: normal; }
.key { display: inline-block; min-width: 1.4em; padding: 0 5px; border: 1px solid var(--line); border-radius: 4px;
  text-align: center; font: 12px ui-monospace, monospace; color: var(--set); }
.good { color: var(--good); } .bad { color: var(--held); } .note { color: var(--soft); }
pre { margin: 10px 0; font: 12px/1.5 ui-monospace, monospace; overflow-x: auto; }
details { margin: 8px 0; } summary { cursor: pointer; color: var(--soft); }
"""


@frozen
class Page:
    """One function with the pictures of its plans."""

    preview: SyncPreview
    pictures: tuple[sync_svg.Picture, ...]
    run: str


def render(pages: Sequence[Page]) -> str:
    names = ", ".join(page.preview.program.qualname for page in pages) or "no kernels"
    body = "\n".join(part for page in pages for part in (_section(page), _between(page, pages)))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Synchronisation of {escape(names)}</title><style>{_STYLE}</style></head>\n"
        f"<body>\n{body}\n</body></html>\n"
    )


def _between(page: Page, pages: Sequence[Page]) -> str:
    """What crosses the cores, where the next page is the other core's."""
    programs = [one.preview.program for one in pages]
    at = programs.index(page.preview.program)
    if at + 1 >= len(programs) or kernel_name(programs[at + 1]) != kernel_name(page.preview.program):
        return ""
    rows = "".join(f"<li>{escape(hand_over_words(one))}</li>" for one in hand_overs(programs[at : at + 2]))
    return f"<section><h2>Between the cores</h2><p>No flag crosses them.</p><ul>{rows}</ul></section>" if rows else ""


def _section(page: Page) -> str:
    preview = page.preview
    program = preview.program
    place = f"{preview.path}:{program.where.span.line + 1} · {program.core} core · {program.target}"
    notes = [*program.notes, *preview.notes]
    if preview.plan.disabled is not None:
        notes.insert(0, f"nothing is inserted: {preview.plan.disabled}")
    parts = [f"<h1>{escape(program.qualname)}</h1>", f'<p class="where">{escape(place)}</p>']
    parts += [f'<p class="note">{escape(note)}</p>' for note in notes]
    parts.append(f"<h2>One run{escape(page.run)}</h2>")
    parts.append(f'<div class="card">{sync_svg.render(preview, page.pictures)}</div>')
    parts.append('<p class="note">Durations are made up from sizes. Red arrows are waits that cost time.</p>')
    parts += ["<h2>Listing</h2>", _listing(preview), _pairs(preview), _findings(preview), _apart(preview)]
    parts.append(_verified(preview))
    return "<section>" + "\n".join(part for part in parts if part) + "</section>"


def _listing(preview: SyncPreview) -> str:
    heads = "".join(f'<th class="lane">{pipe.value}</th>' for pipe in preview.pipes)
    rows = "\n".join(_row(preview, line) for line in listing(preview.program, preview.plan))
    return (
        f'<div class="card"><table class="list"><tr><th class="num">line</th>{heads}<th>kernel</th></tr>\n'
        f"{rows}</table></div>"
    )


def _row(preview: SyncPreview, line: Line) -> str:
    cells: dict[Pipe, str] = {}
    indent = "&nbsp;" * (3 * line.depth)
    number = str(line.where.span.line + 1)
    right = escape(preview.source_line(line.where))
    if line.kind == "op" and line.op is not None:
        pipe = line.op.phases[line.phase].pipe
        cells[pipe] = f'<span class="op" style="background:{sync_svg.FILLS[pipe]}">{escape(line.op.name)}</span>'
        right = right if line.phase == 0 else ""
    elif line.kind == "sync" and line.item is not None:
        number = ""
        cells, right = _item(preview, line.item)
    elif line.kind == "manual" and line.manual is not None:
        manual = line.manual
        pipe = manual.target if manual.kind == "wait" else manual.source
        cells = {pipe: f'<span class="{manual.kind}">{manual.kind}</span>'}
    elif line.kind in ("else", "end"):
        number, right = "", '<span class="part">else</span>' if line.kind == "else" else ""
        if line.kind == "end":
            return ""
    lanes = "".join(f'<td class="lane">{_lane(cells, pipe)}</td>' for pipe in preview.pipes)
    return f'<tr><td class="num">{number}</td>{lanes}<td class="code">{indent}{right}</td></tr>'


def _lane(cells: dict[Pipe, str], pipe: Pipe) -> str:
    return cells.get(pipe, cells.get(Pipe.ALL, ""))


def _item(preview: SyncPreview, item: SyncItem) -> tuple[dict[Pipe, str], str]:
    if item.kind == "barrier":
        words = "end of the kernel" if item.role == "tail" else item.reason
        return {item.source: '<span class="barrier">barrier</span>'}, f'<span class="why">{escape(words)}</span>'
    pair = preview.pairs.get(item.pair or "")
    name = escape(lane_words(preview, item))
    pipe = item.source if item.kind == "set" else item.target
    words = item.reason
    if pair is not None:
        other = preview.op_words(pair.consumer if item.kind == "set" else pair.producer)
        words = f"{'for' if item.kind == 'set' else 'after'} {other}"
    if item.role in ("entry", "exit"):
        words = "before the first round: free" if item.role == "entry" else "behind the last round: taken back"
    symbol = escape(preview.symbols.get(item.pair or "", ""))
    cell = f'<span class="{item.kind}" title="{escape(item.reason, quote=True)}">{item.kind} {symbol}</span>'
    lane = f" · lane {name}" if item.lane_text is not None else ""
    return {pipe: cell}, f'<span class="why">{escape(words)}{lane}</span>'


def _pairs(preview: SyncPreview) -> str:
    plan = preview.plan
    if not plan.pairs:
        return ""
    rows = [
        f'<tr><td><span class="key">{preview.symbols[pair.id]}</span></td>'
        f"<td>{pair.source.value} → {pair.target.value}</td><td>{pair.lanes}</td>"
        f"<td>{escape(preview.pair_words(pair))}</td></tr>"
        for pair in plan.pairs
    ]
    pools = " · ".join(f"{p.source.value} → {p.target.value}: {p.lanes} of {p.limit} ids" for p in plan.pools)
    crowded = "".join(f'<p class="bad">{escape(one.why)}</p>' for one in plan.losses)
    return (
        '<h2>Pairs</h2><div class="card pad"><table class="pairs">'
        "<tr><th></th><th>queues</th><th>lanes</th><th>why</th></tr>"
        f'{"".join(rows)}</table></div><p class="note">{escape(pools)}</p>{crowded}'
    )


def _findings(preview: SyncPreview) -> str:
    rows = "".join(
        f"<li><b>{finding.code}</b> line {finding.span.line + 1}: {escape(finding.message)}</li>"
        for finding in preview.findings
    )
    return f"<h2>Findings</h2><ul>{rows}</ul>" if rows else ""


def _apart(preview: SyncPreview) -> str:
    words = list(dict.fromkeys(one.why for one in preview.plan.dependences if one.status == "disproved"))
    if not words:
        return ""
    rows = "".join(f"<li>{escape(word)}</li>" for word in words[:200])
    return f"<details><summary>Proved apart ({len(words)})</summary><ul>{rows}</ul></details>"


def _verified(preview: SyncPreview) -> str:
    outcome = preview.verification
    if outcome is None:
        return ""
    if outcome.failure is None:
        return f'<p class="good">{escape(verified_words(outcome))}</p>'
    return f'<p class="bad">Not sound:</p><pre>{escape(chr(10).join(outcome.failure.schedule))}</pre>'
