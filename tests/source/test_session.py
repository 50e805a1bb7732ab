"""A session remembers what was asked of the workspace, and whether the answers still hold."""

from __future__ import annotations

from textwrap import dedent

from pto_analysis.source.session import Session
from pto_analysis.source.values import FunctionRef
from pto_analysis.source.workspace import Workspace
from tests.source.files import MemoryFiles
from tests.source.test_workspace import CONFIG


def test_a_session_holds_while_its_answers_do() -> None:
    files = {
        name: dedent(text) for name, text in {"/w/config.py": CONFIG, "/w/m.py": "from config import CFG\n"}.items()
    }
    session = Session(Workspace(MemoryFiles(files)), "/w/m.py")
    cfg = session.lookup("/w/m.py", "CFG")
    assert session.attribute(cfg, "head_dim") == 64
    assert session.files == {"/w/m.py"}

    def after(path: str, old: str, new: str) -> bool:
        assert old in files[path]
        changed = {**files, path: files[path].replace(old, new)}
        return session.still_holds(Workspace(MemoryFiles(changed)))

    assert after("/w/config.py", "BASE = 4", "# moved\n\nBASE = 2 + 2")
    assert not after("/w/config.py", "hidden=512", "hidden=1024")
    assert not after("/w/config.py", "self.hidden // self.heads", "self.hidden // 2")
    assert after("/w/config.py", "Kind(Enum)", "Kind(str, Enum)")


def test_a_session_notices_changed_units_and_calls() -> None:
    files = {"/w/m.py": "def f(n):\n    return n + 1\n\ndef k(): ...\n"}
    session = Session(Workspace(MemoryFiles(files)), "/w/m.py")
    assert session.call(FunctionRef("/w/m.py", "f"), (2,), {}) == 3
    session.unit_of(FunctionRef("/w/m.py", "k"))
    assert session.still_holds(Workspace(MemoryFiles(files)))
    assert not session.still_holds(Workspace(MemoryFiles({"/w/m.py": files["/w/m.py"].replace("n + 1", "n + 2")})))
    assert not session.still_holds(Workspace(MemoryFiles({"/w/m.py": files["/w/m.py"].replace("...", "pass")})))
