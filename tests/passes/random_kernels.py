"""Random tile-level kernels for property tests: slices of every kind, loops, branches, rebinding, all consumers."""

from __future__ import annotations

from random import Random

PARAMS = (
    "a: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec], b: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec], "
    "l: pl.Tile[[64, 64], pl.FP16, pl.Mem.Mat], r: pl.Tile[[64, 64], pl.FP16, pl.Mem.Mat], "
    "acc: pl.Tile[[32, 32], pl.FP32, pl.Mem.Acc], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INDEX]"
)

VEC = "pl.Tile[[4, 8], pl.FP32, pl.Mem.Vec]"


class _Writer:
    """Writes statements; `small` holds the visible names of [4, 8] tiles, `wide` those of [16, 64] ones."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.small: list[str] = []
        self.wide = ["a", "b"]
        self.indices = ["n", "m"]

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def offset(self, limit: int) -> str:
        choice = self.random.random()
        if choice < 0.6:
            return str(self.random.choice([0, 1, 4, 8]) if self.random.random() < 0.7 else self.random.randrange(limit))
        index = self.random.choice(self.indices)
        return self.random.choice(
            [index, f"{index} * 8", f"{index} * 2 + 8", f"{index} // 2 * 8", f"pl.min({index}, 8)"]
        )

    def statement(self, depth: int) -> None:
        forms = [self.slice, self.slice, self.use, self.use, self.alias, self.scalar, self.mat, self.bare, self.acc]
        if depth < 3:
            forms += [self.loop, self.branch, self.carried_loop]
        form = self.random.choice(forms)
        if form in (self.loop, self.branch, self.carried_loop):
            form(depth)  # pyright: ignore[reportCallIssue]
        else:
            form()  # pyright: ignore[reportCallIssue]

    def put(self, depth_text: str) -> None:
        self.lines.append(self.indent + depth_text)

    indent = ""

    def slice(self) -> None:
        if not self.small or self.random.random() < 0.8:
            name, source = self.name("w"), self.random.choice(self.wide)
            self.put(f"{name} = pl.tile.slice({source}, [4, 8], [{self.offset(12)}, {self.offset(56)}])")
            self.small.append(name)
        else:
            name = self.name("v")
            offset = f"[{self.random.randrange(3)}, {self.random.randrange(4)}]"
            self.put(f"{name} = pl.tile.slice({self.random.choice(self.small)}, [1, 4], {offset})")
            self.put(f"{self.name('u')} = pl.tile.muls({name}, 0.5)")

    def use(self) -> None:
        if not self.small:
            return
        left, right = self.random.choice(self.small), self.random.choice(self.small)
        op = self.random.choice(["add", "mul", "maximum", "col_expand_mul", "col_expand_add"])
        target = self.random.choice(self.small) if self.random.random() < 0.3 else self.name("x")
        self.put(f"{target} = pl.tile.{op}({left}, {right})")
        if target not in self.small:
            self.small.append(target)

    def alias(self) -> None:
        if self.small:
            name = self.name("y")
            self.put(f"{name} = {self.random.choice(self.small)}")
            self.small.append(name)

    def scalar(self) -> None:
        name = self.name("s")
        self.put(f"{name}: pl.Scalar[pl.INDEX] = {self.offset(8)}")
        self.indices.append(name)

    def mat(self) -> None:
        left, right = self.name("p"), self.name("q")
        self.put(f"{left} = pl.tile.slice(l, [32, 32], [{self.offset(32)}, 0])")
        self.put(f"{right} = pl.tile.slice(r, [32, 32], [0, {self.offset(32)}])")
        if self.random.random() < 0.5:
            extract = self.name("e")
            self.put(f"{extract} = pl.tile.extract({left}, 0, 0, [32, 32], target_memory=pl.Mem.Left)")
            left = extract
        self.put(f"{self.name('c')} = pl.tile.matmul_acc(acc, {left}, {right})")

    def acc(self) -> None:
        window = self.name("k")
        self.put(f"{window} = pl.tile.slice(acc, [16, 32], [{self.random.choice(['0', '16', 'n'])}, 0])")
        self.put(f"{self.name('t')}: pl.Tile[[16, 32], pl.FP32, pl.Mem.Acc] = {window}")

    def bare(self) -> None:
        if self.small:
            self.put(f"pl.tile.store({self.random.choice(self.small)}, [0, 0], out)")

    def nested(self, depth: int) -> None:
        saved = (list(self.small), list(self.wide), list(self.indices))
        outer, self.indent = self.indent, self.indent + "    "
        for _ in range(self.random.randrange(1, 5)):
            self.statement(depth + 1)
        if not self.lines or not self.lines[-1].startswith(self.indent):
            self.put("pass")
        self.indent = outer
        self.small, self.wide, self.indices = saved

    def loop(self, depth: int) -> None:
        index = self.name("i")
        self.put(f"for {index} in pl.range(0, {self.random.choice(['8', 'n'])}, {self.random.choice([1, 8])}):")
        self.indices.append(index)
        self.nested(depth)
        self.indices.remove(index)

    def branch(self, depth: int) -> None:
        self.put(f"if {self.random.choice(self.indices)} < 4:")
        self.nested(depth)
        if self.random.random() < 0.5:
            self.put("else:")
            self.nested(depth)

    def carried_loop(self, depth: int) -> None:
        if not self.small:
            return
        arg, result, init = self.name("g"), self.name("h"), self.random.choice(self.small)
        self.put(f"for {self.name('i')}, ({arg},) in pl.range(4, init_values=({init},)):")
        saved = list(self.small)
        self.small.append(arg)
        self.nested(depth)
        self.lines.append(f"{self.indent}    {result}: {VEC} = pl.yield_({self.random.choice([*saved, arg])})")
        self.small = [*saved, result]


def random_body(seed: int, statements: int = 12) -> str:
    """A body over `PARAMS`. Names assigned in nested blocks are not used outside, so every use is defined."""
    writer = _Writer(seed)
    for _ in range(statements):
        writer.statement(0)
    return "\n".join(writer.lines)
