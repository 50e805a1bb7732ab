from __future__ import annotations

import os
from pathlib import Path

import pytest

from pto_lsp.workspace.discovery import discover


def tree(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def names(root: Path, exclude: tuple[str, ...] = ()) -> list[str]:
    return [path.relative_to(root).as_posix() for path in discover([root], exclude).files]


def test_python_and_pto_files_in_a_stable_order(tmp_path: Path) -> None:
    tree(tmp_path, {"b.py": "", "a/z.pto": "", "a/b.py": "", "c.txt": "", "a/data.json": ""})
    assert names(tmp_path) == ["a/b.py", "a/z.pto", "b.py"]


def test_what_nobody_means_to_lint_is_skipped(tmp_path: Path) -> None:
    tree(
        tmp_path, {"k.py": "", ".venv/a.py": "", "node_modules/a.py": "", "__pycache__/a.py": "", "env/pyvenv.cfg": ""}
    )
    tree(tmp_path, {"env/lib/a.py": ""})
    assert names(tmp_path) == ["k.py"]


def test_gitignore_of_every_level_counts(tmp_path: Path) -> None:
    (tmp_path / ".git" / "info").mkdir(parents=True)
    tree(
        tmp_path,
        {
            ".git/info/exclude": "private.py\n",
            ".gitignore": "build/\n*_gen.py\n",
            "build/a.py": "",
            "k_gen.py": "",
            "k.py": "",
            "private.py": "",
            "sub/.gitignore": "!keep_gen.py\n/local.py\n",
            "sub/keep_gen.py": "",
            "sub/local.py": "",
            "sub/deep/local.py": "",
        },
    )
    assert names(tmp_path) == ["k.py", "sub/deep/local.py", "sub/keep_gen.py"]
    assert names(tmp_path / "sub") == ["deep/local.py", "keep_gen.py"]


def test_a_file_named_on_the_command_line_is_taken_whatever_it_is(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    tree(tmp_path, {".gitignore": "*.py\n", "a.py": "", "script": ""})
    assert discover([tmp_path / "a.py", tmp_path / "script"]).files == (tmp_path / "a.py", tmp_path / "script")


def test_each_file_once(tmp_path: Path) -> None:
    tree(tmp_path, {"a.py": ""})
    assert discover([tmp_path, tmp_path / "a.py", tmp_path]).files == (tmp_path / "a.py",)


@pytest.mark.parametrize("glob", ["skip", "skip/", "./skip", "a/skip", "skip.py"])
def test_exclude(tmp_path: Path, glob: str) -> None:
    tree(tmp_path, {"a/skip/x.py": "", "a/skip.py": "", "a/k.py": ""})
    left = names(tmp_path, (glob,))
    assert "a/k.py" in left
    assert len(left) == 2


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    tree(tmp_path, {"a/k.py": ""})
    os.symlink(tmp_path, tmp_path / "a" / "up")
    os.symlink("self", tmp_path / "self")
    assert names(tmp_path) == ["a/k.py"]


def test_an_unreadable_folder_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, {"shut/k.py": "", "k.py": ""})
    scan = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("shut"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = discover([tmp_path])
    assert [path.name for path in found.files] == ["k.py"]
    assert found.errors == ((tmp_path / "shut", "permission denied"),)
