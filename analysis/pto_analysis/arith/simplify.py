"""What each operation makes of linear forms: the rules that the proofs of slots, windows and alignment rest on.

The atom `mod` is the floor remainder of its first form taken as a sum of integers; `urem`, `srem` and `floormod`
are remainders of a register's reading that the sum may differ from by wrapping.

Every rule is exact: the resulting form stands for the same register (or ideal integer) as the operation. Where no
rule applies, the operation becomes an atom of its own with the best range its operands allow.
"""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.arith import ranges
from pto_analysis.arith.atom_ranges import atom_range, register_values
from pto_analysis.arith.atoms import Atoms
from pto_analysis.arith.evaluate import apply
from pto_analysis.arith.linear import Linear, at_width, combine, constant_form, make_linear, scaled
from pto_analysis.arith.ranges import Range
from pto_analysis.arith.terms import COMPARISONS

Rule = Callable[[Atoms, Linear, Linear, "int | None"], "Linear | None"]


def simplify(atoms: Atoms, op: str, operands: tuple[Linear, ...], operand_bits: int | None, bits: int | None) -> Linear:
    """The form of `op` on `operands`."""
    if op == "select":
        return _select(atoms, *operands)
    if op in _CASTS:
        return _CASTS[op](atoms, operands[0], bits)
    values = tuple(operand.single for operand in operands)
    if all(value is not None for value in values):
        known = tuple(value % (1 << operand_bits) if operand_bits else value for value in values if value is not None)
        result = apply(op, known, operand_bits, bits)
        if result is not None:
            return constant_form(result, bits)
    if op in COMPARISONS:
        return _compare(atoms, op, operands[0], operands[1])
    left, right = operands
    result = _RULES[op](atoms, left, right, bits) if op in _RULES else None
    if result is not None:
        return result
    return atoms.pure(op, operands, bits, atom_range(atoms, op, left, right, bits))


# Sums and products


def _add(_atoms: Atoms, left: Linear, right: Linear, _bits: int | None) -> Linear | None:
    return combine(left, right)


def _sub(_atoms: Atoms, left: Linear, right: Linear, _bits: int | None) -> Linear | None:
    return combine(left, right, -1)


def _mul(atoms: Atoms, left: Linear, right: Linear, bits: int | None) -> Linear | None:
    if right.single is not None:
        return scaled(left, right.single)
    if left.single is not None:
        return scaled(right, left.single)
    # Products commute: one order for both spellings.
    if right.terms < left.terms:
        return _product(atoms, right, left, bits)
    return _product(atoms, left, right, bits)


def _product(atoms: Atoms, left: Linear, right: Linear, bits: int | None) -> Linear:
    values = ranges.multiply(atoms.unsigned(left), atoms.unsigned(right))
    return atoms.pure("mul", (left, right), bits, register_values(values, bits))


def _shl(_atoms: Atoms, left: Linear, right: Linear, bits: int | None) -> Linear | None:
    amount = right.single
    if amount is None or not 0 <= amount < (bits or 4096):
        return None
    return scaled(left, 1 << amount)


# Division and remainder


def _floordiv(atoms: Atoms, left: Linear, right: Linear, bits: int | None) -> Linear | None:
    """`(d * q + r) // d` is `q` when `r` lies in [0, d)."""
    divisor = right.single
    if divisor is None or divisor <= 0 or not atoms.fits_signed(left):
        return None
    whole, rest = _split(left, divisor)
    if not atoms.integer(rest).within(0, divisor - 1):
        return None
    return make_linear(((atom, factor // divisor) for atom, factor in whole.terms), whole.constant // divisor, bits)


def _floormod(atoms: Atoms, left: Linear, right: Linear, bits: int | None) -> Linear | None:
    """`(d * q + r) % d` is `r % d`, and `r` itself when it lies in [0, d)."""
    divisor = right.single
    if divisor is None or divisor <= 0 or not atoms.fits_signed(left):
        return None
    return _remainder(atoms, left, divisor, bits)


def _remainder(atoms: Atoms, left: Linear, divisor: int, bits: int | None) -> Linear:
    """The remainder of a sum that does not wrap, with its terms reduced first."""
    _, rest = _split(left, divisor)
    values = atoms.integer(rest)
    if values.within(0, divisor - 1):
        return at_width(rest, bits)
    if not values.within(0, (1 << (bits or 4096)) - 1):
        rest = left
        values = atoms.integer(left)
    return atoms.pure("mod", (rest, constant_form(divisor, bits)), bits, ranges.floor_remainder(values, divisor))


def _urem(atoms: Atoms, left: Linear, right: Linear, bits: int | None) -> Linear | None:
    divisor = right.single
    if divisor is None or divisor <= 0:
        return None
    if atoms.fits_unsigned(left):
        return _remainder(atoms, left, divisor, bits)
    if bits is not None and (1 << bits) % divisor == 0:
        # Wrapping is a multiple of the divisor away: terms may be reduced all the same.
        _, rest = _split(left, divisor)
        values = ranges.floor_remainder(atoms.unsigned(rest), divisor)
        return atoms.pure("mod", (rest, constant_form(divisor, bits)), bits, values)
    return None


def _udiv(atoms: Atoms, left: Linear, right: Linear, bits: int | None) -> Linear | None:
    if not atoms.fits_unsigned(left):
        return None
    divisor = right.single
    if divisor is None or divisor <= 0:
        return None
    whole, rest = _split(left, divisor)
    if not atoms.integer(rest).within(0, divisor - 1):
        return None
    return make_linear(((atom, factor // divisor) for atom, factor in whole.terms), whole.constant // divisor, bits)


def _non_negative(rule: Rule) -> Rule:
    """A truncating signed operation is the unsigned one where both operands are known not to be negative."""

    def signed_rule(atoms: Atoms, left: Linear, right: Linear, bits: int | None) -> Linear | None:
        low_left, low_right = atoms.signed(left).lower, atoms.signed(right).lower
        if low_left is None or low_right is None or low_left < 0 or low_right < 0:
            return None
        return rule(atoms, left, right, bits)

    return signed_rule


def _split(form: Linear, divisor: int) -> tuple[Linear, Linear]:
    """The form as a multiple of `divisor` plus a rest with coefficients in [0, divisor)."""
    rest = {atom: factor % divisor for atom, factor in form.terms}
    whole = {atom: factor - rest[atom] for atom, factor in form.terms}
    low = form.constant % divisor
    return (
        Linear(tuple((a, f) for a, f in whole.items() if f), form.constant - low, form.bits),
        Linear(tuple((a, f) for a, f in rest.items() if f), low, form.bits),
    )


# Bits


def _and(atoms: Atoms, left: Linear, right: Linear, bits: int | None) -> Linear | None:
    """`x & (2**j - 1)` is a remainder."""
    if left.single is not None:
        left, right = right, left
    mask = right.single
    if mask is None or mask < 0 or mask & (mask + 1):
        return None
    modulus = constant_form(mask + 1, bits)
    return (_floormod if bits is None else _urem)(atoms, left, modulus, bits)


def _lshr(atoms: Atoms, left: Linear, right: Linear, bits: int | None) -> Linear | None:
    amount = right.single
    if amount is None or not 0 <= amount < (bits or 4096):
        return None
    return simplify(atoms, "udiv", (left, constant_form(1 << amount, bits)), bits, bits)


def _ashr(atoms: Atoms, left: Linear, right: Linear, bits: int | None) -> Linear | None:
    amount = right.single
    if amount is None or not 0 <= amount < (bits or 4096) - 1:
        return None
    return simplify(atoms, "floordiv", (left, constant_form(1 << amount, bits)), bits, bits)


# Minimum, maximum, choice


def _smaller(reading: Callable[[Atoms, Linear], Range]) -> Rule:
    def rule(atoms: Atoms, left: Linear, right: Linear, _bits: int | None) -> Linear | None:
        order = _order(reading(atoms, left), reading(atoms, right))
        return None if order is None else (left if order <= 0 else right)

    return rule


def _larger(reading: Callable[[Atoms, Linear], Range]) -> Rule:
    def rule(atoms: Atoms, left: Linear, right: Linear, _bits: int | None) -> Linear | None:
        order = _order(reading(atoms, left), reading(atoms, right))
        return None if order is None else (right if order <= 0 else left)

    return rule


def _order(left: Range, right: Range) -> int | None:
    """-1 when left <= right always, 1 when left >= right always."""
    if left.upper is not None and right.lower is not None and left.upper <= right.lower:
        return -1
    if left.lower is not None and right.upper is not None and left.lower >= right.upper:
        return 1
    return None


def _select(atoms: Atoms, condition: Linear, then: Linear, otherwise: Linear) -> Linear:
    if then == otherwise:
        return then
    decided = condition.single
    if decided is not None:
        return then if decided else otherwise
    wrapped = _wrap_around(atoms, condition, then, otherwise)
    if wrapped is not None:
        return wrapped
    values = ranges.union(_reading(atoms, then), _reading(atoms, otherwise))
    return atoms.pure("select", (condition, then, otherwise), then.bits, values)


def _reading(atoms: Atoms, form: Linear) -> Range:
    """The integers of a form where nothing wraps, else its unsigned reading."""
    if atoms.fits_unsigned(form) or atoms.fits_signed(form):
        return atoms.integer(form)
    return atoms.unsigned(form)


def _wrap_around(atoms: Atoms, condition: Linear, then: Linear, otherwise: Linear) -> Linear | None:
    """`0 if x == n else x` with x in [0, n], `x - n if x >= n else x` with x in [0, 2n): both are `x % n` (R6)."""
    number = condition.lone_atom
    key = atoms.atom_key(number) if number is not None else ()
    if len(key) != 3:
        return None
    op, value, limit = key
    if op in _NEGATED:
        op, then, otherwise = _NEGATED[str(op)], otherwise, then
    if not isinstance(value, Linear) or not isinstance(limit, Linear) or limit.single is None or limit.single <= 0:
        return None
    count = limit.single
    if op in ("ugt", "sgt"):
        count += 1
    reduced = combine(value, constant_form(count, value.bits), -1)
    if otherwise != value or then not in (reduced, constant_form(0, value.bits)):
        return None
    highest = 2 * count - 1 if op != "eq" and then.terms else count
    if op not in _REACHES or not atoms.integer(value).within(0, highest):
        return None
    return _remainder(atoms, value, count, value.bits)


_NEGATED = {"ne": "eq", "ult": "uge", "slt": "sge", "ule": "ugt", "sle": "sgt"}
_REACHES = ("eq", "uge", "sge", "ugt", "sgt")


def _compare(atoms: Atoms, op: str, left: Linear, right: Linear) -> Linear:
    decided = _decide(atoms, op, left, right)
    if decided is not None:
        return constant_form(int(decided), 1)
    if left.single is not None:
        left, right, op = right, left, _MIRRORED[op]
    return atoms.pure(op, (left, right), 1, ranges.between(0, 1))


_MIRRORED = {
    "eq": "eq",
    "ne": "ne",
    "ult": "ugt",
    "ule": "uge",
    "ugt": "ult",
    "uge": "ule",
    "slt": "sgt",
    "sle": "sge",
    "sgt": "slt",
    "sge": "sle",
}


def _decide(atoms: Atoms, op: str, left: Linear, right: Linear) -> bool | None:
    """The comparison's outcome where ranges (or equal forms) settle it."""
    if op in ("eq", "ne"):
        difference = combine(left, right, -1).single
        if difference is not None:
            return (difference == 0) == (op == "eq")
        first, second = atoms.unsigned(left), atoms.unsigned(right)
        return (op == "ne") if _apart(first, second) else None
    if op in ("ugt", "uge", "sgt", "sge"):
        return _decide(atoms, _MIRRORED[op], right, left)
    if left == right:
        return op.endswith("e")
    reading = atoms.unsigned if op.startswith("u") else atoms.signed
    first, second = reading(left), reading(right)
    slack = 0 if op.endswith("e") else 1
    if first.upper is not None and second.lower is not None and first.upper + slack <= second.lower:
        return True
    if first.lower is not None and second.upper is not None and first.lower + slack > second.upper:
        return False
    return None


def _apart(left: Range, right: Range) -> bool:
    if left.upper is not None and right.lower is not None and left.upper < right.lower:
        return True
    return left.lower is not None and right.upper is not None and right.upper < left.lower


# Casts


def _zext(atoms: Atoms, value: Linear, bits: int | None) -> Linear:
    if atoms.fits_unsigned(value):
        return at_width(value, bits)
    return atoms.pure("zext", (value,), bits, atoms.unsigned(value))


def _sext(atoms: Atoms, value: Linear, bits: int | None) -> Linear:
    if atoms.fits_signed(value):
        return at_width(value, bits)
    return atoms.pure("sext", (value,), bits, atoms.signed(value))


def _trunc(_atoms: Atoms, value: Linear, bits: int | None) -> Linear:
    """A narrower register keeps the sum modulo its own size."""
    return at_width(value, bits)


_CASTS: dict[str, Callable[[Atoms, Linear, int | None], Linear]] = {"zext": _zext, "sext": _sext, "trunc": _trunc}


_RULES: dict[str, Rule] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "shl": _shl,
    "floordiv": _floordiv,
    "floormod": _floormod,
    "urem": _urem,
    "udiv": _udiv,
    "srem": _non_negative(_urem),
    "sdiv": _non_negative(_udiv),
    "and": _and,
    "lshr": _lshr,
    "ashr": _ashr,
    "umin": _smaller(Atoms.unsigned),
    "umax": _larger(Atoms.unsigned),
    "smin": _smaller(Atoms.signed),
    "smax": _larger(Atoms.signed),
}
