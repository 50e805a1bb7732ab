"""Signature help: the parameters of the operation, loop or scope whose call the cursor is in."""

from __future__ import annotations

import re

from pto_analysis.frozen import frozen
from pto_analysis.ide.completion import open_call
from pto_analysis.ide.forms import form_label, form_parameter_label
from pto_analysis.ops import candidates
from pto_analysis.ops.docs import parameter_doc, parameter_label, signature_label
from pto_analysis.ops.signature import parameters
from pto_analysis.ops.structure import FORMS


@frozen
class SignatureHelp:
    """`parameters` are (label, documentation); `active` is the index of the one at the cursor, None past the last."""

    label: str
    documentation: str
    parameters: tuple[tuple[str, str], ...]
    active: int | None


def signature_help(before: str, aliases: frozenset[str]) -> tuple[SignatureHelp, ...]:
    """One answer for each operation that the spelling may mean; `before` is the logical line up to the cursor."""
    call = open_call(before, aliases)
    if call is None:
        return ()
    spelling, position, _ = call
    keyword = re.search(r"[(,]\s*(\w+)\s*=[^,()]*\Z", before)
    form = FORMS.get(spelling)
    if form is not None:
        shown = tuple((form_parameter_label(param), parameter_doc(param.name)) for param in form.parameters)
        active = _active(form.signature, position, keyword[1] if keyword else None)
        return (SignatureHelp(form_label(spelling), form.doc, shown, active),)
    return tuple(
        SignatureHelp(
            signature_label(spec),
            spec.doc,
            tuple((parameter_label(param), parameter_doc(param.name)) for param in parameters(spec.signature)),
            _active(spec.signature, position, keyword[1] if keyword else None),
        )
        for spec in candidates(spelling)
    )


def _active(signature: str, position: int, keyword: str | None) -> int | None:
    params = parameters(signature)
    if keyword is not None:
        return next((index for index, param in enumerate(params) if param.name == keyword), None)
    positional = [index for index, param in enumerate(params) if param.passing != "keyword"]
    if position < len(positional):
        return positional[position]
    rest = [index for index in positional if params[index].passing == "rest"]
    return rest[0] if rest else None
