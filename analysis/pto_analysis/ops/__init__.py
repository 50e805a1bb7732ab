"""The op table and what follows from it.

* `get(name)`: the row of an IR op (`OpSpec`): storage relation, families, effects, spaces, documentation.
* `resolve(spelling, positional, keywords)`: a DSL call as a bound IR call, scalar arithmetic, or a refusal.
* `deduce(op, args, attrs)`: the type of the result, or a refusal.
* `call(spelling, positional, keywords, origin)`: the three in one, giving an `ir.expr.Call`.

Submodules with more: `views` (layouts), `sizes` (bytes), `targets` (capacities, data paths, casts), `dims` (extents).
"""

from __future__ import annotations

from pto_analysis.ops.binding import Bound, bind
from pto_analysis.ops.call import call
from pto_analysis.ops.deduce import deduce
from pto_analysis.ops.lookup import (
    ScalarCall,
    candidates,
    is_known,
    nearest,
    resolve,
    signature_of,
    spellings,
)
from pto_analysis.ops.spec import OpSpec, Refusal, RefusalKind, Storage
from pto_analysis.ops.table import get, table

__all__ = [
    "Bound",
    "OpSpec",
    "Refusal",
    "RefusalKind",
    "ScalarCall",
    "Storage",
    "bind",
    "call",
    "candidates",
    "deduce",
    "get",
    "is_known",
    "nearest",
    "resolve",
    "signature_of",
    "spellings",
    "table",
]
