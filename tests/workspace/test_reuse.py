"""An edit costs what it touches: what is read, lowered and judged again, counted."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

import pytest

from pto_analysis.check import analyze_file, analyze_module
from pto_analysis.frontend import module
from pto_analysis.frontend.module import Modules
from pto_analysis.report import CheckOptions
from pto_analysis.source.workspace import Workspace
from pto_lsp.workspace import cores, incremental
from pto_lsp.workspace.incremental import Engine
from tests.server import kernels
from tests.support.checking import PATH, Texts

CALLED = (
    kernels.MODEL
    + """

@pl.jit
def caller(
    src: pl.Tensor[[12, 96], pl.FP32],
    gamma: pl.Tensor[[1, HALF], pl.FP32],
    dst: pl.Out[pl.Tensor[[12, HALF], pl.FP32]],
):
    dst = halves(src, gamma, dst)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="fourth"):
        part = scale(src, gamma)
        dst[:, :] = part
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="fifth"):
        dst[:, :] = pl.add(src[:, 0:HALF], 1.0)
    return dst
"""
)


class Counted:
    """The names of the functions that some work was done for."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.read: list[object] = []
        self.lowered: list[object] = []
        self.judged: list[object] = []
        read, lower, judge = module.read_function, cores.lower_core, cores.findings_of
        patch.setattr(module, "read_function", _noting(self.read, read, 1, "qualname"))
        patch.setattr(cores, "lower_core", _noting(self.lowered, lower, 0, "name"))
        patch.setattr(cores, "findings_of", _noting(self.judged, judge, 0, "function.name"))

    def clear(self) -> None:
        for names in (self.read, self.lowered, self.judged):
            names.clear()


def _noting(names: list[object], work: Callable[..., object], argument: int, attribute: str) -> Callable[..., object]:
    name_of = attrgetter(attribute)

    def noted(*args: object) -> object:
        names.append(name_of(args[argument]))
        return work(*args)

    return noted


def work_of(patch: pytest.MonkeyPatch, before: str, after: str) -> Counted:
    """What is done for the second text when the first was analysed before."""
    engine, counted = Engine(), Counted(patch)
    for text in (before, after):
        counted.clear()
        engine.analyze(PATH, text, Texts({PATH: text}), CheckOptions(), lambda: False)
    return counted


@pytest.mark.parametrize("after", ["pl.mul(band, 3.0)", "pl.mul(band,  2.0)"])
def test_an_edit_in_a_region_costs_that_region(monkeypatch: pytest.MonkeyPatch, after: str) -> None:
    counted = work_of(monkeypatch, CALLED, CALLED.replace("pl.mul(band, 2.0)", after))
    assert counted.read == ["halves"]
    assert set(counted.lowered) <= {"third"}
    assert "first" not in counted.judged


def test_an_edit_in_a_helper_costs_its_callers_region(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = work_of(monkeypatch, CALLED, CALLED.replace("HALF], 0.5)\n    return", "HALF], 0.75)\n    return"))
    assert counted.lowered == ["fourth"]
    assert not {"first", "third", "fifth"} & {*counted.judged}


def test_a_comment_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = work_of(monkeypatch, CALLED, CALLED.replace("# one band", "# one band of three\n"))
    assert (counted.read, counted.lowered, counted.judged) == ([], [], [])


def test_python_code_is_searched_again_only_when_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    from pto_analysis.frontend import callers

    searched: list[object] = []
    monkeypatch.setattr(callers, "find_calls", _noting(searched, callers.find_calls, 1, "items"))
    work_of(monkeypatch, CALLED, CALLED.replace("2.0", "3.0"))
    assert len(searched) == 1
    work_of(monkeypatch, CALLED, CALLED.replace("torch.zeros(32, 8)", "torch.zeros(16, 8)"))
    assert len(searched) == 3


ASSERTED = (
    CALLED
    + """

def doubled(value):
    return 2 * value


def unrelated(value):
    return 3 * value


assert doubled(ROWS) == HALF  # 32 is not 48
"""
)


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        ("return 3 * value", "return 4 * value", 0),
        ("def unrelated", "x = 1\n\n\ndef unrelated", 1),
        ("def unrelated", "# moved\n\n\n\ndef unrelated", 0),
        ("return 2 * value", "return 3 * value", 1),
        ("assert doubled(ROWS) ==", "assert doubled(ROWS) !=", 1),
        ("def unrelated", "def doubled", 1),
        ("@pl.jit\ndef caller", "@pl.jitt\ndef caller", 1),
    ],
)
def test_assertions_are_judged_again_when_what_they_mention_changes(
    monkeypatch: pytest.MonkeyPatch, before: str, after: str, count: int
) -> None:
    judged: list[object] = []
    monkeypatch.setattr(incremental, "analyze_module", _noting(judged, analyze_module, 0, "path"))
    engine = Engine()
    for text in (ASSERTED, ASSERTED.replace(before, after)):
        judged.clear()
        found = engine.analyze(PATH, text, Texts({PATH: text}), CheckOptions(), lambda: False)
        assert found == analyze_file(PATH, text, Modules(Workspace(Texts({PATH: text}))), CheckOptions())
    assert len(judged) == count


def test_kernels_of_two_files_of_one_text_are_two() -> None:
    """Where kernels stand is kept by their text, but each file has its own."""
    names = ("/project/one.py", "/project/two.py")
    caller = (
        CALLED.replace("@pl.jit\ndef caller(", "from one import halves\n\n\n@pl.jit\ndef caller(")
        .replace("pl.Tensor[[12, 96], pl.FP32]", "pl.Tensor")
    )  # fmt: skip
    texts = Texts({PATH: caller} | dict.fromkeys(names, CALLED.replace("pl.Tensor[[12, 96], pl.FP32]", "pl.Tensor")))
    engine = Engine()
    for path in (*names, PATH, *names):
        text = texts.texts[path]
        found = engine.analyze(path, text, texts, CheckOptions(), lambda: False)
        assert found == analyze_file(path, text, Modules(Workspace(texts)), CheckOptions())
