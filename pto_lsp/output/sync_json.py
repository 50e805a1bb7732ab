"""`pto-lint sync --output-format json`: schema `pto-sync/1` (contract section 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pto_analysis.sync.plan import Dependence, SyncItem
from pto_analysis.sync.program import Op, Region
from pto_analysis.sync.touched import touched_regions
from pto_analysis.sync.verify import Verification
from pto_lsp.output.as_json import Json, diagnostic_json, dump
from pto_lsp.output.report import Diagnostic
from pto_lsp.output.sync_view import SyncPreview


def render(path: str, previews: Sequence[SyncPreview]) -> str:
    return dump({"schema": "pto-sync/1", "path": path, "functions": [_function(preview) for preview in previews]})


def _function(preview: SyncPreview) -> Json:
    program, plan = preview.program, preview.plan
    regions = touched_regions(program)
    found: Json = {
        "name": program.name,
        "qualname": program.qualname,
        "core": program.core,
        "target": program.target,
        "model": plan.policy,
        "regions": [_region(region) for region in program.regions.values()],
        "ops": [_op(op, regions) for op in preview.ops.values()],
        "dependences": [_dependence(one) for one in plan.dependences],
        "sync": [_item(item, preview) for item in plan.items],
        "pools": [
            {"src_pipe": p.source.value, "dst_pipe": p.target.value, "lanes": p.lanes, "limit": p.limit}
            for p in plan.pools
        ],
        "findings": [diagnostic_json(Diagnostic(preview.path, finding)) for finding in preview.findings],
    }
    if plan.disabled is not None:
        found["disabled"] = plan.disabled
    if program.notes or preview.notes:
        found["notes"] = [*program.notes, *preview.notes]
    if preview.verification is not None:
        found["verification"] = _verification(preview.verification)
    return found


def _region(region: Region) -> Json:
    base = region.base if isinstance(region.base, int) and region.space != "gm" else None
    return {
        "id": region.id,
        "space": region.space,
        "root": region.root or region.id,
        "base": base,
        "bytes": region.size,
    }


def _op(op: Op, regions: Mapping[str, tuple[str, ...]]) -> Json:
    span = op.where.span
    reads = [name for phase in op.phases for name in (*phase.reads, *phase.scratch)]
    writes = [name for phase in op.phases for name in (*phase.writes, *phase.scratch)]
    return {
        "id": op.id,
        "op": op.name,
        "pipe": op.pipe.value,
        "line": span.line + 1,
        "column": span.column + 1,
        "reads": _regions_of(reads, regions),
        "writes": _regions_of(writes, regions),
    }


def _regions_of(handles: Sequence[str], regions: Mapping[str, tuple[str, ...]]) -> list[str]:
    return list(dict.fromkeys(region for handle in handles for region in regions.get(handle, ())))


def _dependence(one: Dependence) -> Json:
    found: Json = {
        "src": one.source,
        "dst": one.target,
        "kind": one.kind,
        "region": one.region,
        "distance": one.distance,
        "status": one.status,
        "why": one.why,
    }
    if one.loop is not None:
        found["loop"] = one.loop
    return found


def _item(item: SyncItem, preview: SyncPreview) -> Json:
    node = item.anchor.node if item.anchor.node in preview.ops else None
    return {
        "id": item.id,
        "kind": item.kind,
        "src_pipe": item.source.value,
        "dst_pipe": item.target.value,
        "pair": item.pair,
        "lane": item.lane_text,
        "role": item.role,
        "before": node if item.anchor.side == "before" else None,
        "after": node if item.anchor.side == "after" else None,
        "loop": item.loop,
        "anchor": {"side": item.anchor.side, "node": item.anchor.node},
        "reason": item.reason,
    }


def _verification(outcome: Verification) -> Json:
    failure = None
    if outcome.failure is not None:
        failure = {
            "kind": outcome.failure.fault.kind,
            "arguments": dict(outcome.failure.run.arguments),
            "branches": list(outcome.failure.run.outcomes),
            "schedule": list(outcome.failure.schedule),
        }
    return {
        "runs": outcome.runs,
        "skipped": outcome.skipped,
        "complete": outcome.complete,
        "ok": outcome.ok,
        "failure": failure,
    }
