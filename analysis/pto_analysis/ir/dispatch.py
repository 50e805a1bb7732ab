"""Where and how code is launched: the enums of `pl.at`, `pl.spmd`, `pl.split_aiv` and function decorators.

The value is the DSL spelling (`pl.Level.<value>`).
"""

from __future__ import annotations

from enum import Enum


class Level(Enum):
    AIV = "AIV"
    AIC = "AIC"
    CORE_GROUP = "CORE_GROUP"
    CHIP_DIE = "CHIP_DIE"
    L2CACHE = "L2CACHE"
    CHIP = "CHIP"
    PROCESSOR = "PROCESSOR"
    UMA = "UMA"
    HOST = "HOST"
    NODE = "NODE"
    POD = "POD"
    CLOS1 = "CLOS1"
    CLOS2 = "CLOS2"
    CLUSTER_0 = "CLUSTER_0"
    CLUSTER_1 = "CLUSTER_1"
    CLUSTER_2 = "CLUSTER_2"
    GLOBAL = "GLOBAL"


class Role(Enum):
    ORCHESTRATOR = "Orchestrator"
    SUB_WORKER = "SubWorker"


class SplitMode(Enum):
    """How two vector lanes share a tile: not at all, by rows, by columns."""

    NONE = "NONE"
    UP_DOWN = "UP_DOWN"
    LEFT_RIGHT = "LEFT_RIGHT"


class ScopeMode(Enum):
    AUTO = "AUTO"
    MANUAL = "MANUAL"
