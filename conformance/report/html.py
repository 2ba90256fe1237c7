"""report.html: the run for people, in one file that loads nothing from elsewhere."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from html import escape

from torchfl_sdk.conformance.gate.request import RunResult
from torchfl_sdk.conformance.gate.verdict import (
    CRASH,
    FAIL,
    FALLBACK_PASS,
    HANG,
    NATIVE_PASS,
    NON_DISCRIMINATING,
    NONDETERMINISTIC,
    UNSUPPORTED_DECLARED,
    WAIVED,
    Result,
)
from torchfl_sdk.conformance.runner.protocol import ChipInfo

_MOST = 200  # failures that are listed; the journal has all
#: Verdict, column heading, what it says.
_COLUMNS = (
    (NATIVE_PASS, "native", "the chip's own kernel ran and is right"),
    (FALLBACK_PASS, "fallback", "declared to run elsewhere, and right"),
    (NON_DISCRIMINATING, "proves nothing", "a wrong kernel could pass this case"),
    (UNSUPPORTED_DECLARED, "refused", "refused, as declared"),
    (WAIVED, "waived", "fails, and somebody answers for it"),
    (FAIL, "fail", "wrong, or served by another layer than declared"),
    (CRASH, "crash", "ended its process"),
    (HANG, "hang", "did not end within the time limit"),
    (NONDETERMINISTIC, "differs", "two runs on the same inputs differ"),
)
#: Verdicts that say nothing of the chip's own kernels.
_ELSEWHERE = {FALLBACK_PASS, NON_DISCRIMINATING, UNSUPPORTED_DECLARED}
_UNCLAIMED = "The chip may do this as well. It is no failure: what is not claimed runs elsewhere."
_STYLE = """
:root { --ink: #1c2330; --soft: #667085; --line: #e4e7ec; --paper: #fff; --back: #f6f7f9; --good: #0f7b4f;
  --bad: #b42318; --some: #946200; --chip: #eef1f5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #98a2b3; --line: #2c3442; --paper: #171c26;
  --back: #10141b; --good: #4ccb93; --bad: #ff8a80; --some: #e5b454; --chip: #222937; } }
* { box-sizing: border-box; } body { margin: 0; background: var(--back); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 22px; margin: 0 0 4px; } h2 { font-size: 17px; margin: 36px 0 10px; } p { margin: 4px 0; }
.soft { color: var(--soft); } .card { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; }
.verdict { padding: 18px 22px; border-left: 6px solid var(--bad); } .verdict.pass { border-left-color: var(--good); }
.verdict.part { border-left-color: var(--some); } .verdict b { font-size: 26px; letter-spacing: .02em; }
.pass b { color: var(--good); } .fail b { color: var(--bad); } .part b { color: var(--some); }
.tiles { display: flex; flex-wrap: wrap; gap: 10px; margin-top: 14px; }
.tile { padding: 10px 16px; min-width: 112px; }
.tile b { display: block; font-size: 20px; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 12px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; font-size: 13px; } tr:last-child td { border-bottom: 0; }
th:first-child, td:first-child, td.text, th.text { text-align: left; } td.text { white-space: normal; }
code { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--chip);
  border-radius: 4px; padding: 1px 5px; } .bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); }
summary { cursor: pointer; margin: 18px 0 10px; color: var(--soft); }
.zero { color: var(--line); } ul { margin: 6px 0; padding-left: 20px; }
"""


def html(result: RunResult, info: ChipInfo) -> str:
    """The document."""
    counts = Counter(one.verdict for one in result.results)
    bad = [one for one in result.results if not one.good]
    state = "part" if result.partial and result.outcome == "PASS" else "pass" if result.outcome == "PASS" else "fail"
    versions = ", ".join(f"{name} {version}" for name, version in sorted(info.versions.items()))
    body = [
        f"<h1>Conformance of {escape(result.selector)}</h1>",
        f'<p class="soft">{escape(info.chip_name or "a chip without a name")}, {_devices(info.num_devices)}; '
        f"level {escape(result.level)}</p>",
        f'<p class="soft">{escape(versions)}</p>',
        f'<div class="card verdict {state}" style="margin-top:18px"><b>{escape(result.outcome)}</b>',
        f"<p>{escape(result.line.removeprefix(result.outcome).strip())}</p>",
        f'<p class="soft">Why it is no release run: {escape(result.partial)}.</p>' if result.partial else "",
        "</div>",
        _tiles(counts, result),
        _list("What is wrong with the run as a whole", result.problems),
        _failures(bad),
        *_ops(result),
        _list("What the profile does not claim", result.unclaimed, _UNCLAIMED),
        "<h2>What the columns say</h2><ul>",
        *(f"<li><b>{escape(head)}</b>: {escape(text)}</li>" for head, text in _legend()),
        "</ul>",
    ]
    title = f"{result.outcome} {result.selector}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><main>\n"
        + "\n".join(part for part in body if part)
        + "\n</main></body></html>\n"
    )


def _legend() -> Iterable[tuple[str, str]]:
    """Every column heading of the table of ops, and what it says."""
    yield "proved", "a native result changed when the vendor's function did nothing: the chip computed it"
    yield from ((head, text) for _, head, text in _COLUMNS)
    yield "worst error", "the largest error of a native pass, in units of what is tolerated: 1.00 is the limit"


def _devices(count: int) -> str:
    return f"{count} device{'s' * (count != 1)}"


def _tiles(counts: Counter[str], result: RunResult) -> str:
    native = f"{len(result.native_ops)}/{len(result.declared_ops)}"
    tiles = [(native, "ops native"), (f"{len(result.results)}/{result.planned}", "cases run")]
    tiles += [(str(counts[verdict]), head) for verdict, head, _ in _COLUMNS if counts[verdict]]
    cells = (f'<div class="card tile"><b>{escape(n)}</b><span class="soft">{escape(t)}</span></div>' for n, t in tiles)
    return f'<div class="tiles">{"".join(cells)}</div>'


def _list(title: str, lines: Iterable[str], soft: str = "") -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    note = f'<p class="soft">{escape(soft)}</p>' if soft else ""
    return f"<h2>{escape(title)}</h2>{note}<ul>{items}</ul>" if items else ""


def _failures(bad: list[Result]) -> str:
    if not bad:
        return ""
    rows = (
        f'<tr><td class="bad">{escape(one.verdict)}</td><td class="text">{escape(one.case.name)}<br>'
        f'<code>{escape(one.case.id)}</code></td><td class="text">{escape(one.reason)}'
        + (f'<br><span class="soft">{escape(one.pattern)}</span>' if one.pattern else "")
        + "</td></tr>"
        for one in bad[:_MOST]
    )
    more = f'<p class="soft">and {len(bad) - _MOST} more in results.jsonl</p>' if len(bad) > _MOST else ""
    return (
        f'<h2>What is wrong ({len(bad)})</h2><div class="card scroll"><table><tr><th>verdict</th><th class="text">case'
        f'</th><th class="text">reason, and what it looks like</th></tr>{"".join(rows)}</table></div>{more}'
    )


def _ops(result: RunResult) -> list[str]:
    """A table of what the chip's own kernels did; what they left to others, most of the catalogue, folded below it."""
    per_op: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    worst: dict[tuple[str, str], float] = defaultdict(float)
    proved = {(one.case.sample.op, one.case.sample.dtype) for one in result.results if one.proved}
    for one in result.results:
        key = (one.case.sample.op, one.case.sample.dtype)
        per_op[key][one.verdict] += 1
        if one.verdict == NATIVE_PASS:
            worst[key] = max(worst[key], one.worst)
    used = [c for c in _COLUMNS if any(counts[c[0]] for counts in per_op.values())]
    head = "".join(f'<th title="{escape(text)}">{escape(name)}</th>' for _, name, text in used)
    rows: dict[bool, list[str]] = {True: [], False: []}
    for (op, dtype), counts in sorted(per_op.items()):
        cells = "".join(_cell(verdict, counts[verdict]) for verdict, _, _ in used)
        native = '<td class="good">yes</td>' if (op, dtype) in proved else '<td class="soft">no</td>'
        error = f"{worst[op, dtype]:.2f}" if counts[NATIVE_PASS] else ""
        rows[bool(set(counts) - _ELSEWHERE)].append(
            f'<tr><td>{escape(op)}</td><td class="text">{escape(dtype)}</td>{native}{cells}<td>{error}</td></tr>'
        )
    head = (
        f'<tr><th>op</th><th class="text">dtype</th><th>proved</th>{head}'
        '<th title="largest error of a native pass, in units of its tolerance">worst error</th></tr>'
    )
    tables = {own: f'<div class="card scroll"><table>{head}{"".join(rows[own])}</table></div>' for own in rows}
    parts = ["<h2>Ops</h2>", tables[True]] if rows[True] else []
    if rows[False]:
        parts.append(
            f"<details><summary>Ops and dtypes that another layer serves, as declared ({len(rows[False])})</summary>"
            f"{tables[False]}</details>"
        )
    return parts


def _cell(verdict: str, count: int) -> str:
    kind = "zero" if not count else "bad" if verdict in (FAIL, CRASH, HANG, NONDETERMINISTIC) else ""
    return f'<td class="{kind}">{count}</td>'
