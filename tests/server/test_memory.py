"""The memory of a real server process stays where it was when its files had been opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.server import Client, memory


@pytest.mark.soak
def test_forty_thousand_edits_take_no_memory(tmp_path: Path) -> None:
    """Resident memory with 300 files open against that after 10,000 and 40,000 edits of one of them."""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'soak'\n")
    client = Client(tmp_path)
    (_, opened), *later = memory(client, tmp_path, 300, (10_000, 40_000))
    client.close()
    assert all(now < 1.05 * opened for _, now in later), (opened, later)
