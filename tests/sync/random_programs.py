"""Random kernels as `.pto` text: nested loops, branches, slots, row windows, aliases, selects, carried handles.

Text, so that reader and lowering are in the loop. Every kernel is legal: slot and row indices stay inside their buffer.
"""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from tests.sync.random_views import Writer, bound_of, buffers, condition_of, tile_of

HEAD = """\
!t = !pto.tile_buf<vec, 1x64xf32>
!g = !pto.partition_tensor_view<1x64xf32>
"""
_ARGUMENTS = "%g0: !g, %g1: !g, %o0: !g, %o1: !g, %n: index, %m: index, %i: index, %c: i1"
_VECTOR_KINDS = (
    *("load", "load", "load", "unary", "unary", "unary", "binary", "store", "store", "store"),
    *("scalar", "element", "put", "scatter", "barrier"),
)
_UNARY = ("tabs", "tneg", "texp")


def _operation(out: Writer) -> None:
    if out.cube:
        _cube_operation(out)
        return
    kind = out.draw(st.sampled_from(_VECTOR_KINDS))
    if kind == "load":
        out.add(f"pto.tload ins({out.pick(['%g0', '%g1', '%o0'])} : !g) outs({tile_of(out)} : !t)")
    elif kind == "unary":
        out.add(f"pto.{out.pick(list(_UNARY))} ins({tile_of(out)} : !t) outs({tile_of(out)} : !t)")
    elif kind == "binary":
        out.add(f"pto.tadd ins({tile_of(out)}, {out.pick(out.tiles)} : !t, !t) outs({tile_of(out)} : !t)")
    elif kind == "store":
        out.add(f"pto.tstore ins({tile_of(out)} : !t) outs({out.pick(['%o0', '%o1'])} : !g)")
    elif kind == "scalar":
        out.add(f"pto.tsetval ins(%i, %one : index, f32) outs({tile_of(out)} : !t)")
    elif kind == "element":
        out.add(f"{out.name()} = pto.tgetval ins({tile_of(out)}, %i : !t, index) outs : f32")
    elif kind == "put":
        out.add(f"pto.comm.tput(%o1, %o0, buf({tile_of(out)}) : !g, !g, !t)")
    elif kind == "scatter":
        out.add(f"pto.tscatter ins({tile_of(out)}, {out.pick(out.tiles)} : !t, !t) outs({tile_of(out)} : !t)")
    else:
        out.add(f"pto.barrier <PIPE_{out.pick(['V', 'MTE2', 'MTE3'])}>")


_CUBE_KINDS = (
    *("load", "load", "left", "left", "right", "right", "product", "sum", "sum", "store", "store"),
    *("back", "insert", "keep", "prefetch", "barrier"),
)


def _cube_operation(out: Writer) -> None:
    """Loads into L1, feeds, products, results out, on all queues of the core."""
    kind = out.draw(st.sampled_from(_CUBE_KINDS))
    left, right, acc = (out.pick([f"%{space}0", f"%{space}1"]) for space in ("l", "r", "a"))
    if kind == "product":
        out.add(f"pto.tmatmul ins({left}, {right} : !l, !r) outs({acc} : !a)")
    elif kind == "sum":
        out.add(f"pto.tmatmul.acc ins({acc}, {left}, {right} : !a, !l, !r) outs({acc} : !a)")
    elif kind == "store":
        out.add(f"pto.tstore ins({acc} : !a) outs({out.pick(['%g0', '%g1'])} : !gm)")
    elif kind == "barrier":
        out.add(f"pto.barrier <PIPE_{out.pick(['M', 'MTE1', 'MTE2', 'FIX'])}>")
    else:
        mat = tile_of(out)
        text = {
            "load": f"pto.tload ins(%g0 : !gm) outs({mat} : !m)",
            "left": f"pto.tmov ins({mat} : !m) outs({left} : !l)",
            "right": f"pto.textract ins({mat}, %zero, %zero : !m, index, index) outs({right} : !r)",
            "back": f"pto.tmov ins({acc} : !a) outs({mat} : !m)",
            "insert": f"pto.tinsert ins({acc}, %zero, %zero : !a, index, index) outs({mat} : !m)",
            "keep": f"pto.tstore ins({mat} : !m) outs({out.pick(['%g0', '%g1'])} : !gm)",
            "prefetch": f"pto.tprefetch ins(%g1 : !gm) outs({mat} : !m)",
        }
        out.add(text[kind])


def _nested(out: Writer, statement: Callable[[Writer], None]) -> None:
    """A block of statements one level deeper; what it defines goes out of scope."""
    tiles, indices, conditions = list(out.tiles), list(out.indices), list(out.conditions)
    out.depth += 1
    _block(out)
    statement(out)
    out.depth -= 1
    out.tiles, out.indices, out.conditions = tiles, indices, conditions


def _nothing(_out: Writer) -> None:
    return


def _loop(out: Writer) -> None:
    variable, zero, one = out.name(), out.constant(0), out.constant(1)
    bound = bound_of(out)
    if not out.free and out.draw(st.integers(0, 4)) == 0:
        _while(out, bound, zero, one)
        return
    indices = list(out.indices)
    out.indices.append(variable)
    if not (out.free or out.plain) and out.draw(st.integers(0, 2)) == 0:
        _swapping_loop(out, f"scf.for {variable} = {zero} to {bound} step {one}")
    else:
        out.add(f"scf.for {variable} = {zero} to {bound} step {one} {{")
        _nested(out, _nothing)
        out.add("}")
    out.indices = indices


def _while(out: Writer, bound: str, zero: str, one: str) -> None:
    """A loop that tests at its head, with statements on both sides of the test."""
    first, more, inside, following = out.name(), out.name(), out.name(), out.name()
    indices = list(out.indices)
    out.add(f"{out.name()} = scf.while ({first} = {zero}) : (index) -> index {{")
    out.indices.append(first)
    _nested(out, _nothing)
    out.add(f"  {more} = arith.cmpi ult, {first}, {bound} : index")
    out.add(f"  scf.condition({more}) {first} : index")
    out.add("} do {")
    out.add(f"^bb0({inside} : index):")
    out.indices[-1] = inside
    _nested(out, _nothing)
    out.add(f"  {following} = arith.addi {inside}, {one} : index")
    out.add(f"  scf.yield {following} : index")
    out.add("}")
    out.indices = indices


def _swapping_loop(out: Writer, head: str) -> None:
    """Two or three tiles that change places every round."""
    count = out.draw(st.integers(2, 3))
    result, names = out.name(), [out.name() for _ in range(count)]
    initial = ", ".join(f"{name} = {out.pick(out.tiles)}" for name in names)
    kinds = ", ".join([out.tile] * count)
    out.add(f"{result}:{count} = {head} iter_args({initial}) -> ({kinds}) {{")
    tiles = list(out.tiles)
    out.tiles.extend(names)
    _nested(out, lambda inner: inner.add(f"scf.yield {', '.join([*names[1:], names[0]])} : {kinds}"))
    out.add("}")
    out.tiles = [*tiles, f"{result}#0"]


def _branch(out: Writer) -> None:
    condition = condition_of(out)
    out.add(f"scf.if {condition} {{")
    _nested(out, _nothing)
    if out.draw(st.booleans()):
        out.add("} else {")
        _nested(out, _nothing)
    out.add("}")


def _block(out: Writer, straight: bool = False) -> None:
    for _ in range(out.draw(st.integers(1, 5))):
        if out.budget <= 0:
            return
        out.budget -= 1
        kind = "op" if straight or out.depth >= 3 else out.draw(st.sampled_from(["op", "op", "op", "loop", "if"]))
        if kind == "op" or (kind == "if" and out.must_not_choose):
            _operation(out)
        elif kind == "loop":
            _loop(out)
        else:
            _branch(out)


def _kernel(out: Writer, arch: str) -> str:
    body = "\n".join(out.lines)
    arguments = ", ".join([_ARGUMENTS, *out.arguments])
    return (
        f'{HEAD}module attributes {{pto.target_arch = "{arch}"}} {{\n  func.func @kernel({arguments})\n'
        f"      attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{\n{body}\n    return\n  }}\n}}\n"
    )


@st.composite
def kernels(draw: st.DrawFn, *, free: bool = False, plain: bool = False, budget: int = 14) -> str:
    """A kernel with loops and branches. `free`, `plain`: as in `Writer`."""
    out = Writer(draw, free=free, plain=plain, budget=budget)
    out.add("%one = arith.constant 1.0 : f32")
    buffers(out)
    _block(out)
    _block(out)
    return _kernel(out, draw(st.sampled_from(["a3", "a3", "a5"])))


CUBE_HEAD = """\
!m = !pto.tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major>
!l = !pto.tile_buf<left, 16x16xf16, blayout=col_major, slayout=row_major>
!r = !pto.tile_buf<right, 16x16xf16, slayout=col_major>
!a = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
!gm = !pto.partition_tensor_view<16x16xf16>
"""


@st.composite
def cube_kernels(draw: st.DrawFn, *, free: bool = False, plain: bool = False, budget: int = 14) -> str:
    """A kernel of the cube core; tiles of one space may overlap."""
    out = Writer(
        draw,
        free=free,
        plain=plain,
        budget=budget,
        cube=True,
        tile="!m",
        ring="mat, 16x16xf16, blayout=col_major, slayout=row_major",
    )
    out.add("%zero = arith.constant 0 : index")
    buffers(out)
    for space, size in (("l", 256), ("r", 256), ("a", 512)):
        for number in range(2):
            address = out.constant(size * draw(st.integers(0, 3)), "i64")
            out.add(f"%{space}{number} = pto.alloc_tile addr = {address} : !{space}")
    _block(out)
    _block(out)
    body = "\n".join(out.lines)
    arguments = ", ".join(["%g0: !gm, %g1: !gm, %n: index, %m: index, %i: index, %c: i1", *out.arguments])
    return (
        f'{CUBE_HEAD}module attributes {{pto.target_arch = "{draw(st.sampled_from(["a3", "a5"]))}"}} {{\n'
        f"  func.func @kernel({arguments})\n      attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{\n"
        f"{body}\n    return\n  }}\n}}\n"
    )


@st.composite
def straight_kernels(draw: st.DrawFn, *, static: bool = False) -> str:
    """A kernel without loops and branches; `static`: whatever its arguments are, it touches the same bytes."""
    out = Writer(draw, static=static)
    out.add("%one = arith.constant 1.0 : f32")
    buffers(out)
    for _ in range(3):
        _block(out, straight=True)
    return _kernel(out, draw(st.sampled_from(["a3", "a3", "a5"])))
