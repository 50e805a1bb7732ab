"""The memory of a real server process stays where it was when its files had been opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.server import Client, memory


@pytest.mark.soak
def test_forty_thousand_edits_take_no_memory(tmp_path: Path) -> None:
    """Resident memory after 40,000 edits of one of 300 open files, against that after 10,000 and that before any."""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'soak'\n")
    client = Client(tmp_path)
    (_, opened), (_, warm), (_, now) = memory(client, tmp_path, 300, (10_000, 40_000))
    client.close()
    assert now < min(1.03 * warm, 1.1 * opened), (opened, warm, now)
