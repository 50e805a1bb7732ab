"""Constants that `from_constants.py` imports; read, never run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    rows: int = 16
    width: int = 64


CFG = Config()
HALF = CFG.width // 2
ODD = HALF - 2
